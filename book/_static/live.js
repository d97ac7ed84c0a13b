// Cells that a reader can change and run in the page. Nothing is fetched before a reader asks.
"use strict";

(() => {
  const script = document.currentScript;
  const hidden = JSON.parse(document.getElementById("live-hidden")?.textContent || "[]");
  const cells = [];
  let worker = null; // Python at work; null before the first run and after a stop
  let done = []; // the text of each cell that this Python has run, in order from the first
  let waiting = null; // the run that is on its way: { cell, from, began }

  const FROM_DISK =
    "A page that is read from disk may not start Python. Read the book over HTTP (make serve), or on its website.";
  const NOT_THERE = "This copy of the book was built without Python for the browser.";
  const NO_NETWORK = "Python could not be fetched: there is no network, and this browser has not kept it.";
  const FORGOTTEN = "Stopped. Python has forgotten everything; the next run starts with the first cell.";

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  function button(text, onClick) {
    const element = make("button", { type: "button" }, text);
    element.addEventListener("click", onClick);
    return element;
  }

  // Python as the site's own code is coloured, by the classes of its style.
  const WORDS =
    "and|as|assert|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|not|or|pass|raise|return|try|while|with|yield|None|True|False";
  const TOKEN = new RegExp(
    `(?<c1>#.*)|(?<s2>[rbfu]{0,2}("""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\\\.|[^"\\\\\\n])*"?|'(?:\\\\.|[^'\\\\\\n])*'?))|(?<k>\\b(?:${WORDS})\\b)|(?<mf>\\b\\d[\\w.]*)|\\w+`,
    "g"
  );

  function coloured(line) {
    const parts = [];
    let from = 0;
    for (const match of line.matchAll(TOKEN)) {
      const kind = Object.keys(match.groups).find((name) => match.groups[name]);
      if (!kind) continue;
      parts.push(line.slice(from, match.index), make("span", { class: kind }, match[0]));
      from = match.index + match[0].length;
    }
    return [...parts, line.slice(from)];
  }

  class Cell {
    constructor(box, number) {
      this.box = box;
      this.number = number;
      this.input = box.querySelector(".cell_input");
      this.built = box.querySelector(".cell_output");
      this.original = this.ran = this.input.querySelector("pre").textContent.replace(/\n$/, "");
      this.hidden = hidden[number] || "";
      this.status = make("p", { class: "live-status", role: "status" });
      this.output = make("div", { class: "live-output", "aria-live": "polite" });
      this.open = button("Run and change", () => {
        this.edit();
        run(this);
      });
      this.open.setAttribute("aria-label", `Run and change code ${number + 1}`);
      this.row = make("div", { class: "live-buttons" }, this.open);
      this.input.after(this.row, this.status, this.output);
    }

    get text() {
      return this.area ? this.area.value : this.original;
    }

    edit() {
      const name = `Code ${this.number + 1}, to be changed`;
      this.area = make("textarea", { class: "live-code", "aria-label": name, spellcheck: "false", autocapitalize: "off" });
      this.area.value = this.original;
      this.area.addEventListener("input", () => this.colour());
      this.area.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.shiftKey || event.ctrlKey)) {
          event.preventDefault();
          run(this);
        }
      });
      this.drawn = make("pre", { "aria-hidden": "true" });
      this.editor = make("div", { class: "live-editor highlight" }, this.drawn, this.area);
      this.run = button("Run (Shift-Enter)", () => run(this));
      this.above = button("Run all above", () => run(cells[this.number - 1], true));
      this.stop = button("Stop", () => stop(FORGOTTEN));
      this.back = button("Back to the book's", () => this.close());
      this.stop.disabled = true;
      this.row.replaceChildren(this.run, ...(this.number ? [this.above] : []), this.stop, this.back, button("Save as notebook", save));
      if (this.hidden) {
        const lines = make("pre", {}, ...coloured(this.hidden));
        this.row.append(make("details", {}, make("summary", {}, "Lines that run before it"), make("div", { class: "highlight" }, lines)));
      }
      this.input.hidden = true;
      this.row.before(this.editor);
      this.colour();
      this.area.focus({ preventScroll: true });
    }

    // The code in colours, below the area that is typed in; it gives both their height.
    colour(wrong = null) {
      this.drawn.replaceChildren(...coloured(`${this.area.value}\n`));
      if (!wrong) return;
      const lines = this.area.value.split("\n");
      const [before, line] = [lines.slice(0, wrong - 1), lines[wrong - 1]];
      const mark = make("mark", {}, `${line}\n`);
      this.drawn.replaceChildren(...coloured(before.map((text) => `${text}\n`).join("")), mark, ...coloured(`${lines.slice(wrong).join("\n")}\n`));
      mark.scrollIntoView({ block: "nearest" });
    }

    close() {
      this.editor.remove();
      this.area = null;
      this.input.hidden = false;
      if (this.built) this.built.hidden = false;
      this.output.replaceChildren();
      this.status.textContent = "";
      this.row.replaceChildren(this.open);
      this.open.focus();
    }

    show({ shown, error, line }) {
      if (this.built) this.built.hidden = true;
      this.output.replaceChildren();
      for (const [kind, content] of shown) {
        const part = make(kind === "html" ? "div" : "pre");
        part[kind === "html" ? "innerHTML" : "textContent"] = content;
        this.output.append(part);
      }
      if (error) {
        if (!this.area) this.edit();
        this.colour(line);
        this.output.append(make("pre", { class: "live-error" }, error));
      }
    }
  }

  // The page's notebook with what the reader has made of its cells.
  async function save() {
    const root = document.documentElement.dataset.content_root || "./";
    const path = document.getElementById("live-hidden").dataset.notebook;
    const notebook = await (await fetch(new URL(`${root}_sources/${path}`, location))).json();
    const live = notebook.cells.filter((cell) => cell.cell_type === "code" && cell.metadata.tags?.includes("live"));
    live.forEach((cell, number) => (cell.source = cells[number].text));
    const file = new Blob([JSON.stringify(notebook, null, 1)], { type: "application/x-ipynb+json" });
    make("a", { href: URL.createObjectURL(file), download: path.split("/").pop() }).click();
  }

  function atWork(busy) {
    for (const cell of cells) {
      if (!cell.area) continue;
      cell.run.disabled = cell.above.disabled = cell.back.disabled = busy;
      cell.stop.disabled = !busy;
    }
  }

  function stop(words) {
    if (worker) worker.terminate();
    worker = null;
    done = [];
    if (waiting) waiting.cell.status.textContent = words;
    waiting = null;
    atWork(false);
  }

  // A fresh Python; the promise fails with a sentence.
  async function start() {
    if (location.protocol === "file:") throw new Error(FROM_DISK);
    let answer;
    try {
      answer = await fetch(new URL("python/runtime.json", script.src));
    } catch {
      throw new Error(NO_NETWORK);
    }
    if (!answer.ok) throw new Error(NOT_THERE);
    const about = await answer.json();
    worker = new Worker(new URL("live_worker.js", script.src), { type: "module" });
    worker.addEventListener("message", (event) => receive(event.data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      stop(`Python could not be started here: ${event.message || "the browser does not allow it"}.`);
    });
    worker.postMessage({ about });
  }

  // Runs this cell, and before it those above it that this Python has not run as they stand.
  async function run(cell, anew = false) {
    if (waiting) return;
    waiting = { cell, began: performance.now() };
    atWork(true);
    cell.status.textContent = "Running ..."; // at once: what an earlier run said is over
    cell.output.querySelector(".live-error")?.remove();
    try {
      if (!worker) await start();
    } catch (error) {
      stop(error.message);
      return;
    }
    if (waiting === null || worker === null) return; // stopped meanwhile
    let from = 0;
    while (!anew && from < cell.number && done[from] === cells[from].text) from += 1;
    done.length = from;
    waiting.from = from;
    const asked = cells.slice(from, cell.number + 1);
    worker.postMessage({
      cells: asked.map(({ number, hidden, text }) => ({ number, hidden, text })),
      sources: cells.map(({ text }) => text),
    });
  }

  function receive(message) {
    if (!waiting) return;
    const { cell, began, from } = waiting;
    if (message.failed) {
      const why = navigator.onLine ? `Python could not be started here: ${message.failed}.` : NO_NETWORK;
      stop(why);
    } else if (message.progress) {
      cell.status.textContent = message.progress;
    } else {
      const ran = cells[message.number];
      ran.show(message);
      if (!message.error) done[message.number] = ran.text;
      ran.status.textContent = "";
      if (!message.error && ran !== cell) return;
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const above = cell.number - from;
      cell.status.textContent = message.error
        ? ran === cell ? "Stopped by an error." : `Code ${message.number + 1} above stopped with an error, so this one was not run.`
        : `Run in your browser${above ? `, after the ${above} above it` : ""}, ${seconds} s.`;
      mark(from, ran.number, message.names);
      waiting = null;
      atWork(false);
    }
  }

  // What stands below and used a name that was changed above says so.
  function mark(from, upto, names) {
    const changed = new Set();
    cells.forEach((cell, number) => {
      const [sets, uses] = names[number];
      const late = uses.filter((name) => changed.has(name));
      const now = number <= upto;
      if (number >= from && now && cell.text !== cell.ran) sets.forEach((name) => changed.add(name));
      if (now) cell.ran = number < from ? cell.ran : cell.text;
      else if (late.length) {
        cell.status.textContent = `It uses ${late.join(", ")}, which changed above: run it again.`;
        sets.forEach((name) => changed.add(name));
      } else sets.forEach((name) => changed.delete(name));
    });
  }

  document.querySelectorAll(".cell.tag_live").forEach((box, number) => cells.push(new Cell(box, number)));
  const hint = "You can change this code and run it here, without installing anything. Shift-Enter runs it.";
  const first = cells.find((cell) => !cell.box.querySelector("details")) || cells[0]; // one that is not folded
  first?.row.before(make("p", { class: "live-status" }, hint));
})();
