// A text of digits, capital letters and dashes as a QR code (ISO/IEC 18004): versions 1 to 5, one block of
// error correction, level M where it fits and else L. `modules(text)` gives rows of true (dark) and false.
"use strict";

globalThis.ppdmQR = (() => {
  const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
  // [version, level bits, data bytes, correction bytes], smallest first
  const SIZES = [
    [1, 0, 16, 10], [2, 0, 28, 16], [3, 0, 44, 26], [3, 1, 55, 15], [4, 1, 80, 20], [5, 1, 108, 26],
  ];

  // Arithmetic in GF(256) with the code's polynomial.
  const [EXP, LOG] = (() => {
    const [exp, log] = [new Array(512), new Array(256)];
    let value = 1;
    for (let i = 0; i < 255; i++) {
      exp[i] = exp[i + 255] = value;
      log[value] = i;
      value <<= 1;
      if (value & 256) value ^= 0x11d;
    }
    return [exp, log];
  })();

  function correction(data, count) {
    let generator = [1];
    for (let i = 0; i < count; i++) {
      const next = new Array(generator.length + 1).fill(0);
      generator.forEach((g, j) => {
        next[j] ^= g;
        if (g) next[j + 1] ^= EXP[LOG[g] + i];
      });
      generator = next;
    }
    const rest = [...data, ...new Array(count).fill(0)];
    for (let i = 0; i < data.length; i++) {
      const lead = rest[i];
      if (!lead) continue;
      generator.forEach((g, j) => { if (g) rest[i + j] ^= EXP[LOG[g] + LOG[lead]]; });
    }
    return rest.slice(data.length);
  }

  function codewords(text, bytes) {
    const bits = [];
    const push = (value, length) => { for (let i = length - 1; i >= 0; i--) bits.push((value >> i) & 1); };
    push(2, 4); // letters and digits
    push(text.length, 9);
    for (let i = 0; i < text.length; i += 2) {
      const first = LETTERS.indexOf(text[i]);
      if (i + 1 < text.length) push(45 * first + LETTERS.indexOf(text[i + 1]), 11);
      else push(first, 6);
    }
    if (bits.length > 8 * bytes) return null;
    push(0, Math.min(4, 8 * bytes - bits.length));
    while (bits.length % 8) bits.push(0);
    const words = [];
    for (let i = 0; i < bits.length; i += 8) words.push(parseInt(bits.slice(i, i + 8).join(""), 2));
    for (let pad = 0; words.length < bytes; pad ^= 1) words.push(pad ? 0x11 : 0xec);
    return words;
  }

  const MASKS = [
    (r, c) => (r + c) % 2, (r) => r % 2, (r, c) => c % 3, (r, c) => (r + c) % 3,
    (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2, (r, c) => ((r * c) % 2) + ((r * c) % 3),
    (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2, (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2,
  ];

  function formatBits(level, mask) {
    const data = (level << 3) | mask;
    let rest = data << 10;
    for (let i = 14; i >= 10; i--) if ((rest >> i) & 1) rest ^= 0x537 << (i - 10);
    return ((data << 10) | rest) ^ 0x5412;
  }

  function frame(version) {
    const size = 17 + 4 * version;
    const grid = Array.from({ length: size }, () => new Array(size).fill(null));
    const finder = (top, left) => {
      for (let r = -1; r <= 7; r++) for (let c = -1; c <= 7; c++) {
        if (grid[top + r]?.[left + c] === undefined) continue;
        const far = Math.max(Math.abs(r - 3), Math.abs(c - 3));
        grid[top + r][left + c] = far !== 2 && far !== 4;
      }
    };
    finder(0, 0); finder(0, size - 7); finder(size - 7, 0);
    if (version > 1) {
      const centre = size - 7;
      for (let r = -2; r <= 2; r++) for (let c = -2; c <= 2; c++) {
        grid[centre + r][centre + c] = Math.max(Math.abs(r), Math.abs(c)) !== 1;
      }
    }
    for (let i = 8; i < size - 8; i++) grid[6][i] = grid[i][6] = i % 2 === 0;
    for (let i = 0; i < 9; i++) { grid[8][i] ??= false; grid[i][8] ??= false; }
    for (let i = 0; i < 8; i++) { grid[8][size - 1 - i] = false; grid[size - 1 - i][8] = false; }
    grid[size - 8][8] = true;
    return grid;
  }

  function writeFormat(grid, level, mask) {
    const [size, bits] = [grid.length, formatBits(level, mask)];
    const bit = (i) => Boolean((bits >> i) & 1);
    for (let i = 0; i <= 5; i++) grid[i][8] = bit(i);
    grid[7][8] = bit(6); grid[8][8] = bit(7); grid[8][7] = bit(8);
    for (let i = 9; i < 15; i++) grid[8][14 - i] = bit(i);
    for (let i = 0; i < 8; i++) grid[8][size - 1 - i] = bit(i);
    for (let i = 8; i < 15; i++) grid[size - 15 + i][8] = bit(i);
  }

  function fill(version, level, words, mask) {
    const grid = frame(version);
    const size = grid.length;
    const bits = words.flatMap((w) => [7, 6, 5, 4, 3, 2, 1, 0].map((i) => (w >> i) & 1));
    let at = 0;
    for (let right = size - 1; right > 0; right -= 2) {
      if (right === 6) right = 5; // the column of the timing pattern
      for (let step = 0; step < size; step++) {
        const up = ((right + 1) & 2) === 0;
        const r = up ? size - 1 - step : step;
        for (const c of [right, right - 1]) {
          if (grid[r][c] !== null) continue;
          const bit = Boolean(bits[at++]); // past the end: 0
          grid[r][c] = bit !== (MASKS[mask](r, c) === 0);
        }
      }
    }
    writeFormat(grid, level, mask);
    return grid;
  }

  // The standard's penalties: long runs, blocks, patterns like a finder's, unbalance.
  function penalty(grid) {
    const size = grid.length;
    let sum = 0;
    const lines = [...grid, ...grid.map((_, c) => grid.map((row) => row[c]))];
    for (const line of lines) {
      const text = line.map((m) => (m ? "1" : "0")).join("");
      for (const run of text.match(/0{5,}|1{5,}/g) || []) sum += run.length - 2;
      for (const pattern of ["10111010000", "00001011101"]) {
        for (let i = text.indexOf(pattern); i >= 0; i = text.indexOf(pattern, i + 1)) sum += 40;
      }
    }
    for (let r = 0; r + 1 < size; r++) for (let c = 0; c + 1 < size; c++) {
      const four = grid[r][c] + grid[r][c + 1] + grid[r + 1][c] + grid[r + 1][c + 1];
      if (four === 0 || four === 4) sum += 3;
    }
    const dark = grid.flat().filter(Boolean).length / (size * size);
    return sum + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
  }

  function modules(text) {
    for (const [version, level, bytes, extra] of SIZES) {
      const data = codewords(text, bytes);
      if (!data) continue;
      const words = [...data, ...correction(data, extra)];
      const grids = MASKS.map((_, mask) => fill(version, level, words, mask));
      return grids.reduce((best, grid) => (penalty(grid) < penalty(best) ? grid : best));
    }
    return null;
  }

  return { modules };
})();
