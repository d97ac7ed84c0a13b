// What every page needs and the theme lacks.
"use strict";

// A part of the page that scrolls sideways can be reached with the keyboard, and has a name.
function makeScrollable(element) {
  if (element.scrollWidth <= element.clientWidth + 1 || element.closest("[aria-hidden=true]")) return;
  if (!/auto|scroll/.test(getComputedStyle(element).overflowX)) return;
  element.tabIndex = 0;
  if (!element.hasAttribute("role") && !element.hasAttribute("aria-label")) {
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", "scrolls sideways");
  }
}

// Where a table is too wide, as on a phone, its rows become cards: each cell says what its column is, and the roles
// say that it is still a table.
const roles = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TH: "columnheader", TD: "cell" };
function makeCards(table) {
  const place = table.parentElement;
  const cards = table.matches(".stacked.carded"); // on a phone from the start
  if (table.matches(".claims") || table.hasAttribute("role") || !table.tHead) return;
  if (!cards && table.offsetWidth <= place.clientWidth + 1) return;
  const heads = [];
  for (const row of table.tHead.rows) {
    let column = 0;
    for (const head of row.cells) {
      for (let i = 0; i < head.colSpan; i++, column++) heads[column] = `${heads[column] || ""} ${head.textContent}`.trim();
    }
  }
  for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
    [...row.cells].forEach((cell, i) => {
      for (let below = row.nextElementSibling, n = 1; n < cell.rowSpan && below; n++, below = below.nextElementSibling) {
        const copy = cell.cloneNode(true);
        copy.rowSpan = 1;
        below.insertBefore(copy, below.cells[i] || null);
      }
      cell.rowSpan = 1;
      if (i && heads[i] && cell.textContent.trim()) cell.dataset.label = heads[i];
    });
  }
  for (const part of [table, ...table.querySelectorAll("thead, tbody, tr, th, td")]) part.setAttribute("role", roles[part.tagName]);
  table.querySelectorAll("tbody th").forEach((name) => name.setAttribute("role", "rowheader"));
  table.classList.add("carded");
}

function makeAllScrollable() {
  const article = document.querySelector(".bd-article") || document.body;
  if (innerWidth <= 700) article.querySelectorAll("table").forEach(makeCards);
  article
    .querySelectorAll("pre, div.math, mjx-container, .output, .pst-scrollable-table-container, .scrolls")
    .forEach(makeScrollable);
}

document.addEventListener("DOMContentLoaded", makeAllScrollable);
window.addEventListener("load", () => {
  const mathematics = window.MathJax && window.MathJax.startup && window.MathJax.startup.promise;
  Promise.resolve(mathematics).then(makeAllScrollable);
});
// The old address of a card that has moved to another page leads there.
function followMoved() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.dataset.moved) location.replace(target.dataset.moved);
}

window.addEventListener("DOMContentLoaded", followMoved);
window.addEventListener("hashchange", followMoved);
window.addEventListener("resize", makeAllScrollable);
window.addEventListener("scrollend", makeAllScrollable); // formulas are set when they come near

// Under chapter 5's planes there is a button: their points come alive, and what that takes is loaded then.
function addLiveFigure(figure) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "live-figure", textContent: "Take hold of the points" });
  const load = (name) => new Promise((done, failed) => {
    const src = `${document.documentElement.dataset.content_root}_static/${name}`;
    document.head.append(Object.assign(document.createElement("script"), { src, onload: done, onerror: failed }));
  });
  button.addEventListener("click", async () => {
    button.disabled = true;
    for (const name of ["widgets.js", "trade_off_data.js", "trade_off.js"]) await load(name);
    const place = Object.assign(document.createElement("div"), { className: "try trade-off" });
    button.replaceWith(place);
    globalThis.ppdmTakeHold();
    place.querySelector("input")?.focus({ preventScroll: true });
  });
  figure.after(button);
}
const planes = document.querySelector('figure[id^="fig-plane"]');
if (planes) addLiveFigure(planes);
