// The respondent's side of a survey. Answers are disguised here, by the browser's own chance, and then
// forgotten: they are never sent, never stored, and gone from the page once the coins have fallen.
// `ppdm.survey.form` writes the page and the plan; `ppdm.survey.codes` reads what this writes.
"use strict";

globalThis.ppdmSurvey = (() => {
  const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const MODULUS = 1021n;
  const [SURVEY, NUMBER, CHECK] = [3, 8, 2];

  // A number from 0 to 1, of 53 bits, as numpy draws them.
  function uniform() {
    const [high, low] = crypto.getRandomValues(new Uint32Array(2));
    return ((high >>> 5) * 67108864 + (low >>> 6)) / 9007199254740992;
  }

  function pick(chances) {
    let left = uniform();
    for (let i = 0; i < chances.length - 1; i++) {
      left -= chances[i];
      if (left < 0) return i;
    }
    return chances.length - 1;
  }

  // Numbers of answers to numbers of reports. A step is a coin that some questions share: with its chance they
  // stay as they are, else each answer is replaced by the column that stands for it.
  function disguise(steps, answers) {
    const reports = [...answers];
    for (const { chance, questions, columns } of steps) {
      if (uniform() < chance) continue;
      questions.forEach((q, i) => { reports[q] = pick(columns[i][answers[q]]); });
    }
    return reports;
  }

  const letters = (value, length) =>
    Array.from({ length }, (_, i) => ALPHABET[Number((value >> BigInt(5 * (length - 1 - i))) & 31n)]).join("");
  const valueOf = (text) => [...text].reduce((v, c) => v * 32n + BigInt(ALPHABET.indexOf(c)), 0n);

  function encode(plan, reports) {
    const number = [...crypto.getRandomValues(new Uint8Array(NUMBER))].map((byte) => ALPHABET[byte & 31]).join("");
    const value = reports.reduce((v, level, i) => v * BigInt(plan.sizes[i]) + BigInt(level), 0n);
    const body = plan.sign + number + letters(value, plan.length);
    return (body + letters(valueOf(body) % MODULUS, CHECK)).match(/.{1,4}/g).join("-");
  }

  // The inverse, for a report that this device has kept.
  function decode(plan, code) {
    const text = code.replaceAll("-", "");
    if (text.length !== SURVEY + NUMBER + plan.length + CHECK || !text.startsWith(plan.sign)) return null;
    if (valueOf(text.slice(0, -CHECK)) % MODULUS !== valueOf(text.slice(-CHECK))) return null;
    let value = valueOf(text.slice(SURVEY + NUMBER, -CHECK));
    const reports = [];
    for (const size of [...plan.sizes].reverse()) {
      reports.unshift(Number(value % BigInt(size)));
      value /= BigInt(size);
    }
    return reports;
  }

  return { pick, disguise, encode, decode };
})();

(() => {
  const plan = JSON.parse(document.getElementById("plan").textContent);
  const part = (id) => document.getElementById(id);
  const tell = (key, values = {}) => {
    part("status").textContent = plan.say[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  };
  const KEY = `ppdm-survey-${plan.survey}`;
  const memory = {
    read() { try { return localStorage.getItem(KEY) ?? ""; } catch { return ""; } },
    write(code) { try { localStorage.setItem(KEY, code); return true; } catch { return false; } },
    forget() { try { localStorage.removeItem(KEY); } catch { /* nothing was kept */ } },
  };
  const seat = document.querySelector("#seat input");
  if (seat) seat.value = location.hash.slice(1);

  // Where a device asks in several ways, chance says in which: the others leave the page.
  function ask() {
    document.querySelectorAll("fieldset").forEach((field, q) => {
      const way = ppdmSurvey.pick(plan.ways[q]);
      [...field.querySelectorAll(".way")].forEach((element, w) => { if (w !== way) element.remove(); });
    });
    part("ask").hidden = false;
    part("status").textContent = "";
  }

  part("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    let answers = plan.ways.map((_, q) => form.querySelector(`input[name=a${q}]:checked`)?.value);
    const missing = answers.indexOf(undefined);
    if (missing >= 0) {
      tell("unanswered", { question: document.querySelectorAll("legend")[missing].textContent });
      form.querySelector(`input[name=a${missing}]`).focus();
      return;
    }
    answers = answers.map(Number);
    const reports = ppdmSurvey.disguise(plan.steps, answers);
    answers = null;
    form.reset();
    const code = ppdmSurvey.encode(plan, reports);
    hand(code, reports, memory.write(code) ? "done" : "no_storage");
  });

  // The report is sent as soon as the coins have fallen, and shown afterwards: nobody picks her coin.
  function hand(code, reports, key) {
    part("ask").remove();
    part("done").hidden = false;
    part("code").textContent = code;
    const picture = qrcode(0, "M");
    picture.addData(code, "Alphanumeric");
    picture.make();
    part("picture").innerHTML = picture.createSvgTag({ scalable: true, cellSize: 4, title: `QR: ${code}` });
    document.querySelectorAll("#report tbody tr").forEach((row, q) => {
      row.querySelector("strong").textContent = plan.labels[q][reports[q]];
      row.lastElementChild.textContent = plan.others[q][reports[q]];
    });
    part("line").textContent = [code, ...reports.map((y, q) => plan.reports[q][y])].join("\t");
    tell(key);
    part("status").focus();
    if (!plan.post) return;
    part("send").addEventListener("click", () => send(code));
    send(code);
  }

  async function send(code) {
    part("report").hidden = part("send").hidden = true;
    tell("sending");
    try {
      const answer = await fetch(plan.post, {
        method: "POST", headers: { "Content-Type": "text/plain" }, body: seat ? `${code}\n${seat.value}` : code,
        credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store",
      });
      if (!answer.ok) throw new Error((await answer.text()).trim() || answer.status);
      tell("was_sent");
      part("seat")?.remove();
      part("report").hidden = false;
    } catch (error) {
      tell("not_sent", { why: error.message });
      part("send").hidden = false;
    }
  }

  part("copy").addEventListener("click", async () => {
    const range = document.createRange();
    range.selectNodeContents(part("line"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    try {
      await navigator.clipboard.writeText(part("line").textContent);
      tell("copied");
    } catch {
      tell("marked"); // without https there is no clipboard: the line is marked, to be copied by hand
    }
  });
  part("forget").addEventListener("click", () => { memory.forget(); location.reload(); });

  if (!globalThis.crypto?.getRandomValues) tell("no_chance");
  else {
    const code = memory.read(), reports = ppdmSurvey.decode(plan, code);
    if (reports) hand(code, reports, "again");
    else ask();
  }
})();
