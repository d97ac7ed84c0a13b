// Be the respondent: the primer's game, over the formulas of formulas.js.
"use strict";

(() => {
  const F = globalThis.ppdmFormulas;
  const { make, fixed, percent, choice, slider, button } = globalThis.ppdmWidgets;

  const channelOf = (device, chance) =>
    device === "warner" ? F.warner(chance) : F.unrelated(chance, 0.5);

  // What happens under the table for one respondent: was the truth sent, and what was sent.
  function respond(device, chance, truth) {
    const truthful = Math.random() < chance;
    if (truthful) return { truthful, sent: truth };
    return { truthful, sent: device === "warner" ? 1 - truth : Number(Math.random() < 0.5) };
  }

  const survey = { device: "warner", chance: 0.7, share: 0.3 };

  function respondentGame(place) {
    let truth = 1;
    const yes = (value) => (value ? "yes" : "no");
    const mine = make("div", { class: "said", role: "status" });
    const promised = make("dl", { class: "readings" });

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

    // What the device promises, before anything is sent. Her own answer moves none of it.
    function promise() {
      const channel = channelOf(survey.device, survey.chance);
      const lines = [
        ["Who always names the likelier answer is right", percent(F.bestGuess(channel, survey.share))],
        ["who does so without any report", percent(Math.max(survey.share, 1 - survey.share))],
        ["Who guesses by chance, as likely as the report makes it, is wrong (PSE)", fixed(F.pse(channel, survey.share), 3)],
        ["ε of the answer", fixed(F.epsilon(channel))],
      ];
      promised.replaceChildren(...lines.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
    }

    const forget = () => {
      mine.textContent = "Nothing has been sent yet.";
      promise();
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
      make("p", { class: "note" }, `What the device promises, if ${percent(survey.share)} of all have cheated. Your own answer does not move it.`),
      promised,
    );
    forget();
  }

  const place = document.getElementById("respondent");
  if (place) respondentGame(place);
})();
