// The formulas behind the games: pure functions, no page. `tests/test_respondent.py` holds them against
// the package `ppdm`. A report r is 0 or 1; a channel is the chance of the report "one" for each
// true answer: [P(R=1 given O=0), P(R=1 given O=1)].
"use strict";

(() => {
  // Warner's related question: the true answer with probability theta, else the opposite.
  const warner = (theta) => [1 - theta, theta];

  // The unrelated question: the true answer with probability q, else another person's, of whom a
  // share wY says yes.
  const unrelated = (q, wY) => [(1 - q) * wY, q + (1 - q) * wY];

  const shareOfYes = (channel, share) => (1 - share) * channel[0] + share * channel[1];

  // The unbiased estimate of the true share, from the share of reported yes; not clipped.
  const undo = (channel, reported) => (reported - channel[0]) / (channel[1] - channel[0]);

  // Standard error of that estimate from n respondents.
  function standardError(channel, share, n) {
    const reported = shareOfYes(channel, share);
    const gain = Math.abs(channel[1] - channel[0]);
    return gain < 1e-12 ? Infinity : Math.sqrt((reported * (1 - reported)) / n) / gain;
  }

  // The chances of (true answer, report), as joint[true][report].
  function joint(channel, share) {
    const prior = [1 - share, share];
    return [0, 1].map((o) => [prior[o] * (1 - channel[o]), prior[o] * channel[o]]);
  }

  // [Zhan & Matwin 4] The chance to guess wrong for a collector who guesses by chance, as likely
  // as the report makes each answer.
  function pse(channel, share) {
    const chances = joint(channel, share);
    return [0, 1].reduce((sum, r) => {
      const reported = chances[0][r] + chances[1][r];
      return reported > 0 ? sum + (2 * chances[0][r] * chances[1][r]) / reported : sum;
    }, 0);
  }

  // The chance to guess right for a collector who always names the likelier answer.
  function bestGuess(channel, share) {
    const chances = joint(channel, share);
    return [0, 1].reduce((sum, r) => sum + Math.max(chances[0][r], chances[1][r]), 0);
  }

  // What the collector believes after a report: P(O=1 given R=r).
  function belief(channel, share, report) {
    const chances = joint(channel, share);
    return chances[1][report] / (chances[0][report] + chances[1][report]);
  }

  // Local differential privacy of one answer: the largest log ratio of a report's chances.
  function epsilon(channel) {
    const ratio = (a, b) => (a === b ? 0 : a === 0 || b === 0 ? Infinity : Math.abs(Math.log(a / b)));
    return Math.max(ratio(channel[0], channel[1]), ratio(1 - channel[0], 1 - channel[1]));
  }

  globalThis.ppdmFormulas = Object.freeze({
    warner, unrelated, shareOfYes, undo, standardError, joint, pse, bestGuess, belief, epsilon,
  });
})();
