"""Privacy-preserving data mining: four papers reproduced end to end.

    answers --disguise--> disguised answers --count--> table --undo--> estimated table
            --learn--> model --score--> result

A randomizing scheme is a linear map on contingency tables. Whoever knows the scheme can undo the
map on the counts, though on no single record, and any learner that works from counts then runs
unchanged. So there are three plain parts: mechanisms (`ppdm.disguise`), tables (`ppdm.table`) and
learners (`ppdm.learn`). Here is all of it once.

Answers. Ten thousand people answer three questions with yes (1) or no (0). Who smokes coughs in
three cases of four, others in one of five; a fever has nothing to do with either.

>>> import numpy as np, pandas as pd
>>> rng = np.random.default_rng(7)
>>> def yes(share):
...     return (rng.random(10_000) < share).astype(int)
>>> smokes = yes(0.3)
>>> people = pd.DataFrame({"fever": yes(0.4), "coughs": yes(0.2 + 0.55 * smokes), "smokes": smokes})

Disguise. Each of them throws a coin of her own. With probability 0.8 she answers truthfully,
else with the opposite, to all three questions alike. Nobody learns how her coin fell.

>>> from ppdm import MultiGroup, count
>>> coin = MultiGroup(theta=0.8)
>>> reports = coin.disguise(people, rng)
>>> float((reports["smokes"] == people["smokes"]).mean().round(2))
0.8

Count. The collector needs the reports no longer than it takes to count them. What they say of
all people is wrong, too: three in ten smoke.

>>> reported = count(reports)
>>> reported.names, reported.total
(('fever', 'coughs', 'smokes'), 10000.0)
>>> reported.marginal("smokes").proportions().values.round(2)
array([0.62, 0.38])

Undo. He knows theta, so he can undo on the counts what the coins did. The result is right on
average, and off by little among so many. Beside it stand the true counts, which he never sees
(three of the eight cells).

>>> estimated = coin.undo(reported)
>>> estimated.marginal("smokes").proportions().values.round(2)
array([0.7, 0.3])
>>> pd.DataFrame({"reported": reported.values, "estimated": estimated.values,
...               "true": count(people).values}).round().astype(int).head(3)
   reported  estimated  true
0      2881       3383  3370
1       473        456   467
2       739        852   826

Learn. A learner reads a table, whoever made it. Told how the answers were disguised, it undoes
the counts that it asks for, and nothing else.

>>> from ppdm.learn import ID3, NaiveBayes
>>> model = NaiveBayes(coin).fit(reports[["fever", "coughs"]], reports["smokes"])
>>> tree = ID3(coin).fit(reports[["fever", "coughs"]], reports["smokes"])

Score. How often is the model right on others? Their true answers would tell; the coin lets him
say it from their disguised reports alone.

>>> from ppdm.learn.accuracy import estimated_accuracy
>>> new = people.sample(5_000, random_state=1)
>>> honest = float((model.predict(new[["fever", "coughs"]]) == new["smokes"]).mean())
>>> guess = estimated_accuracy(model, coin.disguise(new, rng), coin)
>>> round(honest, 2), round(guess.estimate, 2), round(guess.se, 3)
(0.78, 0.78, 0.006)

And an attacker? He holds a report and knows the scheme. Blind, he would say "does not smoke" and
be right seven times in ten. With the report he is right as often as the coin let the truth pass.

>>> round(coin.guess_answer(count(people), "smokes"), 2)
0.8

By task
-------

Each example stands alone, but for the imports above.

**Disguise a survey.** Say once what is asked and how it is protected. The scheme disguises one
respondent as one of a million, and refuses what does not match.

>>> from ppdm import Survey, scheme_of
>>> survey = Survey({"smokes": ["no", "yes"], "drinks": ["no", "yes"]},
...                 [{"mechanism": "warner", "p": 0.75, "attributes": ["smokes", "drinks"]}])
>>> scheme = scheme_of(survey)
>>> answers = pd.DataFrame({"smokes": ["yes"] * 300 + ["no"] * 700, "drinks": ["no", "yes"] * 500})
>>> sent = scheme.disguise(answers, np.random.default_rng(1))

**Undo a cross table that you have**, from a report or a spreadsheet: say what it counts, then undo.

>>> from ppdm import Table
>>> printed = pd.crosstab(sent["smokes"], sent["drinks"])
>>> table = Table.from_crosstab(printed).reported_by(scheme)
>>> round(scheme.undo(table).p(smokes="yes"), 2)
0.28

**An interval.** Every share, with its standard error and the ends of its interval.

>>> from ppdm.estimate import estimate
>>> shares = estimate(sent, survey)
>>> shares.loc[shares["answer"] == "yes", ["question", "share", "low", "high"]].round(2).values.tolist()
[['smokes', 0.28, 0.22, 0.34], ['drinks', 0.52, 0.46, 0.59]]

**Pairs.** How answers go together: `of` names the questions, `difference` compares two groups.

>>> together = estimate(sent, survey, of=["smokes", "drinks"])
>>> len(together), round(float(together["share"].sum()), 9)
(4, 1.0)
>>> from ppdm.estimate import difference
>>> compared = difference(sent, survey, "smokes", "drinks")
>>> compared.low < compared.difference < compared.high
True

**Choose a scheme.** `ppdm advise` on the command line asks what you fear and what you compute. From
Python: the matrix of least error for a question whose answers are about so frequent.

>>> from ppdm.optimise import best_ldp_scheme
>>> best_ldp_scheme([0.7, 0.3], epsilon=1.0).matrix.round(2)
array([[0.27, 0.73],
       [0.73, 0.27]])

**Save and load.** A survey is a JSON file, which may be published with the reports.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     survey.save(Path(folder) / "scheme.json")
...     sent.to_csv(Path(folder) / "reports.csv", index=False)
...     again = scheme_of(Survey.load(Path(folder) / "scheme.json"))
...     read = count(str(Path(folder) / "reports.csv"), again)
>>> again == scheme, read.total
(True, 1000.0)

**A second wave.** Fresh coins for the same people add up: after two reports the log ratio of
chances is twice as large. Ask other people, or count the first reports again.

>>> once = scheme.epsilon("smokes")
>>> round(once, 2), round(2 * once, 2)
(1.1, 2.2)

**Real people.** A seed in the script gives all answers back to whoever reads it: the coins are thrown
again, and each lie is known. So the coins are the operating system's, and nobody can draw them again.

>>> from ppdm.chance import system
>>> len(scheme.disguise(answers, system()))
1000
"""

