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
0      2882       3384  3370
1       496        495   467
2       718        817   826

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


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> object:
    """Import a name when it is first asked for: `ppdm --help` need not wait for pandas."""
    if name not in __all__:
        raise AttributeError(f"ppdm has no {name!r}; it has {', '.join(__all__)}")
    homes = {"Domain": "domain", "Survey": "contract"} | dict.fromkeys(
        ("Table", "count", "reports"), "table"
    )
    return getattr(import_module(f"ppdm.{homes.get(name, 'disguise')}"), name)
