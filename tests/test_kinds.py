"""What a table or a frame counts, and where it may go: what cannot be meant cannot be written down."""

import copy
import io
import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from ppdm import (
    Domain,
    MultiGroup,
    RRMatrix,
    Survey,
    Table,
    UnrelatedQuestion,
    count,
    random_groups,
    reports,
    scheme_of,
)
from ppdm.disguise import today
from ppdm.estimate import pool
from ppdm.kinds import ANSWERS, DISTORTED, ESTIMATE, NOT_SAID, of_frame
from ppdm.learn import ID3, NaiveBayes, frequent_itemsets, supports
from ppdm.learn.accuracy import estimated_accuracy
from ppdm.privacy import ladder

AB, ABC = (Domain(tuple(names), ((0, 1),) * len(names)) for names in ("ab", "abc"))
COIN, OTHER = MultiGroup(0.8, [["a"], ["b"]]), UnrelatedQuestion(0.6)
THREE = Survey(
    dict.fromkeys("abc", (0, 1)),
    [{"mechanism": "multi-group", "theta": 0.8, "groups": [["a"], ["b"], ["c"]]}],
)
PEOPLE = Table(AB, [40, 20, 10, 30], kind=ANSWERS)
MODEL = NaiveBayes().fit_table(PEOPLE)


def people(size=400, seed=3):
    """Of those with a = 1, seven in ten have b = 1; of the others three."""
    rng = np.random.default_rng(seed)
    a = rng.random(size) < 0.3
    return pd.DataFrame({"a": a, "b": np.where(rng.random(size) < 0.7, a, ~a)}).astype(int)


def sent(scheme=COIN, size=400):
    return scheme.disguise(people(size), np.random.default_rng(5))


# -- what may go where -----------------------------------------------------------------------

TABLES = {
    "answers": PEOPLE,
    "not said": Table(AB, PEOPLE.values),
    "own reports": COIN.disguise_table(PEOPLE, np.random.default_rng(1)),
    "expected reports": COIN.apply(PEOPLE),
    "other reports": OTHER.disguise_table(PEOPLE, np.random.default_rng(2)),
    "slice": scheme_of(THREE).apply(Table(ABC, np.arange(8) + 10)).where(c=1),
    "estimate": COIN.undo(COIN.apply(PEOPLE)),
    "distorted": Table(AB, PEOPLE.values, kind=DISTORTED),
}
TRUE, FITTING = {"answers", "not said"}, {"own reports", "expected reports"}
MODELS = TRUE | {"estimate"}
STEPS = {
    "disguise": (TRUE, lambda t: COIN.disguise_table(t, np.random.default_rng(1))),
    "apply": (MODELS, COIN.apply),
    "undo": (FITTING, COIN.undo),
    "undo pairs": ({"other reports"}, lambda t: OTHER.undo_pairs(t.pairs("b"))),
    "naive Bayes": (MODELS, NaiveBayes().fit_table),
    "ID3": (MODELS, ID3().fit_table),
    "naive Bayes undoes": (FITTING, NaiveBayes(COIN).fit_table),
    "ID3 undoes": (FITTING, ID3(COIN).fit_table),
    "score": (MODELS, MODEL.score_table),
    "score of reports": (FITTING, lambda t: estimated_accuracy(MODEL, t, COIN)),
    "rules": (MODELS, lambda t: frequent_itemsets(t, 0.1)),
    "rules undo": (FITTING, lambda t: frequent_itemsets(t, 0.1, mechanism=COIN)),
    "supports": (MODELS, supports),
    "pooled as true": (MODELS, lambda t: pool(t, TABLES["own reports"], COIN)),
    "pooled as reports": (FITTING, lambda t: pool(PEOPLE, t, COIN)),
    "prior of an answer": (MODELS, lambda t: COIN.guess_answer(t, "a")),
    "prior of a record": (MODELS, COIN.guess_record),
    "victims": (MODELS, lambda t: ladder.vulnerability(COIN, "a", PEOPLE, t)),
    "belief": (MODELS, lambda t: ladder.belief("others", t)),
    "said to be reports": (FITTING | {"not said"}, lambda t: t.reported_by(COIN)),
}