from importlib import import_module

TYPE_CHECKING = False  # `typing` would cost more than all the rest of this import
if TYPE_CHECKING:  # for type checkers, and for the account of what a run may reach
    from ppdm.contract import Survey
    from ppdm.disguise import (
        Mechanism,
        MultiGroup,
        RRMatrix,
        Scheme,
        UnrelatedQuestion,
        random_groups,
        scheme_of,
    )
    from ppdm.domain import Domain
    from ppdm.table import Table, count, reports

__version__ = "0.1.0"

__all__ = [
    "Domain",
    "Mechanism",
    "MultiGroup",
    "RRMatrix",
    "Scheme",
    "Survey",
    "Table",
    "UnrelatedQuestion",
    "count",
    "random_groups",
    "reports",
    "scheme_of",
]


_ROOMS = ("data", "distort", "estimate", "learn", "optimise", "plot", "privacy", "survey")


def __dir__() -> list[str]:
    return [*__all__, *_ROOMS, "__version__"]


def __getattr__(name: str) -> object:
    """Import a name or a room when it is first asked for: `ppdm --help` need not wait for pandas."""
    if name in _ROOMS:
        return import_module(f"ppdm.{name}")
    if name not in __all__:
        raise AttributeError(f"ppdm has no {name!r}; it has {', '.join((*__all__, *_ROOMS))}")
    homes = {"Domain": "domain", "Survey": "contract"} | dict.fromkeys(
        ("Table", "count", "reports"), "table"
    )
    return getattr(import_module(f"ppdm.{homes.get(name, 'disguise')}"), name)
