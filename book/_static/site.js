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

function makeAllScrollable() {
  const article = document.querySelector(".bd-article") || document.body;
  article
    .querySelectorAll("pre, div.math, mjx-container, .output, .pst-scrollable-table-container, .scrolls")
    .forEach(makeScrollable);
}

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

// The meaning of a word: Escape puts it away; the first touch shows it, the second follows the link.
function makeTerm(term) {
  const reopen = () => term.classList.remove("closed", "open");
  term.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && reopen());
  term.addEventListener("focusout", reopen);
  term.firstElementChild.addEventListener("click", (event) => {
    if (event.pointerType !== "touch" || term.classList.contains("open")) return;
    event.preventDefault();
    term.classList.add("open");
  });
}
const terms = document.querySelectorAll(".term");
terms.forEach(makeTerm);
if (terms.length) {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") terms.forEach((term) => term.classList.add("closed"));
  });
}

// Under a chapter's trade-off there is a button: its points come alive, and what that takes is loaded then.
function addLiveFigure(figure) {
  const root = document.documentElement.dataset.content_root;
  const page = location.pathname.split("/").pop().replace(/\.html$/, "");
  const button = Object.assign(document.createElement("button"), { type: "button", className: "live-figure", textContent: "Take hold of the points" });
  const load = (name) => new Promise((done, failed) => {
    const script = Object.assign(document.createElement("script"), { src: `${root}_static/${name}`, onload: done, onerror: failed });
    document.head.append(script);
  });
  button.addEventListener("click", async () => {
    button.disabled = true;
    for (const name of ["widgets.js", "trade_off_data.js", "trade_off.js"]) await load(name);
    const place = Object.assign(document.createElement("div"), { className: "try trade-off" });
    button.replaceWith(place);
    if (globalThis.ppdmTradeOff.settings.some((setting) => setting.page === page)) place.dataset.page = page;
    else place.before("This chapter measures its axes in its own way; here are the points of the others.");
    globalThis.ppdmTakeHold();
    place.querySelector("input").focus({ preventScroll: true });
  });
  figure.after(button);
}
document.querySelectorAll('figure[id^="fig-trade-off"], figure[id^="fig-plane"]').forEach((figure, i) => i || addLiveFigure(figure));