@pytest.mark.parametrize("step", STEPS)
def test_what_may_go_where(step):
    takes, doing = STEPS[step]
    for name, table in TABLES.items():
        if name in takes:
            doing(table)
            continue
        with pytest.raises(ValueError, match="takes|no reports of|does not count") as refusal:
            doing(table)
        assert "\n" not in str(refusal.value) and 30 < len(str(refusal.value)) < 400


@pytest.mark.parametrize("name", TABLES)
def test_everything_may_be_looked_at_and_taken_for_something_else_aloud(name):
    table = TABLES[name]
    assert table.p(a=1) + table.p(a=0) == pytest.approx(1)
    assert (table + table).kind == table.kind == table.marginal("b", "a").kind
    for what, kind in (
        (COIN, TABLES["own reports"].kind),
        ("answers", ANSWERS),
        ("estimate", ESTIMATE),
    ):
        taken = table.taken_as(what)
        assert taken.kind == kind and "(taken as " in repr(taken)
        assert "(taken as " in repr(taken.marginal("a") * 2)
        assert "(taken as " in repr(taken + taken.of_kind(kind)) and "taken" in repr(
            taken.of_kind(kind) + taken
        )
    assert "taken as reports of MultiGroup" in repr(COIN.undo(table.taken_as(COIN)))
    assert "taken as answers" in repr(COIN.apply(table.taken_as("answers")))
    with pytest.raises(ValueError, match='a scheme, "answers" or "estimate"; got \'truth\''):
        table.taken_as("truth")


def test_only_tables_of_one_kind_are_added():
    for one in TABLES.values():
        for other in TABLES.values():
            if one.kind == other.kind:
                assert (one + other).total == pytest.approx(one.total + other.total)
            else:
                with pytest.raises(ValueError, match="cannot be added: undo the reports first"):
                    one + other


# -- the mistakes of the review ----------------------------------------------------------------

ROWS = {"a": [[0.9, 0.1], [0.1, 0.9]], "b": [[0.9, 0.1], [0.1, 0.9]]}
OTHER_ROWS = {name: RRMatrix.warner(2, 0.6).M for name in "ab"}


def warner_survey(p):
    return scheme_of(
        Survey(
            dict.fromkeys("ab", (0, 1)), [{"mechanism": "warner", "p": p, "attributes": ["a", "b"]}]
        )
    )


@pytest.mark.parametrize(
    ("made", "taken"),
    [
        (RRMatrix(ROWS), RRMatrix(OTHER_ROWS)),  # one repr for both: a class share of 1.11
        (warner_survey(0.9), warner_survey(0.6)),  # 1.12
        (
            UnrelatedQuestion(0.6, Table(AB, [1, 1, 1, 1])),
            UnrelatedQuestion(0.6, Table(AB, [4, 3, 2, 1])),
        ),
        (MultiGroup(0.8, [["a", "b"]]), MultiGroup(0.8, [["a"], ["b"]])),
        (MultiGroup(0.8), OTHER),
    ],
    ids=["matrices", "surveys", "joint tables", "groups", "kinds"],
)
def test_reports_of_one_scheme_are_not_undone_by_another(made, taken):
    frame = sent(made)
    for doing in (
        lambda: taken.undo(count(frame)),
        lambda: count(frame, taken),
        lambda: reports(frame, taken),
        lambda: count(frame).reported_by(taken),
        lambda: NaiveBayes(taken).fit(frame[["a"]], frame["b"]),
        lambda: ID3(taken).fit(frame, "b"),
        lambda: (
            NaiveBayes()
            .fit_table(PEOPLE)
            .set_params(mechanism=taken)
            .score(frame[["a"]], frame["b"])
        ),
    ):
        with pytest.raises(
            ValueError, match=r"disguised in another way|marked as|so it does not count"
        ):
            doing()
    assert made.undo(count(frame)).p(a=1) == pytest.approx(0.3, abs=0.3)  # five standard errors


def test_absent_is_part_of_what_a_scheme_does():
    """Its repr left it out, and by its repr the scheme was known."""
    votes = pd.DataFrame({"a": pd.Categorical(list("nyunyu"), ["n", "y", "u"])})
    frame = MultiGroup(0.8, absent="u").disguise(votes, np.random.default_rng(1))
    with pytest.raises(ValueError, match="disguised in another way"):
        MultiGroup(0.8, absent="n").undo(count(frame))


