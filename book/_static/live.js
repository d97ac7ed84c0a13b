// Cells that a reader can change and run in the browser. Nothing is fetched before a reader asks.
"use strict";

(() => {
  const script = document.currentScript;
  const cells = [];
  let worker = null; // Python at work; null before the first run and after a stop
  let done = []; // the text of each cell that this Python has run
  let waiting = null; // the run that is on its way: { upto, from }

  const FROM_DISK =
    "A page that is read from disk may not start Python. Read the book over HTTP (make serve), or on its website.";
  const NOT_THERE = "This copy of the book was built without Python for the browser.";

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

  class Cell {
    constructor(box, number) {
      this.box = box;
      this.number = number;
      this.input = box.querySelector(".cell_input");
      this.built = box.querySelector(".cell_output");
      this.original = box.querySelector(".cell_input pre").textContent.replace(/\n$/, "");
      this.status = make("p", { class: "live-status", role: "status" });
      this.output = make("div", { class: "live-output", "aria-live": "polite" });
      this.open = button("Change and run", () => this.edit());
      this.open.setAttribute("aria-label", `Change and run code ${number + 1}`);
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
      this.area.addEventListener("input", () => this.fit());
      this.area.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.shiftKey || event.ctrlKey)) {
          event.preventDefault();
          run(this);
        }
      });
      this.run = button("Run", () => run(this));
      this.stop = button("Stop", () => stop("Stopped. Python has forgotten everything; the next run starts with the first cell."));
      this.stop.disabled = true;
      this.back = button("Back to the book's", () => this.close());
      this.input.hidden = true;
      this.row.replaceChildren(this.run, this.stop, this.back);
      this.row.before(this.area);
      this.fit();
      this.area.focus();
    }

    fit() {
      this.area.style.height = "auto";
      this.area.rows = Math.max(2, this.area.value.split("\n").length + 1);
      const frame = this.area.offsetHeight - this.area.clientHeight;
      const wrapped = this.area.scrollHeight > this.area.clientHeight; // long lines, on a phone
      if (wrapped) this.area.style.height = `${this.area.scrollHeight + frame}px`;
    }

    close() {
      this.area.remove();
      this.area = null;
      this.input.hidden = false;
      if (this.built) this.built.hidden = false;
      this.output.replaceChildren();
      this.status.textContent = "";
      this.row.replaceChildren(this.open);
      this.open.focus();
    }

    show(result) {
      if (!this.area) return;
      if (this.built) this.built.hidden = true;
      this.output.replaceChildren();
      if (result.printed) this.output.append(make("pre", {}, result.printed));
      if (result.html) this.output.append(make("div", {}));
      if (result.html) this.output.lastChild.innerHTML = result.html;
      if (result.text) this.output.append(make("pre", {}, result.text));
      if (result.error) this.output.append(make("pre", { class: "live-error" }, result.error));
    }
  }

  function atWork(busy) {
    for (const cell of cells) {
      if (!cell.area) continue;
      cell.run.disabled = busy;
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
  async function start(cell) {
    if (location.protocol === "file:") throw new Error(FROM_DISK);
    const folder = new URL("pyodide/", script.src);
    let about;
    try {
      about = await (await fetch(new URL("runtime.json", folder))).json();
    } catch {
      throw new Error(NOT_THERE);
    }
    cell.status.textContent = `Fetching Python ${about.python}, ${(about.bytes / 1e6).toFixed(0)} MB; it knows ${about.has.join(" and ")} ...`;
    worker = new Worker(new URL("live_worker.js", script.src), { type: "module" });
    worker.addEventListener("message", (event) => receive(event.data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      stop("Python could not be started here: " + (event.message || "the browser does not allow it") + ".");
    });
  }

  // Runs this cell, and before it those above it that this Python has not run as they stand.
  async function run(cell) {
    if (waiting) return;
    waiting = { cell };
    atWork(true);
    cell.status.textContent = "Running ..."; // at once: what an earlier run said is over
    cell.output.querySelector(".live-error")?.remove();
    try {
      if (!worker) await start(cell);
    } catch (error) {
      stop(error.message);
      return;
    }
    if (waiting === null || worker === null) return; // stopped meanwhile
    let from = 0;
    while (from < cell.number && done[from] === cells[from].text) from += 1;
    done.length = from;
    waiting.began = performance.now();
    worker.postMessage(cells.slice(from, cell.number + 1).map(({ number, text }) => ({ number, text })));
  }

  function receive(message) {
    if (!waiting) return;
    const { cell, began } = waiting;
    if (message.failed) {
      stop(`Python could not be started here: ${message.failed}.`);
      return;
    }
    if (message.ready) {
      cell.status.textContent = "Running ...";
      return;
    }
    done[message.number] = message.error ? undefined : cells[message.number].text;
    if (message.number === cell.number || message.error) {
      const other = message.number !== cell.number;
      if (other && !cells[message.number].area) cell.show(message);
      else cells[message.number].show(message);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      cell.status.textContent = other
        ? `Code ${message.number + 1} above stopped with an error, so this one was not run.`
        : `Run in your browser, ${seconds} s.`;
      waiting = null;
      atWork(false);
    }
  }

  document.querySelectorAll(".cell.tag_live").forEach((box, number) => cells.push(new Cell(box, number)));
})();
