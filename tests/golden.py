"""The golden file's second computation: every certified number from a formula of its own, with fifty digits.

Nothing here is ppdm's: no matrix is inverted, and no float is used. `python tests/golden.py` writes the file.
Each entry is a survey (its file), the counts of its reports (an axis a question), what is estimated, and a function
of the counts that certifies it.
"""

import json
from decimal import Decimal, getcontext
from math import comb
from pathlib import Path

getcontext().prec = 50
D = Decimal
PATH = Path(__file__).parent.parent / "ppdm" / "survey" / "stored" / "golden.json"
Z = D("1.95996398454005423552459443052055152795555007786954839847695264636")
YESNO = ["no", "yes"]
ABOUT = (
    "Certified results for randomized response: what a survey's file and the counts of its reports give. Reports are "
    "in the order of the scheme, questions in that of the file. Every number was computed from a closed formula "
    "with fifty digits; twelve are printed. Standard errors are those of means over n respondents drawn one by one, with "
    "n - 1, unless the method says otherwise."
)


# Formulas: each from the source that its entry names -----------------------------------------------


def mean(counts: list[int], values: list[D], less: int = 1) -> tuple[D, D]:
    """The mean of what reports are worth, and its standard error with n - `less`."""
    n = D(sum(counts))
    first, second = (
        sum((c * v**k for c, v in zip(counts, values, strict=True)), D(0)) / n for k in (1, 2)
    )
    return first, ((second - first**2) / (n - less)).sqrt()


def slope(a: D, b: D, counts: list[int]) -> dict[str, D]:
    """A share by λ = a + b π for the reports that are the last ones of two."""
    told = D(counts[1]) / sum(counts)
    return {"share": (told - a) / b, "se": mean(counts, [-a / b, (1 - a) / b])[1]}


def exact(a: D, b: D, counts: list[int]) -> dict[str, D]:
    """[Clopper & Pearson 1934] by bisection of sums of binomial probabilities."""
    n, k, tail = sum(counts), counts[1], D("0.025")

    def at_least(k: int, p: D) -> D:
        return sum((comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)), D(0))

    def root(rising) -> D:
        low, high = D(0), D(1)
        for _ in range(120):
            middle = (low + high) / 2
            low, high = (middle, high) if rising(middle) < 0 else (low, middle)
        return low

    ends = [root(lambda p: at_least(k, p) - tail), root(lambda p: tail - 1 + at_least(k + 1, p))]
    low, high = sorted((end - a) / b for end in ends)
    return {"low": low, "high": high}


def k_rr(p: D, counts: list[int]) -> dict[str, D]:
    other, result = (1 - p) / (len(counts) - 1), {}
    for i in range(len(counts)):
        worth = [((i == j) - other) / (p - other) for j in range(len(counts))]
        result[f"share {i}"], result[f"se {i}"] = mean(counts, worth)
    return result


def likeliest(p: D, counts: list[int]) -> dict[str, D]:
    """k-RR of three answers whose last share would be negative: it is 0, and the two others share the rest alike."""
    other, n = (1 - p) / 2, counts[0] + counts[1]
    told = [D(c) / n * (p + other) for c in counts[:2]]
    return {f"share {i}": (t - other) / (p - other) for i, t in enumerate(told)} | {"share 2": D(0)}


def extended(p: D, counts: list[int]) -> dict[str, D]:
    """[Heck, Hoffmann & Moshagen 2018] Both halves as one: what speaks for yes is "exactly one" in the first half."""
    return slope(p, 1 - 2 * p, [counts[1] + counts[2], counts[0] + counts[3]])


def extended_fit(p: D, counts: list[int]) -> dict[str, D]:
    """Whether λ of "exactly one" adds up to one over both halves; Wald's statistic on one degree of freedom, its error from
    the counts with a quarter of a report more in each."""
    more = [c + D(1) / 4 for c in counts]
    n, gap, variance = sum(more), D(-1) / 2, D(0)
    for half in (0, 2):
        size, raw = more[half] + more[half + 1], counts[half] + counts[half + 1]
        told = more[half] / size
        gap += D(counts[half]) / raw / 2
        variance += told * (1 - told) / (4 * size / n * (n - 1))
    return {"fit": erfc((gap**2 / variance / 2).sqrt())}


def erfc(x: D) -> D:
    term, total, k = x, x, 0
    while abs(term) > D(10) ** -48:
        k += 1
        term *= -(x**2) / k
        total += term / (2 * k + 1)
    pi = D("3.14159265358979323846264338327950288419716939937510582097494459")
    return 1 - 2 * total / pi.sqrt()