def test_a_cell_of_a_notebook_that_is_run_twice_is_refused():
    """Disguised twice: .38 for .3; undone twice: .16; undone what was never disguised: .17."""
    frame, rng = sent(), np.random.default_rng(6)
    with pytest.raises(
        ValueError, match="disguise takes answers, not reports: who is disguised twice"
    ):
        COIN.disguise(frame, rng)
    with pytest.raises(ValueError, match="disguise takes answers, not reports"):
        COIN.disguise_table(count(frame), rng)
    once = COIN.undo(count(frame))
    with pytest.raises(ValueError, match="undo takes reports, not an estimate: it has been undone"):
        COIN.undo(once)
    with pytest.raises(
        ValueError, match="undo takes reports, not data that do not say what they are"
    ):
        COIN.undo(count(people()))
    with pytest.raises(
        ValueError, match="undo takes reports, not true answers: there is nothing to"
    ):
        COIN.undo(PEOPLE)
    model = NaiveBayes(COIN).fit(frame[["a"]], frame["b"])
    with pytest.raises(ValueError, match="undo takes reports"):  # a share of 1.46
        model.score(people()[["a"]], people()["b"])


def test_undo_first_then_condition():
    """A slice by a reported answer, undone: .90 for .70; a slice by an open one may be."""
    scheme, frame = MultiGroup(0.8, [["a", "b"]]), people(50_000)
    frame["open"] = np.arange(50_000) % 2
    table = count(scheme.disguise(frame, np.random.default_rng(8)))
    with pytest.raises(ValueError, match="not a slice of reports: undo first, then condition"):
        scheme.undo(table.where(a=1))
    for parts in (("b",), ("b", "open")):
        with pytest.raises(ValueError, match="undo first, then condition"):
            scheme.undo(table.where(a=1).marginal(*parts))
    once = scheme.undo(table)
    assert once.where(a=1).p(b=1) == pytest.approx(0.7, abs=0.1)  # six standard errors and more
    half = scheme.undo(table.where(open=1))
    np.testing.assert_allclose(half.dense, once.where(open=1).dense, atol=1e-6)
    assert (
        table.where(a=1).kind != table.kind
        and (table.where(a=0) + table.where(a=1)).total == 50_000
    )


@pytest.mark.parametrize(
    "column", [[1, 2, 4, 5], [1, 2], [1, 1], ["a", "b"], [0.0, 0.5], [0, 0], [1.0, 1.0]], ids=str
)
def test_levels_are_declared_and_never_those_that_happen_to_occur(column):
    """Of 2,000 batches of 15 people, 1,187 lacked a level of five, and nobody was told; answers coded
    1 and 2, all of them 1, came back as 0 and 1."""
    frame, rng = pd.DataFrame({"v": column}), np.random.default_rng(1)
    for scheme in (UnrelatedQuestion(0.6), MultiGroup(0.8), RRMatrix.warner(2, 0.8)):
        with pytest.raises(
            ValueError, match="not known what else could have been answered: declare"
        ):
            scheme.disguise(frame, rng)
    declared = sorted({*column, 99}) if isinstance(column[0], (int, float)) else ["a", "b", "c"]
    frame = UnrelatedQuestion(0.6).disguise(frame, rng, {"v": declared})
    assert count(frame).levels == (tuple(declared),)  # whoever happens to be among them
    with pytest.raises(ValueError, match="in this order; given are"):
        count(frame, {"v": declared[::-1]})


@pytest.mark.parametrize(
    "levels", [("no", "yes"), ("yes", "no"), (1, 2), (False, True), (1, 0)], ids=str
)
def test_a_matrix_that_is_not_alike_for_all_says_whose_columns_it_has(levels):
    """The same reports gave .296 or 1.296, as whoever counted them ordered the levels."""
    domain, M = Domain(("v",), (levels,)), [[0.9, 0.5], [0.1, 0.5]]
    table = Table(domain, [7, 3])
    if levels == (False, True):  # the numbers 0 and 1
        assert RRMatrix({"v": M}).apply(table).dense == pytest.approx([7.8, 2.2])
        return
    for scheme in (RRMatrix({"v": M}), RRMatrix(M)):
        with pytest.raises(ValueError, match="does not treat all answers alike.*inputs="):
            scheme.apply(table)
        with pytest.raises(ValueError, match="inputs="):
            table.reported_by(scheme)
    named = RRMatrix({"v": M}, inputs={"v": levels})
    frame = pd.DataFrame({"v": [levels[0]] * 700 + [levels[1]] * 300}).astype(object)
    counted = count(named.disguise(frame, np.random.default_rng(2)))
    assert counted.levels == (levels,)
    assert named.undo(counted).p(v=levels[1]) == pytest.approx(0.3, abs=0.3)
    assert RRMatrix.warner(2, 0.8).apply(table).levels == (levels,)


