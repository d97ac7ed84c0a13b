// What the games share: small controls, and a number line that never cuts. No framework, no network.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  function draw(tag, attributes, text) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  const fixed = (number, digits = 2) =>
    number === Infinity ? "infinite" : number.toFixed(digits).replace("-", "−");
  const counted = (number) => number.toLocaleString("en");
  const percent = (number) => `${Math.round(100 * number)} %`;

  // A group of radio buttons; `onChange` gets the chosen value.
  function choice(legend, name, options, onChange) {
    const field = make("fieldset", {}, make("legend", {}, legend));
    const row = make("div", { class: "choices" });
    options.forEach(([value, text], i) => {
      const input = make("input", { type: "radio", name, value });
      input.checked = i === 0;
      input.addEventListener("change", () => onChange(value));
      row.append(make("label", {}, input, text));
    });
    field.append(row);
    return field;
  }

  // A slider with its name and its value; `show` words the value.
  function slider(id, name, { min, max, step, value }, show, onInput) {
    const label = make("label", { for: id }, name);
    const output = make("output", { for: id });
    const input = make("input", { type: "range", id, min, max, step });
    input.value = value;
    const tell = () => {
      output.value = show(Number(input.value));
      input.setAttribute("aria-valuetext", output.value);
    };
    input.addEventListener("input", () => {
      tell();
      onInput(Number(input.value));
    });
    tell();
    const box = make("div", { class: "slider" }, label, output, input);
    return { box, input, label, tell };
  }

  function button(text, onClick) {
    const element = make("button", { type: "button" }, text);
    element.addEventListener("click", onClick);
    return element;
  }

  // Round steps that cut a range into three to seven parts.
  function steps(low, high) {
    const rough = (high - low) / 5;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * unit).find((s) => s >= rough);
    const marks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9; i++) marks.push(i * step);
    return marks;
  }

  // A range that holds the possible shares, 0 to 1, and every value: nothing is cut at the frame.
  function rangeOf(values) {
    const finite = values.filter(Number.isFinite);
    const low = Math.min(0, ...finite);
    const high = Math.max(1, ...finite);
    const room = 0.06 * (high - low);
    return [low - room, high + room];
  }

  globalThis.ppdmWidgets = Object.freeze({
    make, draw, fixed, counted, percent, choice, slider, button, steps, rangeOf,
  });
})();
