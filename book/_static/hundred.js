// The primer's explorable: a hundred people with hidden coins, then many more, then the collector's
// side of the table. Its numbers are those of formulas.js, which tests hold against `ppdm`.
"use strict";

(() => {
  const F = globalThis.ppdmFormulas;
  const { make, draw, fixed, counted, percent, choice, slider, button, steps, rangeOf } =
    globalThis.ppdmWidgets;
  const PEOPLE = 100;
  const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  const yes = (value) => (value ? "yes" : "no");

  // The interval that a survey would report: the error is taken from the reports, kept off 0 where
  // all agree.
  function estimateOf(theta, saidYes, n) {
    const channel = F.warner(theta);
    const raw = saidYes / n;
    const gain = Math.abs(channel[1] - channel[0]);
    if (gain < 1e-9) return { raw, undone: NaN, half: NaN };
    const error = F.standardError([0, 1], (saidYes + 1) / (n + 2), n) / gain;
    return { raw, undone: F.undo(channel, raw), half: 1.96 * error };
  }

  // ---- the number line -------------------------------------------------------------------------

  // Shares on a line: the truth, what is said, what is undone, and earlier estimates as ghosts. The line always
  // reaches from -0.5 to 1.5, so that a wider interval looks wider; what lies beyond stands at its end, with an arrow.
  // The part from 0 to 1, where shares can be, is marked.
  function numberLine() {
    const [width, height, left, right] = [360, 150, 14, 14];
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "number-line" });

    function show({ truth, raw, undone, half, ghosts }) {
      const [low, high] = [-0.5, 1.5];
      const x = (value) => left + ((width - left - right) * (Math.min(high, Math.max(low, value)) - low)) / (high - low);
      const parts = [
        draw("rect", { class: "possible", x: x(0), y: 26, width: x(1) - x(0), height: 90 }),
        draw("text", { x: x(0.5), y: 18, "text-anchor": "middle", class: "soft" }, "possible shares"),
      ];
      for (const mark of steps(low, high)) {
        parts.push(
          draw("line", { class: "grid", x1: x(mark), x2: x(mark), y1: 26, y2: 116 }),
          draw("text", { x: x(mark), y: 132, "text-anchor": "middle", class: "soft" },
            `${Number(mark.toPrecision(3))}`.replace("-", "−")),
        );
      }
      parts.push(draw("line", { class: "truth", x1: x(truth), x2: x(truth), y1: 26, y2: 116 }));
      const label = (value, y, text, kind) => {
        const at = x(value);
        const anchor = at > width * 0.62 ? "end" : "start";
        const shift = anchor === "end" ? -9 : 9;
        parts.push(draw("text", { x: at + shift, y: y + 4, "text-anchor": anchor, class: kind }, text));
      };
      for (const ghost of ghosts) {
        parts.push(draw("circle", { class: "ghost", cx: x(ghost), cy: 98, r: 4 }));
      }
      if (raw !== undefined) {
        parts.push(draw("circle", { class: "raw", cx: x(raw), cy: 42, r: 6 }));
        label(raw, 42, `say yes ${fixed(raw)}`, "raw-label");
      }
      if (Number.isFinite(undone)) {
        const middle = Math.min(width - 55, Math.max(55, x(undone)));
        parts.push(
          draw("line", { class: "line-1", x1: x(undone - half), x2: x(undone + half), y1: 82, y2: 82 }),
          draw("circle", { class: "undone", cx: x(undone), cy: 82, r: 6 }),
          draw("text", { x: middle, y: 72, "text-anchor": "middle", class: "undone-label" }, `undone ${fixed(undone)}`),
        );
        if (undone - half < low) parts.push(draw("text", { x: 0, y: 86, class: "beyond" }, "◂"));
        if (undone + half > high) parts.push(draw("text", { x: width, y: 86, "text-anchor": "end", class: "beyond" }, "▸"));
      }
      label(truth, 110, `truth ${fixed(truth)}`, "soft");
      svg.replaceChildren(...parts);
      const told = [`truth ${fixed(truth)}`];
      if (raw !== undefined) told.push(`share who say yes ${fixed(raw)}`);
      if (Number.isFinite(undone)) {
        told.push(`undone ${fixed(undone)}, 95 % interval ${fixed(undone - half)} to ${fixed(undone + half)}`);
      }
      svg.setAttribute("aria-label", `A line of shares: ${told.join("; ")}.`);
    }

    return { svg, show };
  }

  // ---- a hundred faces -------------------------------------------------------------------------

  function faces(onLook) {
    const svg = draw("svg", {
      viewBox: "0 0 300 300", class: "faces", tabindex: 0, role: "application",
      "aria-label": "A hundred people. Arrow keys look at one of them.",
    });
    const people = Array.from({ length: PEOPLE }, (_, i) => {
      const [cx, cy] = [15 + 30 * (i % 10), 15 + 30 * Math.floor(i / 10)];
      const person = draw("g", { class: "person" });
      const mouth = draw("path", { class: "mouth", d: `M${cx - 4} ${cy + 4}h8` }); // no answer has a face
      person.append(
        draw("circle", { class: "head", cx, cy, r: 11 }),
        draw("circle", { class: "eye", cx: cx - 4, cy: cy - 3, r: 1.4 }),
        draw("circle", { class: "eye", cx: cx + 4, cy: cy - 3, r: 1.4 }),
        mouth,
        draw("text", { class: "turned", x: cx + 13, y: cy - 6, "text-anchor": "end" }, "↺"),
      );
      person.addEventListener("pointerenter", () => look(i));
      person.addEventListener("click", () => look(i));
      svg.append(person);
      return person;
    });
    let at = 0;

    function look(i) {
      people[at].classList.remove("looked-at");
      at = i;
      people[at].classList.add("looked-at");
      onLook(i);
    }

    svg.addEventListener("keydown", (event) => {
      const move = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 10, ArrowUp: -10 }[event.key];
      if (move === undefined) return;
      event.preventDefault();
      look((at + move + PEOPLE) % PEOPLE);
    });

    // `said`: null before they are asked.
    function show(said, turned, coinsShown) {
      people.forEach((person, i) => {
        const answer = said === null ? null : said[i];
        person.classList.toggle("says-yes", answer === 1);
        person.classList.toggle("says-no", answer === 0);
        person.classList.toggle("was-turned", coinsShown && answer !== null && turned[i]);
      });
    }

    return { svg, show };
  }

  function hundred(place) {
    const front = place.classList.contains("front"); // on the front page they have been asked once, and there is less to set
    const state = { theta: 0.7, share: 0.3, asked: front, guess: 50, ghosts: [], coins: false, behind: null };
    let coins = [];
    let order = [];
    const toss = () => {
      coins = Array.from({ length: PEOPLE }, Math.random);
      order = Array.from({ length: PEOPLE }, (_, i) => i);
      for (let i = PEOPLE - 1; i > 0; i--) {
        const j = Math.floor(Math.random() * (i + 1));
        [order[i], order[j]] = [order[j], order[i]];
      }
    };
    toss();
    // Everybody keeps her coin's throw while θ moves: answers turn one by one, none at random.
    const truthOf = (i) => Number(order[i] < Math.round(state.share * PEOPLE));
    const turnedOf = (i) => !(coins[i] < state.theta);
    const saidOf = (i) => (turnedOf(i) ? 1 - truthOf(i) : truthOf(i));
    const all = (f) => Array.from({ length: PEOPLE }, (_, i) => f(i));

    const line = numberLine();
    const told = make("p", { class: "said", role: "status" });
    const one = make("p", { class: "one" });
    // What stands behind the face that was looked at last: it changes with her coin, and with what is asked.
    function lookBehind() {
      const i = state.behind;
      if (i === null) one.textContent = "Point at a face, or use the arrow keys, to see behind it.";
      else if (!state.asked) one.textContent = `She ${truthOf(i) ? "has cheated" : "has not cheated"}. Nobody has asked her yet.`;
      else {
        one.textContent = `Only you can see: she ${truthOf(i) ? "has cheated" : "has not cheated"}, her coin said ` +
          `“${turnedOf(i) ? "opposite" : "truth"}”, so she says ${yes(saidOf(i))}.`;
      }
    }
    const crowd = faces((i) => {
      state.behind = i;
      lookBehind();
    });

    function update() {
      lookBehind();
      const said = state.asked ? all(saidOf) : null;
      crowd.show(said, all(turnedOf), state.coins);
      if (!said) {
        line.show({ truth: state.share, undone: NaN, half: NaN, ghosts: state.ghosts });
        told.textContent = `Of these hundred, ${Math.round(100 * state.share)} have cheated. How many will say yes?`;
        return null;
      }
      const count = said.reduce((a, b) => a + b, 0);
      const found = estimateOf(state.theta, count, PEOPLE);
      line.show({ truth: state.share, ghosts: state.ghosts, ...found });
      const sentence = Number.isFinite(found.undone)
        ? `Undone: ${fixed(found.undone)}, with a 95 % interval from ${fixed(found.undone - found.half)} to ${fixed(found.undone + found.half)}.`
        : "At θ = 0.5 the answers have nothing to do with the truth: there is nothing to undo.";
      told.textContent = `${count} of 100 say yes; ${Math.round(100 * state.share)} have cheated. ${sentence}`;
      return found;
    }

    function ask() {
      const before = state.asked ? update() : null;
      if (before && Number.isFinite(before.undone)) state.ghosts = [...state.ghosts, before.undone].slice(-20);
      if (state.asked) toss();
      const first = !state.asked;
      state.asked = true;
      asker.textContent = "Ask again, with new coins";
      guess.box.hidden = true;
      update();
      if (first) { // with a guess to compare
        const expected = 100 * F.shareOfYes(F.warner(state.theta), state.share);
        told.textContent = `You expected ${state.guess}. ${told.textContent} ` +
          `(On average ${Math.round(expected)} say yes at this θ.)`;
      }
    }

    const theta = slider(
      "hundred-theta", "θ, the chance that a coin says “truth”",
      { min: 0, max: 1, step: 0.05, value: state.theta }, fixed,
      (value) => { state.theta = value; update(); },
    );
    const share = slider(
      "hundred-share", "Share of those who have cheated",
      { min: 0, max: 1, step: 0.05, value: state.share }, percent,
      (value) => { state.share = value; state.ghosts = []; update(); },
    );
    const guess = slider(
      "hundred-guess", "First, your guess: how many of the hundred will say yes?",
      { min: 0, max: 100, step: 1, value: state.guess }, String,
      (value) => { state.guess = value; },
    );
    const asker = button(front ? "Ask again, with new coins" : "Ask the hundred", ask);
    const show = make("input", { type: "checkbox", id: "hundred-coins" });
    show.addEventListener("change", () => { state.coins = show.checked; update(); });

    const marks = make("label", {}, show, "mark the answers that were turned (↺)");
    guess.box.hidden = front;
    place.append(
      make("div", { class: "scene" },
        make("div", {}, theta.box, guess.box, make("div", { class: "choices" }, asker, ...(front ? [] : [marks])), line.svg, told),
        make("div", {}, crowd.svg, one),
      ),
      ...(front ? [] : [share.box]),
    );
    update();
  }

  // ---- many more -------------------------------------------------------------------------------

  const LARGEST = 100000;

  function manyMore(place) {
    const phone = matchMedia("(max-width: 700px)").matches; // the letters keep their size
    const [width, height, left, bottom, top] = [phone ? 340 : 640, phone ? 260 : 300, 46, 34, 12];
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    const told = make("p", { class: "said", role: "status" });
    const state = { theta: 0.7, share: 0.3, ghosts: [], points: [], channel: F.warner(0.7), stop: () => {} };
    const x = (n) => left + ((width - left - 14) * (Math.log10(n) - 1)) / 4;

    function show() {
      const { points, ghosts } = state;
      const values = [...points.flatMap((p) => [p.undone - p.half, p.undone + p.half]), ...ghosts.flat().map((p) => p.undone)];
      const [low, high] = rangeOf(values);
      const y = (share) => top + ((height - top - bottom) * (high - share)) / (high - low);
      const path = (some, pick) => some.map((p) => `${x(p.n).toFixed(1)} ${y(pick(p)).toFixed(1)}`);
      const parts = [draw("rect", { class: "possible", x: left, y: y(1), width: width - left - 14, height: y(0) - y(1) })];
      for (const n of [10, 100, 1000, 10000, LARGEST]) {
        parts.push(draw("line", { class: "grid", x1: x(n), x2: x(n), y1: top, y2: height - bottom }));
        if (phone && (n === 100 || n === 10000)) continue; // no room for their labels
        parts.push(draw("text", { x: x(n), y: height - bottom + 17, "text-anchor": n === LARGEST ? "end" : "middle" }, counted(n)));
      }
      for (const mark of steps(low, high)) {
        parts.push(
          draw("line", { class: "grid", x1: left, x2: width - 14, y1: y(mark), y2: y(mark) }),
          draw("text", { x: left - 6, y: y(mark) + 4, "text-anchor": "end" }, `${Number(mark.toPrecision(3))}`.replace("-", "−")),
        );
      }
      for (const ghost of ghosts) parts.push(draw("path", { class: "ghost-line", d: `M${path(ghost, (p) => p.undone).join("L")}` }));
      if (points.length) {
        const upper = path(points, (p) => p.undone + p.half);
        const lower = path(points, (p) => p.undone - p.half).reverse();
        parts.push(
          draw("path", { class: "band-1", d: `M${[...upper, ...lower].join("L")}Z` }),
          draw("path", { class: "line-1", d: `M${path(points, (p) => p.undone).join("L")}` }),
          draw("path", { class: "line-2", d: `M${path(points, (p) => p.raw).join("L")}` }),
        );
        const last = points[points.length - 1];
        if (last.n === LARGEST) {
          const apart = Math.abs(y(last.raw) - y(last.undone)) > 30;
          parts.push(
            draw("text", { x: width - 18, y: y(last.undone) + (apart ? 18 : 22), "text-anchor": "end", class: "undone-label" }, "undone, with its 95 % band"),
            draw("text", { x: width - 18, y: y(last.raw) - 8, "text-anchor": "end", class: "raw-label" }, "share who say yes"),
          );
        }
      }
      parts.push(
        draw("path", { class: "truth", d: `M${x(10)} ${y(state.share)}H${x(LARGEST)}` }),
        draw("text", { x: x(10) + 4, y: y(state.share) - 5, class: "soft" }, "truth"),
        draw("text", { x: left, y: height - 2 }, "people asked"),
      );
      svg.replaceChildren(...parts);
    }

    function say(text) {
      told.textContent = text;
      svg.setAttribute("aria-label", text);
    }

    function keepGhost() {
      if (state.points.length) state.ghosts = [...state.ghosts, state.points].slice(-5);
      state.points = [];
    }

    function ask() {
      state.stop();
      keepGhost();
      if (Math.abs(2 * state.theta - 1) < 1e-9) {
        show();
        say("At θ = 0.5 yes and no are equally likely whatever the truth is: there is nothing to undo.");
        return;
      }
      const chance = F.shareOfYes(F.warner(state.theta), state.share);
      let [n, said] = [0, 0];
      const step = () => {
        const goal = state.points.length ? Math.min(LARGEST, Math.ceil(n * 1.08) + 1) : 10;
        for (; n < goal; n++) said += Number(Math.random() < chance);
        state.points.push({ n, ...estimateOf(state.theta, said, n) });
      };
      const finish = () => {
        show();
        const { raw, undone, half } = state.points[state.points.length - 1];
        say(`${counted(n)} people asked, ${percent(raw)} said yes. Undone, that is an estimate of ` +
          `${fixed(undone, 3)}, with a 95 % interval from ${fixed(undone - half, 3)} to ` +
          `${fixed(undone + half, 3)}. The truth is ${fixed(state.share)}.`);
      };
      if (still()) {
        while (n < LARGEST) step();
        finish();
        return;
      }
      let frame = requestAnimationFrame(function more() {
        step();
        show();
        if (n < LARGEST) frame = requestAnimationFrame(more);
        else finish();
      });
      state.stop = () => cancelAnimationFrame(frame);
    }

    const moved = (name, forget) => (value) => {
      state.stop();
      keepGhost();
      if (forget) state.ghosts = [];
      state[name] = value;
      show();
      say("No one has been asked at this setting yet. Earlier runs stay as thin lines.");
    };
    place.append(
      slider("many-theta", "θ", { min: 0, max: 1, step: 0.05, value: state.theta }, fixed, moved("theta", false)).box,
      slider("many-share", "Share of those who have cheated", { min: 0, max: 1, step: 0.05, value: state.share }, percent, moved("share", true)).box,
      button(`Ask 10, then on to ${counted(LARGEST)} people`, ask),
      svg, told,
    );
    show();
    say("No one has been asked yet.");
  }

  // ---- you are the collector -------------------------------------------------------------------

  const ROUND = 10;

  // Guess after guess: `next` gives {shown, right}, `sum` words the end of a round.
  function guessing(place, labels, next, promise) {
    const score = { right: 0, seen: 0 };
    const shown = make("div", { class: "report" });
    const told = make("p", { class: "said", role: "status" });
    let current;
    const buttons = labels.map((label, i) => button(label, () => guess(i)));
    const onward = button("Next", () => {
      turn();
      told.textContent = "";
      buttons[0].focus();
    });

    // The report stays under its verdict until the next one is asked for.
    function turn(open = true) {
      if (open) {
        current = next();
        shown.replaceChildren(current.shown);
      }
      for (const choice of buttons) choice.disabled = !open;
      onward.hidden = open;
    }

    function guess(i) {
      const right = i === current.answer;
      score.right += Number(right);
      score.seen += 1;
      const end = score.seen % ROUND === 0 ? ` ${promise()}` : "";
      told.textContent = `${right ? "Right" : "Wrong"}: ${current.reveal} You are right ${score.right} of ${score.seen} times.${end}`;
      turn(false);
      onward.focus();
    }

    place.append(shown, make("div", { class: "choices" }, ...buttons), told, onward);
    turn();
  }

  function collectorOfAnswers(place) {
    const [theta, share] = [0.7, 0.3];
    const chances = F.joint(F.warner(theta), share); // [true][report]
    const best = [0, 1].reduce((sum, r) => sum + Math.max(chances[r][r], chances[1 - r][r]), 0);
    guessing(
      place, ["Her coin said “truth”", "Her coin said “opposite”"],
      () => {
        const truth = Number(Math.random() < share);
        const turned = !(Math.random() < theta);
        const report = turned ? 1 - truth : truth;
        return {
          shown: make("p", {}, make("strong", {}, `She says “${yes(report)}”.`), ` θ is ${fixed(theta)}, and ${percent(share)} of all have cheated.`),
          answer: Number(turned),
          reveal: turned ? "her coin said “opposite”." : "her coin said “truth”.",
        };
      },
      () => `Whoever always takes the likelier case is right in ${percent(best)} of all cases, and nobody does better.`,
    );
  }

  const games = {
    hundred, "many-more": manyMore, "collector-answers": collectorOfAnswers,
  };
  for (const [id, game] of Object.entries(games)) {
    const place = document.getElementById(id);
    if (place) game(place);
  }
})();