def test_many_coins_are_scored_or_refused():
    """14 coins took seven seconds, 40 never ended; 40 matrices asked for 8 TiB."""
    rng = np.random.default_rng(4)
    for size in (16, 40):
        names = [f"q{i}" for i in range(size)]
        true = pd.DataFrame(rng.integers(0, 2, (300, size)), columns=names)
        for scheme in (
            MultiGroup(0.9, [[name] for name in names]),
            RRMatrix({name: [[0.9, 0.1], [0.1, 0.9]] for name in names}),
        ):
            frame = scheme.disguise(true, rng)
            model = NaiveBayes(scheme).fit(frame, names[-1])
            if size == 40:
                with pytest.raises(ValueError, match="estimate from fewer protected attributes"):
                    model.score(frame[names[:-1]], frame[names[-1]])
                continue
            expected = model.score_table(scheme.undo(count(frame).densified()))
            assert model.score(frame[names[:-1]], frame[names[-1]]) == pytest.approx(
                expected, abs=1e-6
            )


def test_a_scheme_that_protects_nobody_is_none():
    """`MultiGroup(.8, []).epsilon()` was 0, as if nothing could be learned."""
    for made in (
        lambda: MultiGroup(0.8, []),
        lambda: MultiGroup(0.8, [[]]),
        lambda: MultiGroup(0.8, [["a"], []]),
        lambda: UnrelatedQuestion(0.8, None, []),
        lambda: RRMatrix({}),
    ):
        with pytest.raises(ValueError, match="protects"):
            made()
    for scheme in (MultiGroup(0.8, [["a"]]), RRMatrix({"a": ROWS["a"]}), today.OneSampled(AB, 1.0)):
        with pytest.raises(ValueError, match="unknown attribute 'Zzz'|needs the domain"):
            scheme.epsilon("Zzz")
    assert MultiGroup(0.8, [["a"]]).epsilon() == pytest.approx(np.log(4))
    assert MultiGroup(0.8, [["a"]]).epsilon(domain=AB) == np.inf


def test_numbers_of_another_shape_are_refused():
    """A square cross table, transposed, gave P(a=1) for P(b=1)."""
    domain = Domain(("a", "b"), ((0, 1), (0, 1, 2)))
    with pytest.raises(ValueError, match=r"shape \(2, 3\), .* the numbers have \(3, 2\)"):
        Table(domain, np.arange(6).reshape(3, 2))
    assert Table(domain, np.arange(6).reshape(2, 3)).n(a=1, b=0) == 3
    frame = people()
    cross = pd.crosstab(frame["b"], frame["a"])
    with pytest.raises(ValueError, match="a frame says which rows and columns it has"):
        Table(AB, cross)
    assert (
        Table.from_crosstab(cross).marginal("a", "b").dense.tolist() == count(frame).dense.tolist()
    )
    with pytest.raises(ValueError, match="a cross table of b, a.*from_crosstab"):
        count(cross)  # its four cells were counted as two records
    with pytest.raises(
        ValueError, match="undo takes a table; got a DataFrame: Table.from_crosstab"
    ):
        COIN.undo(cross)