def detected(f: tuple[D, D], counts: list[int]) -> dict[str, D]:
    """[Clark & Desharnais 1998] yes in half i: λ = honest yes + f honest no; the rest never says yes."""
    n = sum(counts)
    sizes = [counts[0] + counts[1], counts[2] + counts[3]]
    told = [D(counts[1]) / sizes[0], D(counts[3]) / sizes[1]]
    spread = [t * (1 - t) / size * n / (n - 1) for t, size in zip(told, sizes, strict=True)]
    gap = f[1] - f[0]
    yes = (f[1] * told[0] - f[0] * told[1]) / gap
    no = (told[1] - told[0]) / gap
    followed, share = yes + no, yes / (yes + no)
    # d followed / dλ and d yes / dλ are constants
    of_yes, of_all = (f[1] / gap, -f[0] / gap), ((f[1] - 1) / gap, (1 - f[0]) / gap)
    se = sum(
        ((y - share * a) ** 2 * s for y, a, s in zip(of_yes, of_all, spread, strict=True)), D(0)
    )
    whole = sum((a**2 * s for a, s in zip(of_all, spread, strict=True)), D(0))
    return {
        "followed": followed, "se of followed": whole.sqrt(), "share": share, "se": se.sqrt() / followed,
    }  # fmt: skip


def anchored(p: D, table: list[list[int]]) -> dict[str, D]:
    """cWise's correction, for an anchor that nobody says yes to: the share of the attentive from it, and the rest answers
    anything; errors by the delta method, the covariance from the table; the interval is Fieller's."""
    n = D(sum(map(sum, table)))
    asked = (D(sum(table[1])) / n, D(table[0][1] + table[1][1]) / n)  # "both or neither"
    together = D(table[1][1]) / n - asked[0] * asked[1]
    followed = (asked[1] - D("0.5")) / (D("0.5") - p)
    told = (asked[0] - D("0.5")) / followed + D("0.5")
    share = (told + p - 1) / (2 * p - 1)
    var = [t * (1 - t) / (n - 1) for t in asked]
    cov = together * n / n / (n - 1)
    # share = 1/2 - g / (2 a), with g and a the distances of both from one half
    g, a = asked[0] - D("0.5"), asked[1] - D("0.5")
    b = g / a
    se = ((var[0] - 2 * b * cov + b * b * var[1]) / (4 * a * a)).sqrt()
    A, B, C = a * a - Z**2 * var[1], g * a - Z**2 * cov, g * g - Z**2 * var[0]
    root = (B * B - A * C).sqrt()
    ends = [D("0.5") - (B + sign * root) / (2 * A) for sign in (1, -1)]
    return {
        "followed": followed, "se of followed": var[1].sqrt() / (D("0.5") - p), "share": share, "se": se,
        "low": min(ends), "high": max(ends),
    }  # fmt: skip


def paired(p: D, table: list[list[int]]) -> dict[str, D]:
    """Two questions, each by Warner with p: the share of yes to both is the mean of a product."""
    one = (-(1 - p) / (2 * p - 1), p / (2 * p - 1))
    share, se = mean([*table[0], *table[1]], [x * y for x in one for y in one])
    return {"share": share, "se": se}


def compared(p: D, table: list[list[int]]) -> dict[str, D]:
    """P(yes to A | yes to B) - P(yes to A | no to B), both by Warner; the error linearized."""
    gain, counts = 2 * p - 1, [*table[0], *table[1]]
    one = (-(1 - p) / gain, p / gain)
    worth = [(x, y) for x in one for y in one]
    b, both, rest = (
        mean(counts, values)[0]
        for values in zip(*((y, x * y, x * (1 - y)) for x, y in worth), strict=True)
    )
    first, second = both / b, rest / (1 - b)
    linear = [(x - first) * y / b - (x - second) * (1 - y) / (1 - b) for x, y in worth]
    return {"difference": first - second, "se": mean(counts, linear)[1]}


def weighed(p: D, weights: list[int], said: list[int]) -> dict[str, D]:
    """A weighted mean of what each report is worth, its error linearized, with n / (n - 1)."""
    n, total = len(said), D(sum(weights))
    worth = [(D(s) - (1 - p)) / (2 * p - 1) for s in said]
    share = sum((w * v for w, v in zip(weights, worth, strict=True)), D(0)) / total
    squares = sum(((w * (v - share)) ** 2 for w, v in zip(weights, worth, strict=True)), D(0))
    return {"share": share, "se": (squares * n / (n - 1)).sqrt() / total}


def logistic(p: D, table: list[list[int]]) -> dict[str, D]:
    """Who says yes, by a covariate of two values: the likelihood's peak undoes each group by itself."""
    logits, spread = [], []
    for no, yes in zip(*table, strict=True):
        n = no + yes
        told = D(yes) / n
        share = (told - (1 - p)) / (2 * p - 1)
        logits.append((share / (1 - share)).ln())
        spread.append(told * (1 - told) / n / (2 * p - 1) ** 2 / (share * (1 - share)) ** 2)
    return {
        "(intercept)": logits[0], "slope": logits[1] - logits[0], "se of (intercept)": spread[0].sqrt(),
        "se of slope": sum(spread, D(0)).sqrt(),
    }  # fmt: skip


