// Chapter 5's planes, live: what is learned against what an attacker gets. Every point is one that the chapter
// measured (ppdm/book/site/trade_off.py); nothing is computed here but the frame around them.
"use strict";

(() => {
  const { make, draw, fixed, choice, slider, steps } = globalThis.ppdmWidgets;
  const LOOKS = 4; // of lines: see .scheme-0 and so on in site.css. Of more, only the chosen one has a look
  const RADIOS = 6; // of more, one chooses from a list

  const distinct = (values) => [...new Set(values)];
  const number = (value) => `${Number(value.toPrecision(4))}`.replace("-", "−");

  // A range that holds all of these values, with some room at both ends.
  function around(values) {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = 0.07 * (high - low || 0.1);
    return [low - room, high + room];
  }

  function tradeOff(place, told) {
    const { goals, knowledge, settings: here } = told;
    if (!here.length) return;
    // It opens on the data where schemes differ most, and looks closely: there the points fill the picture.
    const state = { set: "Breast Cancer", close: true };
    const box = { sets: make("div"), goals: make("div"), known: make("div"), learners: make("div"), schemes: make("div"), at: make("div") };
    const readings = make("dl", { class: "readings" });
    const said = make("p", { class: "said", role: "status" });
    const phone = matchMedia("(max-width: 700px)").matches;
    const [width, height] = phone ? [340, 320] : [480, 380];
    const [left, right, top, bottom] = [46, 12, 14, 44];
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "plane" });

    const ofSet = () => here.filter((s) => s.set === state.set);
    const attacked = (s) => (s.x[state.goal] || {})[state.known];
    const learned = (s) => s.y[state.learner];
    const shown = () => ofSet().filter((s) => attacked(s) && learned(s));
    const line = (scheme) => shown().filter((s) => s.scheme === scheme).sort((a, b) => a.at - b.at);
    const current = () => line(state.scheme)[state.index];
    const wordsOf = (s) => (s.axis ? `${s.axis} = ${number(s.at)}` : "its one setting");

    // What may be chosen after a choice; the reader's own choice stays where it can.
    function settle() {
      const keep = (name, known) => {
        if (!known.includes(state[name])) [state[name]] = known;
        return known;
      };
      const before = state.at;
      keep("set", distinct(here.map((s) => s.set)));
      const known = {
        goals: keep("goal", Object.keys(goals).filter((g) => ofSet().some((s) => g in s.x))),
        known: keep("known", Object.keys(knowledge).filter((k) => ofSet().some((s) => k in (s.x[state.goal] || {})))),
        learners: keep("learner", distinct(ofSet().filter(attacked).flatMap((s) => Object.keys(s.y)))),
      };
      known.schemes = keep("scheme", distinct(shown().map((s) => s.scheme)));
      const points = line(state.scheme);
      const middle = points[Math.floor((points.length - 1) / 2)].at;
      const wish = before === undefined ? middle : before;
      state.index = points.reduce((best, s, i) => (Math.abs(s.at - wish) < Math.abs(points[best].at - wish) ? i : best), 0);
      return known;
    }

    // A choice among several; what does not move anything is not offered.
    function offer(where, legend, name, values, word, note) {
      if (values.length < 2) {
        where.replaceChildren();
        return;
      }
      const chosen = (value) => {
        state[name] = value;
        update(name);
      };
      const field = values.length > RADIOS
        ? list(legend, name, values, word, chosen)
        : choice(legend, `trade-off-${name}`, values.map((v) => [v, word(v)]), chosen);
      field.querySelectorAll("input").forEach((input) => { input.checked = input.value === state[name]; });
      if (note) field.append(make("p", { class: "note" }, note));
      where.replaceChildren(field);
    }

    function list(legend, name, values, word, onChange) {
      const select = make("select", { id: `trade-off-${name}` }, ...values.map((v) => make("option", { value: v }, word(v))));
      select.value = state[name];
      select.addEventListener("change", () => onChange(select.value));
      return make("div", { class: "list" }, make("label", { for: select.id }, legend), select);
    }

    function offerSetting() {
      const points = line(state.scheme);
      if (points.length < 2) {
        box.at.replaceChildren(make("p", { class: "note" }, "This scheme was measured at one setting: there is nothing to move."));
        return;
      }
      const { axis } = points[0];
      const control = slider(
        "trade-off-at", `${axis}, of ${state.scheme}`,
        { min: 0, max: points.length - 1, step: 1, value: state.index },
        (i) => number(points[i].at),
        (i) => { state.index = i; state.at = points[i].at; show(); },
      );
      box.at.replaceChildren(control.box);
    }

    function frame() {
      const points = shown();
      const [, blind] = attacked(current()); 
      const [, undisguised] = learned(current());
      const [x0, x1] = around(points.flatMap((s) => attacked(s).slice(0, 2)));
      const [y0, y1] = around([...(state.close ? [] : [0.5]), ...points.flatMap(learned)]);
      const x = (v) => left + ((width - left - right) * (v - x0)) / (x1 - x0);
      const y = (v) => top + ((height - top - bottom) * (y1 - v)) / (y1 - y0);
      return { x, y, blind, undisguised, range: [x0, x1, y0, y1] };
    }

    function show() {
      const { x, y, blind, undisguised, range: [x0, x1, y0, y1] } = frame();
      const [xs, ys] = [(s) => x(attacked(s)[0]), (s) => y(learned(s)[0])];
      const parts = [];
      for (const mark of steps(x0, x1)) {
        parts.push(
          draw("line", { class: "grid", x1: x(mark), x2: x(mark), y1: top, y2: height - bottom }),
          draw("text", { x: x(mark), y: height - bottom + 16, "text-anchor": "middle", class: "soft" }, number(mark)));
      }
      for (const mark of steps(y0, y1)) {
        parts.push(
          draw("line", { class: "grid", x1: left, x2: width - right, y1: y(mark), y2: y(mark) }),
          draw("text", { x: left - 6, y: y(mark) + 4, "text-anchor": "end", class: "soft" }, number(mark)));
      }
      parts.push(
        draw("text", { x: width - right, y: height - 6, "text-anchor": "end" }, `the attacker ${goals[state.goal]} →`),
        draw("text", { x: 4, y: top - 2 }, "balanced accuracy ↑"));
      for (const [value, name] of [[undisguised, "undisguised"], [0.5, "majority class"]]) {
        if (value < y0) {
          parts.push(draw("text", { x: width - right - 2, y: height - bottom - 8, "text-anchor": "end", class: "soft" }, `${name} ${fixed(value, 3)} ↓`));
          continue;
        }
        parts.push(
          draw("line", { class: "truth", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
          draw("text", { x: width - right - 2, y: y(value) - 5, "text-anchor": "end", class: "soft" }, `${name} ${fixed(value, 3)}`));
      }
      parts.push(
        draw("line", { class: "truth", x1: x(blind), x2: x(blind), y1: top, y2: height - bottom }),
        draw("text", { x: x(blind) + 5, y: height - bottom - 4, class: "soft" }, `blind guess ${fixed(blind, 3)}`));
      const schemes = distinct(shown().map((s) => s.scheme));
      for (const chosen of [false, true]) { // the chosen line lies above the others
        schemes.forEach((scheme, i) => {
          if ((scheme === state.scheme) !== chosen) return;
          const points = line(scheme);
          const own = schemes.length <= LOOKS ? i : chosen ? 0 : "other";
          const look = `scheme-line scheme-${own}${chosen ? " chosen" : ""}`;
          if (points.length > 1) {
            parts.push(draw("path", { class: look, d: `M${points.map((s) => `${xs(s).toFixed(1)} ${ys(s).toFixed(1)}`).join("L")}` }));
          }
          for (const s of points) {
            const dot = draw("circle", { class: `dot ${look}`, cx: xs(s), cy: ys(s), r: chosen ? 4 : 3 });
            dot.append(draw("title", {}, `${scheme}, ${wordsOf(s)}`)); // where one points to it
            parts.push(dot);
            if (chosen && s.axis) parts.push(draw("text", { x: xs(s) + 7, y: ys(s) + 14, class: "soft" }, number(s.at)));
          }
        });
      }
      const now = current();
      parts.push(draw("circle", { class: "now", cx: xs(now), cy: ys(now), r: 8 }));
      svg.replaceChildren(...parts);
      tell(now, blind, undisguised);
    }

    function tell(now, blind, undisguised) {
      const [[right, , bound], [accuracy]] = [attacked(now), learned(now)];
      const least = bound ? "at least " : "";
      const lines = [
        ["Balanced accuracy", fixed(accuracy, 3)],
        ["undisguised", fixed(undisguised, 3)],
        ["majority class", fixed(0.5, 3)],
        [`The attacker ${goals[state.goal]}`, least + fixed(right, 3)],
        ["blind guess", fixed(blind, 3)],
      ];
      readings.replaceChildren(...lines.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
      const what = `${now.set}, ${now.scheme}, ${wordsOf(now)}`;
      svg.setAttribute("aria-label",
        `${what}: balanced accuracy ${fixed(accuracy, 3)}; ${fixed(0.5, 3)} for the majority class, ` +
        `${fixed(undisguised, 3)} undisguised; the attacker ${goals[state.goal]} in ${least}${fixed(right, 3)} of cases, ` +
        `blind in ${fixed(blind, 3)}.`);
      const evidence = make("a", { href: `#${now.link}` }, "its figure");
      said.replaceChildren(
        make("strong", {}, `${what}. `), better(now), " Here is ", evidence, ".");
    }

    // Is another point at least as good on both axes? Then this one need not be chosen.
    function better(now) {
      const [x, y] = [(s) => attacked(s)[0], (s) => learned(s)[0]];
      const others = shown().filter((s) => s !== now && x(s) <= x(now) && y(s) >= y(now) && (x(s) < x(now) || y(s) > y(now)));
      if (!others.length) return "No measured point teaches as much and tells the attacker less.";
      const best = others.reduce((a, b) => (y(b) - x(b) > y(a) - x(a) ? b : a));
      return `Better on both axes: ${best.scheme}, ${wordsOf(best)} ` +
        `(accuracy ${fixed(y(best), 3)}, attacker ${fixed(x(best), 3)}).`;
    }

    // The nearest measured point to the pointer, on whichever line it lies.
    function grab(event) {
      const area = svg.getBoundingClientRect();
      const unit = width / area.width;
      const [px, py] = [(event.clientX - area.left) * unit, (event.clientY - area.top) * unit];
      const { x, y } = frame();
      const far = (s) => Math.hypot(x(attacked(s)[0]) - px, y(learned(s)[0]) - py);
      const nearest = shown().reduce((a, b) => (far(b) < far(a) ? b : a));
      if (nearest === current()) return;
      Object.assign(state, { scheme: nearest.scheme, at: nearest.at });
      update("pointer");
    }
    svg.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse") svg.setPointerCapture(event.pointerId);
      grab(event);
    });
    svg.addEventListener("pointermove", (event) => {
      if (event.buttons) grab(event);
    });

    // Only what depends on the control that moved is made anew: the keyboard stays where it is.
    function update(moved) {
      const known = settle();
      if (!moved) offer(box.sets, "Data set", "set", distinct(here.map((s) => s.set)), String);
      if (moved !== "goal") offer(box.goals, "The attacker", "goal", known.goals, (g) => goals[g]);
      if (moved !== "known") {
        offer(box.known, "What he knows", "known", known.known, (k) => knowledge[k], "What he is after and what he knows move the points sideways alone.");
      }
      if (moved !== "learner") {
        offer(box.learners, "The learner", "learner", known.learners, String,
          "It moves the point up and down alone: the attacker reads the reports, not what was learned from them.");
      }
      if (moved !== "scheme") {
        offer(box.schemes, "The scheme", "scheme", known.schemes, String);
        if (known.schemes.length <= LOOKS) box.schemes.querySelectorAll("label").forEach((label, i) => {
          label.querySelector("input").after(make("span", { class: `swatch scheme-${i}`, "aria-hidden": "true" }));
        });
      }
      offerSetting();
      show();
    }

    const closer = make("input", { type: "checkbox" });
    closer.checked = state.close;
    closer.addEventListener("change", () => { state.close = closer.checked; show(); });
    const look = make("label", { class: "closer" }, closer, " look closer: the line of the majority class may leave the picture");
    const choices = make("div", { class: "columns" }, make("div", {}, box.sets, box.learners, box.goals), make("div", {}, box.known, box.schemes));
    place.append(
      phone ? make("details", {}, make("summary", {}, "Choose the data, the attacker and the scheme"), choices) : choices,
      make("div", { class: "scene" }, make("div", {}, svg, look, box.at), make("div", {}, said, readings)),
    );
    update();
  }

  const takeHold = () => document.querySelectorAll(".trade-off:empty").forEach((place) => tradeOff(place, globalThis.ppdmTradeOff));
  globalThis.ppdmTakeHold = takeHold;
  takeHold();
})();