def test_a_matrix_that_may_have_been_given_by_rows_is_said():
    """[.438 .522 .040] for .6 .3 .1, without a word."""
    by_rows = np.array([[0.6, 0.3, 0.1], [0.1, 0.6, 0.3], [0.3, 0.1, 0.6]])
    with pytest.warns(UserWarning, match="the rows of this matrix sum to one, as its columns do"):
        RRMatrix(by_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RRMatrix.warner(3, 0.6)
        RRMatrix([[0.7, 0.2, 0.1], [0.2, 0.6, 0.3], [0.1, 0.2, 0.6]])


def test_a_set_has_no_order():
    for doing in (
        lambda: Domain(("v",), ({"no", "yes"},)),
        lambda: count(pd.DataFrame({"v": ["no"]}), {"v": {"no", "yes"}}),
        lambda: Survey({"v": {"no", "yes"}}),
        lambda: RRMatrix({"v": ROWS["a"]}, outputs={"v": {"no", "yes"}}),
        lambda: UnrelatedQuestion(0.5).disguise(
            pd.DataFrame({"v": ["no"]}), np.random.default_rng(1), {"v": {"no", "yes"}}
        ),
    ):
        with pytest.raises(ValueError, match="stand in an order"):
            doing()


def test_nothing_is_kept_of_tables_that_were_undone():
    """After 24 undos of a table with 2^20 cells the process held 1.6 GB."""
    names = [f"q{i:02}" for i in range(16)]
    table = Table(Domain(tuple(names), ((0, 1),) * 16), np.ones(2**16))
    rng = np.random.default_rng(1)

    def undone():
        scheme = MultiGroup(0.8, random_groups(names, 10, rng))
        return scheme.undo(scheme.apply(table)).total

    undone()
    tracemalloc.start()
    try:
        for _ in range(24):
            undone()
        left = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert left < 4 * 8 * 2**16  # of 24 lists of partners, or tables, not even four


# -- frozen is frozen ---------------------------------------------------------------------------

LOPSIDED = {"a": [[0.8, 0.3], [0.2, 0.7]]}
SCHEMES = {
    "groups": lambda: MultiGroup(0.8, [["a"], ["b"]]),
    "absent": lambda: MultiGroup(0.8, [["a"]], absent="u"),
    "mixture": lambda: UnrelatedQuestion(0.6, {"a": [0.2, 0.8]}),
    "joint": lambda: UnrelatedQuestion(0.6, Table(AB, [4, 3, 2, 1])),
    "matrix": lambda: RRMatrix(LOPSIDED, inputs={"a": [0, 1]}, prior={"a": [0.5, 0.5]}),
    "one matrix": lambda: RRMatrix(LOPSIDED["a"]),
    "sampled": lambda: today.OneSampled(AB, 1.0),
    "survey": lambda: warner_survey(0.8),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_cannot_be_changed_and_is_what_its_copies_are(name):
    """`coin.theta = .6` after the disguise: -.1 for .3."""
    scheme, same = SCHEMES[name](), SCHEMES[name]()
    text = repr(scheme)
    for attribute in [*vars(scheme)]:
        with pytest.raises(TypeError, match="is fixed, as reports .* make another"):
            setattr(scheme, attribute, 0.6)
        with pytest.raises(TypeError, match="is fixed"):
            delattr(scheme, attribute)
    with pytest.raises(TypeError, match="has no parameter 'thta'; it has"):
        scheme.thta = 0.6
    for twin in (
        same, copy.copy(scheme), copy.deepcopy(scheme), pickle.loads(pickle.dumps(scheme)),
        clone(scheme), type(scheme)(**scheme.get_params()), clone(scheme).set_params(),
    ):  # fmt: skip
        assert twin == scheme and hash(twin) == hash(scheme) and repr(twin) == text
    others = [make() for other, make in SCHEMES.items() if other != name]
    assert all(scheme != other for other in [*others, None, 0.8])
    with pytest.raises(ValueError, match="has no parameter thteta; it has"):
        scheme.set_params(thteta=0.6)
    assert scheme == same


def test_another_parameter_makes_another_scheme_or_is_refused():
    scheme = MultiGroup(0.8)
    other = clone(scheme).set_params(theta=0.7)
    assert other == MultiGroup(0.7) != scheme and scheme.theta == 0.8
    with pytest.raises(ValueError, match="theta is a probability"):
        other.set_params(theta=80)
    assert other == MultiGroup(0.7)


def test_what_a_scheme_or_a_table_holds_cannot_be_written_to():
    mixture, matrix = SCHEMES["mixture"](), SCHEMES["matrix"]()
    for array in (
        mixture.personal["a"],
        matrix.matrices["a"],
        matrix.prior["a"],
        PEOPLE.dense,
        PEOPLE.values,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.9
    with pytest.raises(TypeError):
        mixture.personal["b"] = [0.5, 0.5]
    with pytest.raises((TypeError, ValueError, AttributeError)):
        warner_survey(0.7).survey.protection[0]["p"] = 0.9
    given = {"a": [0.2, 0.8]}
    scheme = UnrelatedQuestion(0.6, given)
    given["a"][0] = 0.9
    assert scheme == mixture
    sure = UnrelatedQuestion(1.0)
    table = sure.apply(PEOPLE)
    undone = sure.undo(table)  # once the same object, with the kind of reports
    assert undone is not table and undone.kind == ESTIMATE != table.kind


def test_tables_and_kinds_survive_copies():
    for table in TABLES.values():
        for twin in (copy.copy(table), copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
            assert twin.kind == table.kind and hash(twin.kind) == hash(table.kind)
            assert twin.domain == table.domain and np.array_equal(twin.values, table.values)
            assert repr(twin) == repr(table)


# -- fingerprints --------------------------------------------------------------------------------


def kind(scheme, names="a", levels=(0, 1)):
    return scheme.on(Domain(tuple(names), (levels,) * len(names))).kind


TALL = [[0.6, 0.1], [0.2, 0.6], [0.2, 0.3]]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (kind(MultiGroup(0.8), "abcdefghij"), kind(MultiGroup(0.8, [list("jihgfedcba")]), "abcdefghij"), True),
        (kind(MultiGroup(0.8), "abcdefghij").only("ca"), kind(MultiGroup(0.8), "ac"), True),
        (kind(MultiGroup(0.8)), kind(RRMatrix.warner(2, 0.8)), True),
        (kind(MultiGroup(0.8)), kind(UnrelatedQuestion(0.6)), True),
        (kind(UnrelatedQuestion(0.6)), kind(UnrelatedQuestion(0.6, {"a": [0.5, 0.5]})), True),
        (kind(MultiGroup(0.1 + 0.2)), kind(MultiGroup(0.3)), True),
        (kind(MultiGroup(0.8)), kind(MultiGroup(0.8), levels=(False, True)), True),
        (kind(RRMatrix({"a": TALL})), kind(RRMatrix({"a": TALL}, prior={"a": [0.9, 0.1]})), True),
        (kind(RRMatrix(LOPSIDED)), kind(RRMatrix(LOPSIDED, inputs={"a": [0, 1]})), True),
        (kind(OTHER, "abc").only("b"), kind(UnrelatedQuestion(0.6, None, [["b"], ["c"]]), "bc").only("b"), True),
        (kind(warner_survey(0.8), "ab"), kind(MultiGroup(0.8, [["b"], ["a"]]), "ab"), True),
        (kind(MultiGroup(0.8)), kind(MultiGroup(0.8), "b"), False),
        (kind(MultiGroup(0.8)), kind(MultiGroup(0.8), levels=(1, 0)), False),
        (kind(MultiGroup(0.8)), kind(MultiGroup(0.8), levels=("0", "1")), False),
        (kind(MultiGroup(0.8)), kind(MultiGroup(0.8 + 1e-9)), False),
        (kind(MultiGroup(0.8), "ab"), kind(MultiGroup(0.8, [["a"], ["b"]]), "ab"), False),
        (kind(OTHER, "ab"), kind(UnrelatedQuestion(0.6, None, [["a"], ["b"]]), "ab"), False),
    ],
)  # fmt: skip
def test_a_fingerprint_is_what_is_done_and_not_how_it_is_spelled(one, other, same):
    assert (one == other) is same
    assert not same or hash(one) == hash(other)


def test_reports_of_an_equal_scheme_are_its_own():
    frame = sent(MultiGroup(0.8, [["a"]]))
    for scheme in (
        RRMatrix({"a": RRMatrix.warner(2, 0.8).M}),
        UnrelatedQuestion(0.6, None, [["a"]]),
    ):
        assert scheme.undo(count(frame)).kind == ESTIMATE
        assert scheme.undo(count(frame)).p(a=1) == pytest.approx(
            MultiGroup(0.8, [["a"]]).undo(count(frame)).p(a=1)
        )


# -- marks through pandas --------------------------------------------------------------------------

MARKED = sent()
KEPT = {
    "a copy": lambda f: f.copy(),
    "a part": lambda f: f[f["a"] == 1],
    "one twice": lambda f: f.sample(600, replace=True, random_state=1),
    "a column more": lambda f: f.assign(more=1),
    "other numbers": lambda f: f.astype("float32"),
    "categories": lambda f: f.astype("category"),
    "a train set": lambda f: train_test_split(f, random_state=1)[0],
    "parquet": lambda f: through(f, "parquet"),
    "no rows": lambda f: f.head(0),
    "labels that stand twice": lambda f: COIN.disguise(
        pd.concat([people(len(f))] * 2), np.random.default_rng(1)
    ).tail(len(f)),
}
LOST = {
    "merged": lambda f: f.merge(
        people(len(f)).add_prefix("true "), left_index=True, right_index=True
    ),
    "beside others": lambda f: pd.concat([f[["a"]], people(len(f))[["b"]]], axis=1),
    "above others": lambda f: pd.concat([f, people(len(f))]),
    "two draws": lambda f: pd.concat([f, COIN.disguise(people(len(f)), np.random.default_rng(9))]),
    "sums": lambda f: f.groupby("a", as_index=False).sum(),
    "means": lambda f: f.groupby("a").mean(),
    "turned": lambda f: 1 - f,
    "coded anew": lambda f: f.replace({0: 1, 1: 0}),
    "renamed crosswise": lambda f: f.rename(columns={"a": "b", "b": "a"}),
    "shuffled, and numbered anew": lambda f: f.sample(frac=1, random_state=1).reset_index(
        drop=True
    ),
    "a train set, numbered anew": lambda f: train_test_split(f, random_state=1)[0].reset_index(
        drop=True
    ),
    "a table of them": lambda f: f.value_counts().reset_index(),
    "CSV": lambda f: through(f, "csv"),
    "NumPy": lambda f: pd.DataFrame(f.to_numpy(), columns=f.columns),
}


def through(frame, kind):
    file = io.BytesIO()
    getattr(frame, f"to_{kind}")(file, index=kind == "parquet")
    file.seek(0)
    return getattr(pd, f"read_{kind}")(file)


@pytest.mark.parametrize("size", [400, 5_000])  # all rows vouch for the mark, or some
@pytest.mark.parametrize("change", [*KEPT, *LOST])
def test_a_mark_is_read_as_long_as_it_is_true(change, size):
    """Sums, means and turned columns kept a mark that was no longer so; where it cannot be vouched
    for, it is not said, and undo refuses."""
    frame = {**KEPT, **LOST}[change](sent(size=size))
    if change in KEPT:
        assert of_frame(frame) == of_frame(MARKED)
        assert count(frame).kind.channels == of_frame(MARKED).channels
        return
    assert of_frame(frame) == NOT_SAID
    if set(frame.columns) >= {"a", "b"} and len(frame):
        with pytest.raises(
            ValueError, match="data that do not say what they are|not among its levels"
        ):
            COIN.undo(count(frame[["a", "b"]], AB))


def test_a_column_that_is_replaced_loses_its_own_mark_alone():
    frame = sent().assign(a=people()["a"])
    assert of_frame(frame) == of_frame(sent()[["b"]]) != NOT_SAID
    with pytest.raises(
        ValueError, match="protects a, and the data do not say that this was reported"
    ):
        COIN.undo(count(frame))
    frame = COIN.disguise(people().assign(open=1), np.random.default_rng(1))
    assert of_frame(frame[["open"]]).disguised == () and of_frame(frame).disguised == ("a", "b")


# -- side by side -----------------------------------------------------------------------------------


def test_columns_of_two_schemes_are_undone_block_by_block():
    """Standard errors below .012; five of them."""
    true, rng = people(20_000), np.random.default_rng(7)
    first, second = MultiGroup(0.8, [["a"]]), UnrelatedQuestion(0.6, None, [["b"]])
    both = second.disguise(first.disguise(true, rng), rng)
    bare = pd.DataFrame(both.to_numpy(), columns=both.columns)
    by_hand = reports(reports(bare, first), second)
    assert of_frame(by_hand) == of_frame(both) and set(of_frame(both).disguised) == {"a", "b"}
    drawn = second.disguise_table(first.disguise_table(count(true), rng), rng)
    assert drawn.kind == count(both).kind == second.apply(first.apply(count(true))).kind
    for table in (count(both), drawn):
        for one, other in ((first, second), (second, first)):
            half = one.undo(table)
            assert half.kind.what == "reports" and half.kind.disguised == other.named
            with pytest.raises(ValueError, match="the data do not say that this was reported"):
                one.undo(half)
            assert other.undo(half).kind == ESTIMATE
            assert other.undo(half).where(a=1).p(b=1) == pytest.approx(0.7, abs=0.06)
    with pytest.raises(ValueError, match="a frame is marked once"):
        reports(both, first)
    with pytest.raises(ValueError, match="who is disguised twice"):
        first.disguise(both, rng)


# -- against the plain reading -----------------------------------------------------------------------
