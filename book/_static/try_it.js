// "Try it": two small games over the formulas of formulas.js. No framework, no network.
"use strict";

(() => {
  const F = globalThis.ppdmFormulas;
  const SVG = "http://www.w3.org/2000/svg";
  const ANSWERS = 15; // in a record of Adult, with the class

  // ---- small helpers -------------------------------------------------------------------------

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

  const channelOf = (device, chance) =>
    device === "warner" ? F.warner(chance) : F.unrelated(chance, 0.5);

  // What happens under the table for one respondent: was the truth sent, and what was sent.
  function respond(device, chance, truth) {
    const truthful = Math.random() < chance;
    if (truthful) return { truthful, sent: truth };
    return { truthful, sent: device === "warner" ? 1 - truth : Number(Math.random() < 0.5) };
  }

  // What both parts of the first game share.
  const survey = { device: "warner", chance: 0.7, share: 0.3 };
  const listeners = [];
  const changed = () => listeners.forEach((listener) => listener());

  // ---- be the respondent ---------------------------------------------------------------------

  function respondentGame(place) {
    let truth = 1;
    const yes = (value) => (value ? "yes" : "no");
    const mine = make("div", { class: "said", role: "status" });

    const devices = choice(
      "The device",
      "device",
      [["warner", "Warner's coin"], ["unrelated", "the unrelated question"]],
      (value) => {
        survey.device = value;
        chance.label.textContent = chanceName();
        forget();
        changed();
      },
    );
    const chanceName = () =>
      survey.device === "warner" ? "Chance of the truth, θ" : "Chance of the truth, q";
    const chance = slider(
      "chance", chanceName(), { min: 0, max: 1, step: 0.05, value: survey.chance }, fixed,
      (value) => {
        survey.chance = value;
        forget();
        changed();
      },
    );

    const forget = () => {
      mine.textContent = "Nothing has been sent yet.";
    };

    function toss() {
      const { truthful, sent } = respond(survey.device, survey.chance, truth);
      const turned = survey.device === "warner"
        ? "say the opposite" : "forget the question and send a fair coin's answer";
      const channel = channelOf(survey.device, survey.chance);
      const belief = F.belief(channel, survey.share, sent);
      mine.replaceChildren(
        make("p", {}, make("strong", {}, "Only you know: "),
          `chance told you to ${truthful ? "answer truthfully" : turned}.`),
        make("p", {}, make("strong", {}, "The collector sees: "), `“${yes(sent)}”. Nothing else.`),
        make("p", {}, make("strong", {}, "He may think: "),
          Number.isNaN(belief)
            ? "this answer cannot happen."
            : `if ${percent(survey.share)} of all have cheated, you have with a probability of ${percent(belief)}.`),
      );
    }

    place.append(
      make("h3", {}, "Your answer"),
      choice(
        "Have you ever cheated in an exam?", "truth",
        [["1", "Yes, I have"], ["0", "No, never"]],
        (value) => {
          truth = Number(value);
          forget();
        },
      ),
      devices,
      chance.box,
      button("Leave it to chance and answer", toss),
      mine,
    );
    forget();
  }

  // ---- the crowd -----------------------------------------------------------------------------

  const LARGEST = 100000;

  function chart(label) {
    const phone = matchMedia("(max-width: 700px)").matches; // the letters keep their size
    const [width, height, left, bottom, top] = [phone ? 340 : 640, phone ? 240 : 300, 46, 34, 12];
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    const x = (n) => left + ((width - left - 14) * (Math.log10(n) - 1)) / 4;
    const y = (share) =>
      top + (height - top - bottom) * (1 - (Math.min(1.1, Math.max(-0.1, share)) + 0.1) / 1.2);
    for (const n of [10, 100, 1000, 10000, 100000]) {
      svg.append(draw("line", { class: "grid", x1: x(n), x2: x(n), y1: top, y2: height - bottom }));
      if (phone && (n === 100 || n === 10000)) continue; // no room for their labels
      const anchor = n === LARGEST ? "end" : "middle";
      svg.append(draw("text", { x: x(n), y: height - bottom + 17, "text-anchor": anchor }, counted(n)));
    }
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      svg.append(
        draw("line", { class: "grid", x1: left, x2: width - 14, y1: y(share), y2: y(share) }),
        draw("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, fixed(share)),
      );
    }
    svg.append(draw("text", { x: left, y: height - 2 }, "people asked"));
    const band = draw("path", { class: "band-1" });
    const line = draw("path", { class: "line-1" });
    const truth = draw("path", { class: "truth" });
    svg.append(band, line, truth);
    return { svg, x, y, band, line, truth };
  }

  function crowdGame(place) {
    const picture = chart("No one has been asked yet.");
    const told = make("p", { class: "said", role: "status" });
    const share = slider(
      "share", "Share of those who really have cheated", { min: 0, max: 1, step: 0.05, value: survey.share },
      percent,
      (value) => {
        survey.share = value;
        changed();
      },
    );
    let stop = () => {};

    function clear() {
      stop();
      picture.band.setAttribute("d", "");
      picture.line.setAttribute("d", "");
      const level = picture.y(survey.share);
      picture.truth.setAttribute("d", `M${picture.x(10)} ${level}H${picture.x(LARGEST)}`);
      picture.svg.setAttribute("aria-label", "No one has been asked yet.");
      told.textContent = "No one has been asked yet.";
    }

    function show(points) {
      const { x, y } = picture;
      const path = (pick) => points.map((p) => `${x(p.n).toFixed(1)} ${y(pick(p)).toFixed(1)}`);
      picture.line.setAttribute("d", `M${path((p) => p.estimate).join("L")}`);
      const upper = path((p) => p.estimate + 1.96 * p.error);
      const lower = path((p) => p.estimate - 1.96 * p.error).reverse();
      picture.band.setAttribute("d", `M${[...upper, ...lower].join("L")}Z`);
    }

    function tell({ n, reported, estimate, error }) {
      const [low, high] = [estimate - 1.96 * error, estimate + 1.96 * error];
      const text =
        `${counted(n)} people asked, ${percent(reported)} said yes. Undone, that is an estimate of ` +
        `${fixed(estimate, 3)}, with a 95 % interval from ${fixed(low, 3)} to ${fixed(high, 3)}. ` +
        `The truth is ${fixed(survey.share)}.`;
      told.textContent = text;
      picture.svg.setAttribute("aria-label", text);
    }

    function ask() {
      clear();
      const channel = channelOf(survey.device, survey.chance);
      if (Math.abs(channel[1] - channel[0]) < 1e-9) {
        told.textContent =
          survey.device === "warner"
            ? "At θ = 0.5 yes and no are equally likely whatever the truth is: there is nothing to undo."
            : "At q = 0 nobody answers the question: there is nothing to undo.";
        return;
      }
      const points = [];
      let [n, said] = [0, 0];
      const step = () => {
        const goal = points.length ? Math.min(LARGEST, Math.ceil(n * 1.08) + 1) : 10;
        for (; n < goal; n++) {
          said += respond(survey.device, survey.chance, Number(Math.random() < survey.share)).sent;
        }
        const reported = said / n;
        const estimate = F.undo(channel, reported);
        // The error as a survey would know it: from the reports, kept off 0 where all agree.
        const smoothed = (said + 1) / (n + 2);
        const error = F.standardError([0, 1], smoothed, n) / Math.abs(channel[1] - channel[0]);
        points.push({ n, reported, estimate, error });
      };
      const finish = () => {
        show(points);
        tell(points[points.length - 1]);
      };
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
        while (n < LARGEST) step();
        finish();
        return;
      }
      let frame = requestAnimationFrame(function more() {
        step();
        show(points);
        if (n < LARGEST) frame = requestAnimationFrame(more);
        else finish();
      });
      stop = () => cancelAnimationFrame(frame);
    }

    place.append(
      make("h3", {}, "A hundred thousand answers"),
      share.box,
      button(`Ask 10, then on to ${counted(LARGEST)} people`, ask),
      told,
      picture.svg,
    );
    listeners.push(clear);
    clear();
  }

  // ---- choose your noise ---------------------------------------------------------------------

  // Measured accuracies on a straight line between the two nearest points.
  function between(points, at) {
    const sorted = [...points].sort((a, b) => a[0] - b[0]);
    const after = sorted.findIndex(([position]) => position >= at - 1e-9);
    if (after < 0) return null;
    const [x1, y1] = sorted[after];
    if (Math.abs(x1 - at) < 1e-9) return y1;
    if (after === 0) return null;
    const [x0, y0] = sorted[after - 1];
    return y0 + ((y1 - y0) * (at - x0)) / (x1 - x0);
  }

  const NAMES = {
    adult: "Adult",
    "breast-cancer-wisconsin": "Breast Cancer",
    "congressional-voting": "Voting",
    pima: "Pima",
  };
  const named = (dataset) => NAMES[dataset] || dataset;

  function noiseGame(place) {
    const measured = JSON.parse(document.getElementById("measured").textContent);
    const noise = { scheme: "1", chance: 0.8, n: 4, share: 0.3 };
    const values = make("dl", { class: "readings" });

    // θ has its accuracies by groups, q has its own.
    function accuracies() {
      const grouped = noise.scheme !== "unrelated";
      const axis = grouped ? "theta" : "q";
      const fitting = measured.filter(
        (row) => row[axis] !== undefined && (!grouped || Number(row.groups) === Number(noise.scheme)),
      );
      const bySet = Map.groupBy
        ? Map.groupBy(fitting, (row) => row.dataset)
        : fitting.reduce((m, row) => m.set(row.dataset, [...(m.get(row.dataset) || []), row]), new Map());
      return [...bySet].map(([dataset, rows]) => [
        dataset, between(rows.map((row) => [row[axis], row.accuracy]), noise.chance),
      ]);
    }

    function update() {
      const grouped = noise.scheme !== "unrelated";
      const groups = grouped ? Number(noise.scheme) : 1;
      const n = Math.round(10 ** noise.n);
      const channel = grouped ? F.warner(noise.chance) : F.unrelated(noise.chance, 0.5);
      const many = grouped ? groups : 3;
      const lines = accuracies().map(([dataset, accuracy]) => [
        `Accuracy on ${named(dataset)}`, accuracy === null ? "not measured" : fixed(accuracy, 3),
      ]);
      if (!lines.length) lines.push(["Accuracy", "not in this build"]);
      lines.push(
        ["Wrong guesses of one answer (PSE)", fixed(F.pse(channel, noise.share), 3)],
        ["Best guess of one answer is right", percent(F.bestGuess(channel, noise.share))],
        ["The whole record is true", percent(noise.chance ** groups)],
        ["ε of one answer", fixed(F.epsilon(channel))],
        [`ε of a record of ${ANSWERS} answers`, fixed(
          grouped ? F.epsilonOfGroups(noise.chance, groups, ANSWERS) : F.epsilonOfRecord(noise.chance, ANSWERS),
        )],
        ["Error of one answer's share", fixed(F.standardError(channel, noise.share, n), 4)],
      );
      if (many > 1) {
        lines.push([`Error of ${many} answers' joint share`, fixed(
          grouped
            ? F.standardErrorOfGroups(noise.chance, groups, noise.share, n)
            : F.standardErrorOfAll(noise.chance, 0.5, many, noise.share, n),
          4,
        )]);
      }
      values.replaceChildren(
        ...lines.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
      );
    }

    const set = (name) => (value) => {
      noise[name] = value;
      update();
    };
    const chance = slider(
      "noise-chance", "Chance of the truth, θ", { min: 0, max: 1, step: 0.05, value: noise.chance }, fixed,
      set("chance"),
    );
    const scheme = choice(
      "The scheme", "scheme",
      [["1", "one group"], ["2", "two groups"], ["3", "three groups"], ["unrelated", "unrelated question"]],
      (value) => {
        noise.scheme = value;
        chance.label.textContent = `Chance of the truth, ${value === "unrelated" ? "q" : "θ"}`;
        update();
      },
    );
    const people = slider(
      "noise-n", "Respondents", { min: 1, max: 6, step: 0.1, value: noise.n },
      (value) => counted(Number((10 ** value).toPrecision(2))), (value) => {
        noise.n = Math.log10(Number((10 ** value).toPrecision(2)));
        update();
      },
    );
    const share = slider(
      "noise-share", "Share of those who would truly say yes", { min: 0, max: 1, step: 0.05, value: noise.share },
      percent, set("share"),
    );
    place.append(
      make("h3", {}, "Noise and what it buys"),
      scheme,
      make("div", { class: "columns" }, make("div", {}, chance.box, people.box, share.box), values),
    );
    if (!measured.length) {
      place.append(make("p", {}, "The chapters that measure accuracy have not been run in this build."));
    }
    update();
  }

  respondentGame(document.getElementById("respondent"));
  crowdGame(document.getElementById("crowd"));
  noiseGame(document.getElementById("noise"));
})();
