// The respondent's side of a survey. Answers are disguised here, by the browser's own chance, and then
// forgotten: they are never sent, never stored, and gone from the page once the coins have fallen.
// `ppdm.survey.form` writes the plan; `ppdm.survey.codes` reads what this writes.
"use strict";

globalThis.ppdmSurvey = (() => {
  const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const MODULUS = 1021n;

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

  // Level numbers of answers to level numbers of reports, step after step of the plan.
  function disguise(steps, answers) {
    const reports = [...answers];
    for (const step of steps) {
      if (step.how === "matrix") {
        for (const a of step.attributes) reports[a] = pick(step.columns[a][answers[a]]);
      } else if (uniform() >= step.chance) {
        step.attributes.forEach((a, i) => {
          reports[a] = step.how === "flip" ? step.turned[i][answers[a]] : pick(step.others[i]);
        });
      }
    }
    return reports;
  }

  const letters = (value, length) =>
    Array.from({ length }, (_, i) => ALPHABET[Number((value >> BigInt(5 * (length - 1 - i))) & 31n)]).join("");
  const valueOf = (text) => [...text].reduce((v, c) => v * 32n + BigInt(ALPHABET.indexOf(c)), 0n);

  function encode(plan, reports, number) {
    if (number === undefined) {
      number = [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => ALPHABET[byte & 31]).join("");
    }
    const value = reports.reduce((v, level, i) => v * BigInt(plan.sizes[i]) + BigInt(level), 0n);
    const body = plan.sign + number + letters(value, plan.length);
    return (body + letters(valueOf(body) % MODULUS, 2)).match(/.{1,4}/g).join("-");
  }

  // The inverse, for a report that this device has kept.
  function decode(plan, code) {
    const text = code.replaceAll("-", "");
    if (text.length !== 11 + plan.length || !text.startsWith(plan.sign)) return null;
    if (valueOf(text.slice(0, -2)) % MODULUS !== valueOf(text.slice(-2))) return null;
    let value = valueOf(text.slice(9, -2));
    const reports = [];
    for (const size of [...plan.sizes].reverse()) {
      reports.unshift(Number(value % BigInt(size)));
      value /= BigInt(size);
    }
    return reports;
  }

  return { disguise, encode, decode };
})();

(() => {
  const source = document.getElementById("plan");
  if (!source) return;
  const plan = JSON.parse(source.textContent);
  const say = (key, values = {}) =>
    plan.strings[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  const KEPT = `ppdm-survey-${plan.fingerprint}`;
  const place = document.getElementById("survey");
  const told = document.getElementById("told");

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const kept = {
    read() { try { return localStorage.getItem(KEPT); } catch { return null; } },
    write(code) { try { localStorage.setItem(KEPT, code); return true; } catch { return false; } },
  };

  // ---- asking ------------------------------------------------------------------------------------

  function ask() {
    const form = make("form", { novalidate: "" });
    plan.attributes.forEach((attribute, a) => {
      const options = attribute.levels.map((level, i) => {
        const input = make("input", { type: "radio", name: `a${a}`, value: i, id: `a${a}-${i}`, autocomplete: "off" });
        return make("label", {}, input, level);
      });
      const hint = attribute.device ? [make("p", { class: "device" }, attribute.device), make("p", {}, say("give"))] : [];
      form.append(make("fieldset", {}, make("legend", {}, attribute.question), ...hint, ...options));
    });
    form.append(make("button", { type: "submit" }, say(plan.device ? "toss_device" : "toss")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      let answers = plan.attributes.map((_, a) => form.querySelector(`input[name=a${a}]:checked`)?.value);
      const missing = answers.findIndex((value) => value === undefined);
      if (missing >= 0) {
        told.textContent = say("unanswered", { question: plan.attributes[missing].question });
        form.querySelector(`input[name=a${missing}]`).focus();
        return;
      }
      answers = answers.map(Number);
      const reports = ppdmSurvey.disguise(plan.steps, answers);
      answers = null;
      form.reset();
      form.remove();
      const code = ppdmSurvey.encode(plan, reports);
      const stays = kept.write(code);
      const done = say(plan.device ? "done_device" : "done");
      show(code, reports, stays ? done : `${done} ${say("no_storage")}`);
    });
    place.replaceChildren(...plan.how.map((text) => make("p", { class: "how" }, text)), form);
  }

  // ---- what leaves the page ----------------------------------------------------------------------

  function picture(code) {
    const rows = ppdmQR.modules(code);
    if (!rows) return [];
    const size = rows.length + 8;
    const path = rows.map((row, r) => row.map((dark, c) => (dark ? `M${c + 4} ${r + 4}h1v1h-1z` : "")).join("")).join("");
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `QR: ${code}`, class: "qr" })) {
      svg.setAttribute(name, value);
    }
    svg.innerHTML = `<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/>`;
    return [svg];
  }

  function table(reports) {
    const rows = plan.attributes.map((attribute, a) => {
      const others = attribute.possible.filter((level) => level !== attribute.reports[reports[a]]);
      return make("tr", {}, make("th", { scope: "row" }, attribute.question),
        make("td", {}, make("strong", {}, attribute.reports[reports[a]])),
        make("td", {}, others.length ? others.join(", ") : say("nothing_else")));
    });
    const head = make("tr", {}, ...["question", "sent", "could_be"].map((key) => make("th", { scope: "col" }, say(key))));
    return make("table", {}, make("caption", {}, say("will_be_sent")), make("thead", {}, head), make("tbody", {}, ...rows));
  }

  function sender(code) {
    const button = make("button", { type: "button" }, say("send"));
    button.addEventListener("click", async () => {
      button.disabled = true;
      told.textContent = say("sending");
      try {
        const answer = await fetch(plan.post, {
          method: "POST", headers: { "Content-Type": "text/plain" }, body: code,
          credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store",
        });
        if (!answer.ok) throw new Error(String(answer.status));
        told.textContent = say("was_sent");
      } catch (error) {
        told.textContent = say("not_sent", { why: error.message });
        button.disabled = false;
      }
    });
    return button;
  }

  function show(code, reports, words) {
    const line = [code, ...reports.map((r, a) => plan.attributes[a].reports[r])].join("\t");
    const copy = make("button", { type: "button" }, say("copy"));
    copy.addEventListener("click", async () => {
      await navigator.clipboard?.writeText(line).then(() => { told.textContent = say("copied"); }, () => {});
    });
    const parts = [table(reports), make("p", {}, say("privacy_note"))];
    if (plan.post) parts.push(sender(code));
    parts.push(
      make("h2", {}, say("code")), make("p", { class: "code" }, code), ...picture(code),
      make("p", {}, say("code_note")),
      make("details", {}, make("summary", {}, say("line")), make("p", { class: "line" }, line), copy),
    );
    place.replaceChildren(...parts);
    told.textContent = words;
    told.focus();
  }

  if (!globalThis.crypto?.getRandomValues) {
    told.textContent = say("no_chance");
    return;
  }
  const before = kept.read();
  const reports = before && ppdmSurvey.decode(plan, before);
  if (reports) show(before, reports, say("again"));
  else ask();
})();
