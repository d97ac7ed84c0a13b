// Filters for the scoreboard: by paper, by verdict, by word. Without this script all claims show.
"use strict";

(() => {
  const place = document.getElementById("filters");
  const rows = [...document.querySelectorAll("table.claims tbody tr")];
  if (!place || !rows.length) return;

  const asked = new URLSearchParams(location.search);
  const sections = [...document.querySelectorAll("section")].filter(
    (section) => section.querySelector(":scope > table.claims"),
  );
  const paperNames = new Map(
    sections.map((section) => [
      section.querySelector("tbody tr").dataset.paper,
      section.querySelector("h2").firstChild.textContent.trim(),
    ]),
  );
  const verdicts = [...new Set(rows.map((row) => row.dataset.verdict))];

  function labelled(text, control) {
    const label = document.createElement("label");
    label.append(text, control);
    return label;
  }

  function choice(name, all, options) {
    const select = document.createElement("select");
    select.name = name;
    select.append(new Option(all, ""), ...options.map(([value, text]) => new Option(text, value)));
    if (options.some(([value]) => value === asked.get(name))) select.value = asked.get(name);
    return select;
  }

  const form = document.createElement("form");
  form.className = "filters";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Filter the claims");
  const paper = choice("paper", "all papers", [...paperNames]);
  const verdict = choice("verdict", "all verdicts", verdicts.map((v) => [v, v]));
  const words = document.createElement("input");
  words.type = "search";
  words.name = "words";
  words.value = asked.get("words") || "";
  const count = document.createElement("output");
  const clear = document.createElement("button");
  clear.type = "button";
  clear.textContent = "Show all claims";
  clear.addEventListener("click", () => {
    for (const control of [paper, verdict, words]) control.value = "";
    apply();
    remember();
    paper.focus(); // the button is of no use now
  });
  form.append(labelled("Paper", paper), labelled("Verdict", verdict), labelled("Words", words), clear, count);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    apply();
    remember();
  });
  place.append(form);

  function apply() {
    const wanted = words.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden =
        (paper.value && row.dataset.paper !== paper.value) ||
        (verdict.value && row.dataset.verdict !== verdict.value) ||
        !wanted.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    for (const section of sections) section.hidden = !section.querySelector("tbody tr:not([hidden])");
    clear.disabled = shown === rows.length;
    count.value = `${shown} of ${rows.length} claims`;
  }

  // The address says what is shown, so that it can be sent to someone.
  function remember() {
    const query = new URLSearchParams();
    for (const control of [paper, verdict, words]) {
      if (control.value) query.set(control.name, control.value);
    }
    const text = query.toString();
    try {
      history.replaceState(null, "", text ? `?${text}` : location.pathname);
    } catch {
      // A page read from disk may not change its address.
    }
  }

  apply();
})();
