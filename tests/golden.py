"""The golden file's second computation: every certified number from a formula of its own, with fifty digits.

Nothing here is ppdm's: no matrix is inverted, and no float is used. Errors come from the formulas' slopes
in the counts. `python tests/golden.py` writes the file.
Each entry is a survey (its file), the counts of its reports (an axis a question), what is estimated, and a function
of the counts that certifies it.
"""

import json
from decimal import Decimal, getcontext
from itertools import chain
from math import comb
from pathlib import Path

getcontext().prec = 50
D = Decimal
PATH = Path(__file__).parent.parent / "ppdm" / "survey" / "stored" / "golden.json"
Z = D("1.95996398454005423552459443052055152795555007786954839847695264636")
YESNO = ["no", "yes"]
ABOUT = (
    "Certified results for randomized response: what a survey's file and the counts of its reports give. Reports are "
    "in the order of the scheme, questions in that of the file. Every number was computed with fifty digits "
    "from a closed formula, errors from its slopes; twelve are printed. Standard errors are those of means over n "
    "respondents drawn one by one, with n - 1, unless the method says otherwise."
)


# Errors -----------------------------------------------------------------------------------------------


def errors(formula, counts, spare: int = 1) -> dict[str, D]:
    """What a formula gives of the shares of the cells, with standard errors: of a mean of what each report is worth,
    which is the formula's slope in its cell, by differences of 10^-20; with n - 1, or n."""
    n, step = sum(counts), D(10) ** -20
    shares = [D(count) / n for count in counts]

    def moved(cell: int, by: D) -> dict[str, D]:
        return formula(*shares[:cell], shares[cell] + by, *shares[cell + 1 :])

    ends = [(moved(cell, step), moved(cell, -step)) for cell in range(len(counts))]
    result = {}
    for key, value in formula(*shares).items():
        worth = [(high[key] - low[key]) / (2 * step) for high, low in ends]
        mean, square = (sum(f * w**k for f, w in zip(shares, worth, strict=True)) for k in (1, 2))
        name = key.replace("share", "se").replace("difference", "se")
        name = f"se of {key}" if name == key else name
        result |= {key: value, name: ((square - mean**2) / (n - spare)).sqrt()}
    return result


# Formulas: each from the source that its entry names -----------------------------------------------


def slope(a: D, b: D, counts: list[int]) -> dict[str, D]:
    """A share by λ = a + b π for the reports that are the last ones of two."""
    return errors(lambda no, yes: {"share": (yes - a) / b}, counts)


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
    other = (1 - p) / 2
    return errors(
        lambda *told: {f"share {i}": (t - other) / (p - other) for i, t in enumerate(told)}, counts
    )


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

    def formula(a, b, c, d):
        told, gap = (b / (a + b), d / (c + d)), f[1] - f[0]
        yes, no = (f[1] * told[0] - f[0] * told[1]) / gap, (told[1] - told[0]) / gap
        return {"followed": yes + no, "share": yes / (yes + no)}

    return errors(formula, counts)


def anchored(p: D, table: list[list[int]]) -> dict[str, D]:
    """cWise's correction, for an anchor that nobody says yes to: the share of the attentive from it, and the rest answers
    anything; errors by the delta method; the interval is Fieller's."""
    counts, half = [*chain(*table)], D("0.5")

    def distances(one, a, b, both):
        """How far both are from one half, and their sum."""
        asked, anchor = b + both - half, a + both - half
        return {"asked": asked, "anchor": anchor, "sum": asked + anchor}

    def formula(*cells):
        asked, anchor, _ = distances(*cells).values()
        followed = anchor / (half - p)
        return {"followed": followed, "share": (asked / followed + p - half) / (2 * p - 1)}

    g, of_g, a, of_a, _, of_sum = errors(distances, counts).values()
    cov = (of_sum**2 - of_g**2 - of_a**2) / 2
    A, B, C = a * a - (Z * of_a) ** 2, g * a - Z**2 * cov, g * g - (Z * of_g) ** 2
    root = (B * B - A * C).sqrt()
    ends = sorted(half - (B + sign * root) / (2 * A) for sign in (1, -1))
    return errors(formula, counts) | dict(zip(("low", "high"), ends, strict=True))


def undone(p: D, cells) -> dict[tuple[int, int], D]:
    """The shares of all pairs of answers to two questions, each by Warner with p."""
    one = {True: p / (2 * p - 1), False: (p - 1) / (2 * p - 1)}
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1)]
    return {
        (a, b): sum(f * one[a == i] * one[b == j] for f, (i, j) in zip(cells, pairs, strict=True))
        for a, b in pairs
    }


def paired(p: D, table: list[list[int]]) -> dict[str, D]:
    return errors(lambda *cells: {"share": undone(p, cells)[1, 1]}, [*chain(*table)])


def compared(p: D, table: list[list[int]]) -> dict[str, D]:
    """P(yes to A | yes to B) - P(yes to A | no to B), both by Warner; the error linearized."""

    def formula(*cells):
        s = undone(p, cells)
        first, second = (s[1, b] / (s[0, b] + s[1, b]) for b in (1, 0))
        return {"difference": first - second}

    return errors(formula, [*chain(*table)])


def weighed(p: D, weights: list[int], said: list[int]) -> dict[str, D]:
    """A weighted mean of what each report is worth, its error linearized, with n / (n - 1)."""
    n, total = len(said), D(sum(weights))
    worth = [(D(s) - (1 - p)) / (2 * p - 1) for s in said]
    share = sum((w * v for w, v in zip(weights, worth, strict=True)), D(0)) / total
    squares = sum(((w * (v - share)) ** 2 for w, v in zip(weights, worth, strict=True)), D(0))
    return {"share": share, "se": (squares * n / (n - 1)).sqrt() / total}


def logistic(p: D, table: list[list[int]]) -> dict[str, D]:
    """Who says yes, by a covariate of two values: the likelihood's peak undoes each group by itself."""

    def formula(a, b, c, d):
        shares = [(yes / (no + yes) - (1 - p)) / (2 * p - 1) for no, yes in ((a, c), (b, d))]
        logits = [(share / (1 - share)).ln() for share in shares]
        return {"(intercept)": logits[0], "slope": logits[1] - logits[0]}

    return errors(formula, [*chain(*table)], 0)


def on_hidden(p: D, table: list[list[int]]) -> dict[str, D]:
    """The same by a covariate that is disguised, too: logits of the four undone shares; errors with n, by the delta method."""

    def formula(*cells):
        s = undone(p, cells)
        logits = [(s[1, b] / s[0, b]).ln() for b in (0, 1)]
        return {"(intercept)": logits[0], "slope": logits[1] - logits[0]}

    return errors(formula, [*chain(*table)], 0)


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
    return errors(
        lambda *told: {
            f"share {x}": sum(10 * D(minor(y, x)) / det * t for y, t in enumerate(told))
            for x in range(3)
        },
        counts,
    )


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
