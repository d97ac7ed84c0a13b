// The results page: sections that answer a query, what is only listed or handed out last. The index is in search_index.js.
"use strict";

globalThis.ppdmSearch = (() => {
  // Words as one types them: lower case, without endings; signs of mathematics and numbers stay.
  const stem = (word) => {
    if (word.length < 5 || /[^a-z]/.test(word)) return word;
    return word.replace(/(ies)$/, "y").replace(/(ing|ed|es|s|ly)$/, "");
  };
  const tokens = (text) =>
    (text.toLowerCase().normalize("NFKC").match(/[\p{L}]+|\d+(?:\.\d+)?/gu) || []).map(stem);
  const COMMON = new Set(("a about an and any are as at be been before by can come could did do does each else for from get give " +
    "had has have he her his how i if in into is it its kind make many may me mean means much must my need not of on one or other our out shall she should so some tell than that the their " +
    "them then there these they this to under up use used using want was way we were what when where which while who whose why will with would you your").split(" ").map(stem));

  function prepare({ sections, hints }) {
    const documents = sections.map(([page, anchor, title, heading, text, weight]) => {
      const counts = new Map();
      const body = tokens(text);
      for (const token of body) counts.set(token, (counts.get(token) || 0) + 1);
      return {
        page, anchor, title, heading, text, weight, counts, length: body.length,
        headingTokens: new Set(tokens(heading)), titleTokens: new Set(tokens(title)),
        flat: ` ${body.join(" ")} `, flatHeading: ` ${tokens(heading).join(" ")} `,
      };
    });
    const frequency = new Map();
    for (const d of documents) {
      for (const token of new Set([...d.counts.keys(), ...d.headingTokens])) {
        frequency.set(token, (frequency.get(token) || 0) + 1);
      }
    }
    const average = documents.reduce((sum, d) => sum + d.length, 0) / Math.max(1, documents.length);
    // Words of the index at the back of the book, by what they mean and not by how they are ordered.
    const listed = Object.entries(hints).map(([phrase, place]) => [tokens(phrase).filter((token) => !COMMON.has(token)), place]);
    return { documents, frequency, average, hints, listed };
  }

  function find(index, query, most = 40) {
    const all = tokens(query);
    const wanted = all.filter((token) => !COMMON.has(token));
    const asked = wanted.length ? wanted : all;
    if (!asked.length) return [];
    const total = index.documents.length;
    const phrase = ` ${all.join(" ")} `;
    const rarity = (token) => Math.log(1 + total / (1 + (index.frequency.get(token) || 0)));
    const sum = (some) => some.reduce((s, token) => s + rarity(token), 0);
    const bonus = new Map();
    for (const [words, place] of index.listed) {
      if (!words.length || !words.every((word) => asked.includes(word))) continue;
      const share = sum(words) / sum(asked); // how much of the question it is
      bonus.set(place, Math.max(bonus.get(place) || 0, 4 * share * sum(words)));
    }
    const hinted = index.hints[query.toLowerCase().trim().replace(/\s+/g, " ")];
    const scored = index.documents.map((d, i) => {
      let [score, matched] = [0, 0];
      for (const token of asked) {
        const times = d.counts.get(token) || 0;
        const inText = times / (times + 0.6 + 0.9 * (d.length / index.average));
        const here = inText + (d.headingTokens.has(token) ? 2.2 : 0) + (d.titleTokens.has(token) ? 0.8 : 0);
        if (here > 0) matched += 1;
        score += rarity(token) * here;
      }
      if (hinted === i) return { i, score: Infinity };
      score *= (matched / asked.length) ** 2;
      if (all.length > 1 && d.flat.includes(phrase)) score *= 1.6;
      if (d.flatHeading.includes(phrase)) score *= 1.8;
      return { i, score: score * d.weight + (bonus.get(i) || 0) };
    });
    return scored.filter(({ score }) => score > 0)
      .sort((a, b) => (a.score === b.score ? a.i - b.i : b.score - a.score))
      .slice(0, most).map(({ i, score }) => ({ ...index.documents[i], score }));
  }

  // Some words around the first place where most of the query stands.
  function snippet(text, query) {
    const asked = new Set(tokens(query).filter((token) => !COMMON.has(token)));
    const words = text.split(" ");
    const hits = words.map((word) => tokens(word).some((token) => asked.has(token)));
    let [best, at] = [0, 0];
    for (let i = 0; i < words.length; i += 4) {
      const here = hits.slice(i, i + 30).filter(Boolean).length;
      if (here > best) [best, at] = [here, i];
    }
    const start = Math.max(0, at - 4);
    return { before: start > 0, after: start + 34 < words.length,
      words: words.slice(start, start + 34).map((word, i) => [word, hits[start + i]]) };
  }

  return { prepare, find, snippet, tokens };
})();

document.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("search-results");
  if (!place || !globalThis.ppdmSearchIndex) return;
  const index = globalThis.ppdmSearch.prepare(globalThis.ppdmSearchIndex);
  const query = new URLSearchParams(location.search).get("q") || "";
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  for (const input of document.querySelectorAll('input[name="q"]')) input.value = query;
  if (!query.trim()) return;
  const found = globalThis.ppdmSearch.find(index, query);
  const heading = make("h2", {}, found.length ? `${found.length} sections` : "Nothing was found");
  const list = make("ol", { class: "found" });
  for (const section of found) {
    const to = `${section.page}?highlight=${encodeURIComponent(query)}#${section.anchor}`;
    const { before, after, words } = globalThis.ppdmSearch.snippet(section.text, query);
    const told = make("p", {}, before ? "… " : "");
    for (const [word, hit] of words) told.append(hit ? make("mark", {}, word) : word, " ");
    if (after) told.append("…");
    list.append(make("li", {},
      make("a", { href: to }, section.heading),
      section.title === section.heading ? "" : make("span", { class: "of" }, section.title),
      told));
  }
  const empty = "Try fewer words, or another one: the legend of symbols and the scoreboard list what the book calls things.";
  place.setAttribute("role", "status");
  place.replaceChildren(heading, found.length ? list : make("p", {}, empty));
});
