// "Try it": two small games over the formulas of formulas.js.
"use strict";

(() => {
  const F = globalThis.ppdmFormulas;
  const { make, fixed, counted, percent, choice, slider, button } = globalThis.ppdmWidgets;
  const ANSWERS = 15; // in a record of Adult, with the class

  const channelOf = (device, chance) =>
    device === "warner" ? F.warner(chance) : F.unrelated(chance, 0.5);

  // What happens under the table for one respondent: was the truth sent, and what was sent.
  function respond(device, chance, truth) {
    const truthful = Math.random() < chance;
    if (truthful) return { truthful, sent: truth };
    return { truthful, sent: device === "warner" ? 1 - truth : Number(Math.random() < 0.5) };
  }

  const survey = { device: "warner", chance: 0.7, share: 0.3 };

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
      },
    );
    const chanceName = () =>
      survey.device === "warner" ? "Chance of the truth, θ" : "Chance of the truth, q";
    const chance = slider(
      "chance", chanceName(), { min: 0, max: 1, step: 0.05, value: survey.chance }, fixed,
      (value) => {
        survey.chance = value;
        forget();
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
  noiseGame(document.getElementById("noise"));
})();