def on_hidden(p: D, table: list[list[int]]) -> dict[str, D]:
    """The same by a covariate that is disguised, too: logits of the four undone shares; errors with n, by the delta method."""
    gain, counts = 2 * p - 1, [*table[0], *table[1]]

    def worth(a: int, b: int) -> list[D]:
        """Of each cell of reports, for the share with these true answers."""
        return [(p - (a != i)) * (p - (b != j)) / gain**2 for i in (0, 1) for j in (0, 1)]

    share = {(a, b): mean(counts, worth(a, b))[0] for a in (0, 1) for b in (0, 1)}
    result = {"(intercept)": (share[1, 0] / share[0, 0]).ln()}
    result["slope"] = (share[1, 1] / share[0, 1]).ln() - result["(intercept)"]
    for name, signs in (("(intercept)", {(1, 0): 1, (0, 0): -1}),
                        ("slope", {(1, 1): 1, (0, 1): -1, (1, 0): -1, (0, 0): 1})):  # fmt: skip
        parts = [[s / share[at] * w for w in worth(*at)] for at, s in signs.items()]
        result[f"se of {name}"] = mean(counts, [*map(sum, zip(*parts, strict=True))], less=0)[1]
    return result


def two_samples(p: tuple[D, D], yes: tuple[int, int], asked: tuple[int, int]) -> dict[str, D]:
    """Two chances of the question, an unknown share of the unrelated one: λ = p π + (1 - p) π'."""
    told = [D(y) / n for y, n in zip(yes, asked, strict=True)]
    sensitive = ((1 - p[1]) * told[0] - (1 - p[0]) * told[1]) / (p[0] - p[1])
    return {"sensitive": sensitive, "unrelated": (told[0] - p[0] * sensitive) / (1 - p[0])}


def three(counts: list[int]) -> dict[str, D]:
    """[Huang & Du III.A] M = .7 .2 .1 | .2 .6 .3 | .1 .2 .6, by its cofactors."""
    M = [[7, 2, 1], [2, 6, 3], [1, 2, 6]]

    def minor(i: int, j: int) -> int:
        rows = [[M[a][b] for b in range(3) if b != j] for a in range(3) if a != i]
        return (-1) ** (i + j) * (rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0])

    det = sum(M[0][j] * minor(0, j) for j in range(3))
    result = {}
    for x in range(3):
        worth = [10 * D(minor(y, x)) / det for y in range(3)]
        result[f"share {x}"], result[f"se {x}"] = mean(counts, worth)
    return result


# Entries ----------------------------------------------------------------------------------------------


def survey(mechanism: str, names=("A",), levels=YESNO, known=None, extra=(), **keys) -> dict:
    spec = {"mechanism": mechanism, **keys, "attributes": list(names)}
    attributes = [{"name": n, "levels": levels} | ({"known": known[n]} if n in (known or {}) else {})
                  for n in names]  # fmt: skip
    return {"attributes": [*attributes, *extra], "protection": [spec]}


