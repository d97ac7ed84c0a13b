// The scoreboard, sorted and filtered; its address says how. Without this script all claims show, the main ones first.
"use strict";

(() => {
  const place = document.getElementById("filters");
  const table = document.querySelector("table.board");
  if (!place || !table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const place0 = new Map(rows.map((row, i) => [row, i]));
  const asked = new URLSearchParams(location.search);

  const label = (text, control) => {
    const element = document.createElement("label");
    element.append(text, control);
    return element;
  };
  const choice = (name, all, options) => {
    const select = Object.assign(document.createElement("select"), { name });
    select.append(new Option(all, ""), ...[...options].map(([value, text]) => new Option(text, value)));
    return select;
  };
  const seen = (key) => new Map(rows.map((row) => row.dataset[key]).filter(Boolean).map((value) => [value, value]));
  const papers = new Map(rows.map((row) => [row.dataset.paper, row.querySelector(".where").textContent]));
  const controls = {
    paper: choice("paper", "all papers", papers),
    verdict: choice("verdict", "all verdicts", seen("verdict")),
    rule: choice("rule", "whenever its rule was written", seen("rule")),
    words: Object.assign(document.createElement("input"), { type: "search", name: "words" }),
    main: Object.assign(document.createElement("input"), { type: "checkbox", name: "main", value: "1" }),
  };
  const count = document.createElement("output");
  const all = Object.assign(document.createElement("button"), { type: "button", textContent: `Show all ${rows.length} claims` });
  const form = document.createElement("form");
  form.className = "filters";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Filter the claims");
  form.append(label("Paper", controls.paper), label("Verdict", controls.verdict), label("Rule", controls.rule),
    label("Words", controls.words), label("Main claims only", controls.main), all, count);
  place.append(form);

  // Sorting: by a column's key, the other way round at the second click.
  const order = ["wrong", "a promise not kept", "not reproduced", "not supported"]; // what fails stands first, whatever else there is
  const keys = {
    book: (row) => place0.get(row),
    verdict: (row) => (order.indexOf(row.dataset.verdict) + 1 || 9) + row.dataset.verdict,
    same: (row) => (row.dataset.same === "" ? 2 : Number(row.dataset.same)), // what was not asked stands last
  };
  let sorted = { key: "book", down: false };
  function sort(key, down) {
    sorted = { key, down };
    const value = new Map(rows.map((row) => [row, keys[key](row)]));
    const sign = down ? -1 : 1;
    const before = (a, b) => (value.get(a) < value.get(b) ? -sign : value.get(a) > value.get(b) ? sign : place0.get(a) - place0.get(b));
    body.append(...[...rows].sort(before));
    for (const head of table.tHead.rows[0].cells) {
      if (head.dataset.key) head.setAttribute("aria-sort", head.dataset.key !== key ? "none" : down ? "descending" : "ascending");
    }
  }
  for (const head of table.tHead.rows[0].cells) {
    const { key } = head.dataset;
    if (!key) continue;
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: head.textContent });
    button.addEventListener("click", () => {
      sort(key, sorted.key === key && !sorted.down);
      remember();
    });
    head.replaceChildren(button);
  }

  function apply() {
    const { paper, verdict, rule, words, main } = controls;
    const wanted = words.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = wanted.length ? row.textContent.toLowerCase() : "";
      row.hidden = [["paper", paper], ["verdict", verdict], ["rule", rule]].some(([key, control]) => control.value && row.dataset[key] !== control.value)
        || (main.checked && !("main" in row.dataset)) || !wanted.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    all.disabled = shown === rows.length;
    count.value = `${shown} of ${rows.length} claims`;
  }

  // The address says what is shown, so that it can be sent to someone.
  function remember() {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    if (sorted.key !== "book" || sorted.down) query.set("sort", (sorted.down ? "-" : "") + sorted.key);
    if (!query.size) query.set("all", "1");
    try {
      history.replaceState(null, "", `?${query}`);
    } catch {
      // A page read from disk may not change its address.
    }
  }

  all.addEventListener("click", () => {
    form.reset();
    controls.main.checked = false;
    apply();
    remember();
    controls.paper.focus(); // the button is of no use now
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    apply();
    remember();
  });

  for (const [name, control] of Object.entries(controls)) {
    if (name === "main") control.checked = asked.has("main") || (!asked.size && !location.hash);
    else control.value = [...(control.options || [])].every((o) => o.value !== asked.get(name)) && control.options ? "" : asked.get(name) || "";
  }
  const by = /^(-?)(book|verdict|same)$/.exec(asked.get("sort") || "");
  sort(by ? by[2] : "book", Boolean(by && by[1]));
  apply();
  // A link to a claim opens it.
  const open = () => {
    const row = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row || !body.contains(row)) return;
    if (row.hidden) all.click();
    row.querySelector("details").open = true;
    row.scrollIntoView({ block: "center" });
  };
  window.addEventListener("hashchange", open);
  open();
})();