ANCHOR = {"known": {"anchor": [1, 0]}, "names": ("A", "anchor")}
SIXTH, FORCED = 1 / 6, {"truth": 2 / 3, "forced": [1 / 6, 1 / 6]}
WARNER, DAY = D("0.7"), D("0.15")
SEX = {"name": "sex", "levels": ["f", "m"]}
TABLE = [[400, 120], [180, 300]]
JOINT = [[160, 413], [299, 1128]]
#: id, survey, counts, estimator (what is estimated, by which call), source, certified by
ENTRIES = [
    ("warner", survey("warner", p=0.7), [570, 430], "share", "Warner (1965): λ = p π + (1 - p)(1 - π)",
     lambda c: slope(1 - WARNER, 2 * WARNER - 1, c)),
    ("warner-exact", survey("warner", p=0.7), [29, 11], "interval", "Clopper & Pearson (1934), undone as Warner (1965)",
     lambda c: exact(1 - WARNER, 2 * WARNER - 1, c)),
    ("warner-beyond", survey("warner", p=0.7), [290, 710], "share", "Warner (1965): an unbiased estimate above 1",
     lambda c: slope(1 - WARNER, 2 * WARNER - 1, c)),
    ("forced-response", survey("forced-response", **FORCED), [1604, 831], "share",
     "λ = 1/6 + 2/3 π; the counts are those of an example of R's rr", lambda c: slope(D(1) / 6, D(2) / 3, c)),
    ("unrelated-question", survey("unrelated-question", q=0.7, personal={"A": [0.7, 0.3]}), [570, 430], "share",
     "Greenberg et al. (1969): λ = q π + (1 - q) π'", lambda c: slope(D("0.09"), D("0.7"), c)),
    ("triangular", survey("triangular", p=0.25), [480, 520], "share", "Yu, Tian & Tang (2008): λ = p + (1 - p) π",
     lambda c: slope(D("0.25"), D("0.75"), c)),
    ("crosswise", survey("crosswise", p=0.15), [573, 1427], "share",
     "Yu, Tian & Tang (2008); the counts are those of cWise's cmdata: .195, standard error .014446241302",
     lambda c: slope(1 - DAY, 2 * DAY - 1, c)),
    ("crosswise-anchor", survey("crosswise", p=0.15, **ANCHOR), JOINT, "careless",
     ("Atsusaka & Stevenson (2023), for an anchor of prevalence 0; the margins are those of cWise's cmdata (.772857142857 "
     "attentive, .105360443623), the table within them is ours; interval by Fieller (1954)"),
     lambda c: anchored(DAY, c)),
    ("extended-crosswise", survey("extended-crosswise", p=0.3), [420, 560, 610, 410], "share",
     "Heck, Hoffmann & Moshagen (2018)", lambda c: extended(D("0.3"), c)),
    ("extended-crosswise-fit", survey("extended-crosswise", p=0.3), [420, 560, 540, 480], "fit",
     "Heck, Hoffmann & Moshagen (2018), Wald's statistic in place of G²", lambda c: extended_fit(D("0.3"), c)),
    ("cheating-detection", survey("cheating-detection", halves=[0.2, 0.6]), [330, 160, 230, 280], "always",
     "Clark & Desharnais (1998), the share among those who follow", lambda c: detected((D("0.2"), D("0.6")), c)),
    ("k-rr", survey("k-rr", levels=["a", "b", "c"], p=0.6), [450, 310, 240], "shares", "Kairouz, Bonawitz & Ramage (2016)",
     lambda c: k_rr(D("0.6"), c)),
    ("k-rr-likeliest", survey("k-rr", levels=["a", "b", "c"], p=0.6), [550, 310, 140], "likeliest",
     "the peak of the likelihood within 0 and 1, on its edge", lambda c: likeliest(D("0.6"), c)),
    ("matrix", survey("matrix", levels=["a", "b", "c"], matrix=[[0.7, 0.2, 0.1], [0.2, 0.6, 0.3], [0.1, 0.2, 0.6]]),
     [430, 340, 230], "shares", "Huang & Du (2008), III.A", three),
    ("multi-group-of-one", survey("multi-group", theta=0.8), [5500, 4500], "share", "Zhan & Du, for one question",
     lambda c: slope(D("0.2"), D("0.6"), c)),
    ("pair", survey("warner", names=("A", "B"), p=0.8), TABLE, "pair", "products of what reports are worth",
     lambda c: paired(D("0.8"), c)),
    ("difference", survey("warner", names=("A", "B"), p=0.8), TABLE, "difference", "a ratio of means, linearized",
     lambda c: compared(D("0.8"), c)),
    ("regression", survey("warner", p=0.8, extra=[SEX]), [[420, 290], [180, 310]], "regression",
     "Maddala (1983), with a covariate of two values; observed information", lambda c: logistic(D("0.8"), c)),
    ("regression-on-hidden", survey("warner", names=("A", "B"), p=0.8), [[400, 200], [200, 300]], "regression",
     "the same, with a predictor that is disguised, too: the likelihood of both", lambda c: on_hidden(D("0.8"), c)),
    ("weights", survey("warner", p=0.8), {"weights": [3, 1, 4, 1, 5, 9, 2, 6], "yes": [1, 0, 1, 1, 0, 1, 0, 0]}, "weighted",
     "the linearized error of a weighted mean", lambda c: weighed(D("0.8"), c["weights"], c["yes"])),
    ("two-samples", None, {"p": [0.8, 0.3], "yes": [260, 170], "asked": [500, 500]}, "two samples",
     "Greenberg et al. (1969), the unrelated share unknown", lambda c: two_samples((D("0.8"), D("0.3")), c["yes"], c["asked"])),
]  # fmt: skip


def certified() -> dict:
    """The whole file as plain data."""
    entries = [
        {
            "id": name, "survey": plain, "reports": counts, "estimator": estimator, "source": source,
            "certified": {key: f"{value:.12g}" if value else "0" for key, value in formula(counts).items()},
        }
        for name, plain, counts, estimator, source, formula in ENTRIES
    ]  # fmt: skip
    return {"about": ABOUT, "entries": entries}


if __name__ == "__main__":
    PATH.write_text(json.dumps(certified(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
