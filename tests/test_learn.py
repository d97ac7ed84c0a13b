"""Naive Bayes and ID3: against the plain readings, against scikit-learn, from disguised data."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import plain
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import CategoricalNB
from sklearn.tree import DecisionTreeClassifier

from ppdm import (
    Domain,
    MultiGroup,
    RRMatrix,
    Table,
    UnrelatedQuestion,
    count,
    folding,
    places,
    random_groups,
    reports,
)
from ppdm.folding import dense_pairs
from ppdm.learn import ID3, J48, NaiveBayes, association_rules, frequent_itemsets, supports
from ppdm.learn.accuracy import estimated_accuracy


def survey(size=250, seed=1, categorical=False):
    """Correlated answers with a class that depends on them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        (rng.random((size, 4)) < [0.3, 0.5, 0.6, 0.4]).astype(int), columns=list("ABDE")
    )
    if categorical:
        frame["B"] = pd.Categorical.from_codes(rng.integers(0, 3, size), ["low", "mid", "top"])
    strange = (frame["B"] == "top") if categorical else frame["B"] == 1
    truth = (frame["A"] == 1) ^ strange ^ (rng.random(size) < 0.15)
    return frame, pd.Series(truth.astype(int), name="C", index=frame.index)


def levels_of(frame):
    domain = count(frame).domain
    return dict(zip(domain.names, domain.levels, strict=True))


# -- ID3 against the paper, read aloud ---------------------------------------------------------


def plain_id3(records, estimate, negative="clip"):
    levels = levels_of(records)
    attributes = [name for name in records.columns if name != "C"]
    return plain.id3(estimate, attributes, levels, "C", negative=negative)


@pytest.mark.parametrize("negative", ["clip", "literal"])
@pytest.mark.parametrize("theta", [0.0, 0.15, 0.4, 0.7, 0.9, 1.0])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_trees_from_disguised_data_equal_the_plain_reading(theta, number, negative):
    X, y = survey()
    records = X.assign(C=y)
    groups = random_groups(list(records.columns), number, np.random.default_rng(number))
    scheme = MultiGroup(theta, groups)
    disguised = scheme.disguise(records, np.random.default_rng(7))

    def estimate(expression):
        return plain.estimate_by_groups(disguised, expression, theta, groups)

    expected = plain_id3(records, estimate, negative)
    reports = count(disguised)
    for table in (reports.densified(), reports.sparsified()):
        model = ID3(scheme, negative).fit_table(table, "C")
        assert plain.tree_of(model) == expected
    by_records = ID3(scheme, negative).fit(disguised[X.columns], disguised["C"])
    assert plain.tree_of(by_records) == expected


@pytest.mark.parametrize("categorical", [False, True])
def test_plain_trees_equal_the_plain_reading(categorical):
    X, y = survey(categorical=categorical)
    records = X.assign(C=y)
    expected = plain_id3(records, lambda e: plain.satisfying(records, e))
    for table in (count(records).densified(), count(records).sparsified()):
        assert plain.tree_of(ID3().fit_table(table, "C")) == expected
    if categorical:
        scheme = UnrelatedQuestion(0.5)
        disguised = scheme.disguise(records, np.random.default_rng(2))
        levels = levels_of(records)
        expected = plain_id3(
            records, lambda e: plain.estimate_by_unrelated(disguised, e, 0.5, levels)
        )
        assert plain.tree_of(ID3(scheme).fit_table(count(disguised), "C")) == expected


def test_untied_splits_are_scikit_learns():
    """Same attribute at every node where the largest gain is not tied; noise makes ties rare."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame((rng.random((4_000, 7)) < rng.random(7)).astype(int)).add_prefix("x")
    y = ((X.sum(axis=1) > 3) ^ (rng.random(4_000) < 0.2)).astype(int)
    ours = ID3().fit(X, y)
    theirs = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y).tree_
    compared = 0

    def walk(mine, node, rows):
        nonlocal compared
        left = [a for a in X.columns if X.loc[rows, a].nunique() == 2]
        if ours.tree_.attribute[mine] < 0 or theirs.feature[node] < 0 or not left:
            return
        gains = sorted(gain(X.loc[rows, a], y[rows]) for a in left)
        if len(gains) > 1 and gains[-1] - gains[-2] < 1e-9:
            return
        assert ours.tree_.attribute[mine] == theirs.feature[node]
        compared += 1
        column = X.iloc[:, theirs.feature[node]]
        children = list(ours.tree_.children(mine))
        walk(children[0], theirs.children_left[node], rows & (column == 0))
        walk(children[1], theirs.children_right[node], rows & (column == 1))

    walk(0, 0, np.ones(len(X), dtype=bool))
    assert compared > 40


def gain(column, y):
    def entropy(part):
        shares = part.value_counts(normalize=True)
        return -(shares * np.log2(shares)).sum()

    return entropy(y) - sum((column == v).mean() * entropy(y[column == v]) for v in column.unique())


def test_pruning_loses_no_right_answers_and_keeps_a_perfect_tree():
    X, y = survey(1_500)
    others, classes = survey(1_500, seed=2)
    test = count(others.assign(C=classes))
    full = ID3().fit(X, y)
    small = full.pruned(test)
    assert small.tree_.n_leaves < full.tree_.n_leaves
    assert small.score_table(test) >= full.score_table(test)
    perfect = pd.DataFrame({"A": [0, 0, 1, 1], "B": [0, 1, 0, 1]})
    xor = ID3().fit(perfect, pd.Series([0, 1, 1, 0], name="C"))
    kept = xor.pruned(count(perfect.assign(C=[0, 1, 1, 0])))
    assert plain.tree_of(kept) == plain.tree_of(xor)
    scheme = MultiGroup(0.9, [["A", "B", "C"]])
    reported = ID3(scheme).fit_table(scheme.apply(count(X.assign(C=y))), "C")
    assert reported.pruned(scheme.apply(test)).tree_.n_leaves == small.tree_.n_leaves


def test_pruning_takes_the_test_tables_attributes_by_name():
    """Their order was taken for that of training: accuracy fell from 1 to one half."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"A": rng.integers(0, 3, 400), "B": rng.integers(0, 2, 400)})
    frame["C"] = (frame["A"] == 2).astype(int)
    model = ID3().fit_table(count(frame))
    pruned = model.pruned(count(frame[["B", "C", "A"]]))
    assert pruned.export_text() == model.pruned(count(frame)).export_text()
    assert pruned.domain_ == model.domain_
    assert (pruned.predict(frame[["A", "B"]]) == frame["C"]).all()


@pytest.mark.parametrize("learner", [ID3(), NaiveBayes()])
def test_a_table_with_other_levels_than_those_learned_is_refused(learner):
    """The class's too: counted in another order, .95 right answers were .05; with 400,000 classes
    pruning wrote outside its memory."""
    frame = pd.DataFrame({"A": list("aabb") * 5, "B": [0, 1] * 10, "C": list("nyny") * 5})
    model = learner.fit_table(count(frame))
    without_a, without_n = frame[frame["A"] != "a"], frame[frame["C"] != "n"]
    others = [
        (count(without_a), "'A' has the levels b in the table, and a, b in what was learned"),
        (count(without_n), "'C' has the levels y in the table, and n, y in what was learned"),
        (count(frame, {"C": ("y", "n")}), "'C' has the levels y, n in the table"),
        (count(frame, {"C": ("n", "y", "z")}), "'C' has the levels n, y, z in the table"),
    ]
    for table, message in others:
        for ask in (
            model.score_table,
            model.confusion,
            lambda table: model.is_right(table.domain),
            lambda table: estimated_accuracy(
                model, table.reported_by(UnrelatedQuestion(1.0)), UnrelatedQuestion(1.0)
            ),
            getattr(model, "pruned", model.confusion),
        ):
            with pytest.raises(ValueError, match=f"{message}.*levels=model.record_domain_"):
                ask(table)
    for part in (without_a, without_n):
        again = count(part, levels=model.record_domain_)
        assert model.score_table(again) == model.score(part[["A", "B"]], part["C"]) == 1
    with pytest.raises(ValueError, match="unknown attribute 'C'; the table has A, B"):
        model.score_table(count(frame[["A", "B"]]))


# -- naive Bayes ---------------------------------------------------------------------------


@pytest.mark.parametrize("categorical", [False, True])
def test_naive_bayes_equals_categorical_nb(categorical):
    X, y = survey(categorical=categorical)
    ours = NaiveBayes(alpha=0.5).fit(X, y)
    codes = X.assign(B=X["B"].cat.codes) if categorical else X
    theirs = CategoricalNB(alpha=0.5).fit(codes, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(codes), atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(codes))
    for mine, theirs_ in zip(ours.feature_log_prob_, theirs.feature_log_prob_, strict=True):
        np.testing.assert_allclose(mine, theirs_, atol=1e-12)


@pytest.mark.parametrize(
    "scheme",
    [
        MultiGroup(0.8, [["A", "C"], ["B", "D", "E"]]),
        UnrelatedQuestion(0.7),
        MultiGroup(1.0),
        UnrelatedQuestion(1.0),
        MultiGroup(0.0),
    ],
    ids=str,
)
def test_naive_bayes_from_disguised_data_equals_the_plain_reading(scheme):
    X, y = survey(400)
    records = X.assign(C=y)
    disguised = scheme.disguise(records, np.random.default_rng(3))
    levels = levels_of(records)

    def estimate(expression):
        if isinstance(scheme, UnrelatedQuestion):
            return plain.estimate_by_unrelated(disguised, expression, scheme.q, levels)
        groups = scheme.groups or [list(records.columns)]
        return plain.estimate_by_groups(disguised, expression, scheme.theta, groups)

    models = [
        NaiveBayes(scheme, alpha=0).fit(disguised[X.columns], disguised["C"]),
        NaiveBayes(scheme, alpha=0).fit_table(count(disguised), "C"),
    ]
    assert [m.n_clipped_ for m in models] == [0, 0]
    some = X.drop_duplicates().head(12)
    for record, *rest in zip(
        some.to_dict("records"), *(m.predict_proba(some) for m in models), strict=True
    ):
        scores = plain.naive_bayes(estimate, record, levels, "C")
        expected = np.exp(scores - scores.max())
        for got in rest:
            np.testing.assert_allclose(got, expected / expected.sum(), atol=1e-10)


@pytest.mark.parametrize("learner", [NaiveBayes, ID3])
@pytest.mark.parametrize("scheme", [MultiGroup(1.0), UnrelatedQuestion(1.0)], ids=str)
def test_without_a_disguise_learners_are_equal_to_the_bit(scheme, learner):
    X, y = survey(categorical=False)
    disguised = scheme.disguise(X.assign(C=y), np.random.default_rng(1))
    other = learner(scheme).fit(disguised[X.columns], disguised["C"]).predict_proba(X)
    np.testing.assert_array_equal(learner().fit(X, y).predict_proba(X), other)


@pytest.mark.parametrize("learner", [ID3(), NaiveBayes(), NaiveBayes(alpha=0.0)])
@pytest.mark.parametrize("categorical", [False, True])
@pytest.mark.parametrize("copies", [1, 30])
def test_a_table_is_classified_as_its_records_are(learner, categorical, copies):
    """Cell by cell or all cells in order, the class last or first; sparse and dense alike."""
    X, y = survey(60, seed=3, categorical=categorical)
    learner.fit(X, y)
    wide = X.assign(**{f"x{i}": 1 for i in range(9)}) if copies == 1 else X
    learner = clone(learner).fit(wide, y)
    guess = learner.predict(wide)
    expected = [[np.sum((y == v) & (guess == w)) for w in (0, 1)] for v in (0, 1)]
    for frame in (wide.assign(C=y), pd.concat([y, wide], axis=1)):
        for table in (count(frame).densified(), count(frame).sparsified()):
            assert learner.confusion(table).tolist() == expected
            assert learner.score_table(table) == pytest.approx((guess == y).mean(), abs=1e-12)


@pytest.mark.parametrize("negative", ["clip", "literal"])
@pytest.mark.parametrize(
    "sizes", [(2,) * 9, (2, 3, 1, 2, 4, 2, 3), (2, 70, 2), (3, 2, 2, 2, 2, 2, 1)]
)
def test_a_tree_is_the_same_grown_in_a_table_or_in_a_list(sizes, negative):
    """Two ways to count, of estimated numbers, for each class; and the table stays as it was."""
    levels = tuple(tuple(range(n)) for n in sizes)
    domain = Domain(tuple("ABDEFGHIJ"[: len(sizes)]), levels)
    for seed, target in enumerate(domain.names):
        values = np.random.default_rng(seed).normal(1, 2, domain.size)
        table = Table(domain, values.copy())
        one = ID3(negative=negative).fit_table(table, target).tree_
        assert (table.values == values).all()
        listed = table.sparsified()
        listed.values.flags.writeable = False
        other = ID3(negative=negative).fit_table(listed, target).tree_
        assert one.attribute.tolist() == other.attribute.tolist()
        assert one.label.tolist() == other.label.tolist()
        np.testing.assert_allclose(one.counts, other.counts, atol=1e-9)


def test_negative_counts_are_clipped_and_counted():
    X = pd.DataFrame({"A": [1] * 30})
    y = pd.Series([1] * 29 + [0], name="C")
    scheme = MultiGroup(0.6)
    levels = {"A": (0, 1), "C": (0, 1)}
    reports = scheme.disguise(X.assign(C=y), np.random.default_rng(2), levels)
    model = NaiveBayes(scheme).fit(reports[["A"]], reports["C"])
    negative = sum((c < 0).sum() for c in [model.class_count_, *model.category_count_])
    assert model.n_clipped_ == negative > 0
    assert np.isfinite(model.predict_proba(X)).all()


def test_more_attributes_than_a_table_can_hold():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(0, 2, (300, 100))).add_prefix("x")
    y = X["x3"].rename("C")
    scheme = UnrelatedQuestion(0.8)
    reports = scheme.disguise(X.assign(C=y), np.random.default_rng(2))
    model = NaiveBayes(scheme).fit(reports[X.columns], reports["C"])
    assert (model.predict(X) == y).mean() > 0.9
    with pytest.raises(ValueError, match="count fewer attributes at a time"):
        count(X)


# -- scikit-learn's manners -------------------------------------------------------------------


def test_equal_levels_of_another_type_stay_what_they_are():
    """True was written 1 once a tree had been learned from 0 and 1: a cache took them for equal."""
    y = pd.Series([0, 0, 1, 1], name="C")
    first = ID3().fit(pd.DataFrame({"A": pd.Categorical([0, 0, 1, 1])}), y)
    then = ID3().fit(pd.DataFrame({"A": pd.Categorical([False, False, True, True])}), y)
    assert first.export_text() == "A = 0: 0 (2)\nA = 1: 1 (2)"
    assert then.export_text() == "A = False: 0 (2)\nA = True: 1 (2)"


@pytest.mark.parametrize("learner", [ID3(), NaiveBayes(), J48()])
@pytest.mark.parametrize("levels", [(1, "a"), ((1, 2), (3, 4)), ((1,), (3, 4))], ids=str)
def test_classes_of_any_kind_are_predicted_as_they_are(learner, levels):
    """1 beside words was predicted as "1", a tuple as a row of a matrix."""
    categories = pd.Index(levels, tupleize_cols=False)
    y = pd.Categorical.from_codes([0, 0, 0, 1, 1, 1], categories)
    X = pd.DataFrame({"A": [0, 0, 0, 1, 1, 1]})
    model = learner.fit(X, pd.Series(y, name="C"))
    assert model.classes_.tolist() == list(levels)
    assert model.predict(X).tolist() == list(y)


@pytest.mark.parametrize("learner", [ID3(), NaiveBayes()])
def test_no_records_are_neither_learned_from_nor_scored(learner):
    X, y = survey(20)
    nothing, no_class = X.head(0), y.head(0)
    with pytest.raises(ValueError, match="'A' has no levels: there are no records, and none are"):
        learner.fit(nothing.astype(object), no_class)
    scheme = MultiGroup(0.9, [["A", "B"]])
    sent = reports(X, scheme)
    for model in (
        clone(learner).fit(X, y),
        clone(learner).set_params(mechanism=scheme).fit(sent, y),
    ):
        empty = count(nothing.assign(C=no_class), model.record_domain_)
        for ask in (
            lambda: model.score(nothing, no_class),  # noqa: B023
            lambda: model.score_table(empty),  # noqa: B023
            lambda: estimated_accuracy(model, empty.reported_by(scheme), scheme),  # noqa: B023
        ):
            with pytest.raises(ValueError, match="there are no records to score"):
                ask()


# -- testing on disguised data -----------------------------------------------------------------


def test_accuracy_from_disguised_reports_by_the_papers_formula():
    """[Zhan & Du, Eq. 15] All 2^M reversals, solved with M; and the undone table's own score."""
    X, y = survey(200)
    records = X.assign(C=y)
    groups = [["A", "C"], ["B"], ["D", "E"]]
    scheme = MultiGroup(0.8, groups)
    reports = scheme.disguise(records, np.random.default_rng(4))
    model = ID3().fit(X, y)
    right = []
    for pattern in np.ndindex(2, 2, 2):
        turned = reports.copy()
        turned.attrs.clear()  # predictions of reversed reports are what the formula asks for
        for group, reverse in zip(groups, pattern, strict=True):
            if reverse:
                turned[group] = 1 - turned[group]
        right.append((model.predict(turned[X.columns]) == turned["C"]).mean())
    expected = np.linalg.solve(plain.groups_matrix(0.8, 3), right)[0]
    estimate, se = estimated_accuracy(model, reports, scheme)
    assert estimate == pytest.approx(expected, abs=1e-12)
    assert model.score_table(scheme.undo(count(reports))) == pytest.approx(expected, abs=1e-12)
    assert 0 < se < 0.2


@pytest.mark.parametrize(
    "scheme",
    [
        MultiGroup(0.8, [["A", "C"], ["B", "D", "E"]]),
        UnrelatedQuestion(0.4),
        RRMatrix({"A": [[0.8, 0.3], [0.2, 0.7]], "C": [[0.9, 0.1], [0.1, 0.9]]}),
    ],
    ids=str,
)
def test_estimated_accuracy_is_unbiased_with_the_right_error(scheme):
    """Mean within 6 standard errors (2e-9). Spread within 17 % of the stated error: over 600 draws
    a standard deviation is known to 2.9 %, so that is 5.8 of them (7e-9)."""
    X, y = survey(500)
    model = NaiveBayes().fit(X, y)
    population = count(X.assign(C=y))
    rng = np.random.default_rng(9)

    def draw():
        sample = rng.multinomial(500, population.proportions().values)
        reports = scheme.disguise_table(Table(population.domain, sample), rng)
        return estimated_accuracy(model, reports, scheme)

    estimates, errors = np.array([draw() for _ in range(600)]).T
    assert abs(estimates.mean() - model.score(X, y)) < 6 * estimates.std() / np.sqrt(600)
    assert estimates.std() == pytest.approx(errors.mean(), rel=0.17)


# -- pairs -------------------------------------------------------------------------------------


def test_an_attribute_without_levels_has_no_pairs():
    """Its cells were read and written where there are none."""
    for sizes in ([0, 8, 8], [8, 0, 8], [8, 8, 0], [0]):
        pairs = dense_pairs(np.empty(0), 3, np.array(sizes))
        assert pairs.shape == (len(sizes), max(sizes), 3)
        assert not pairs.any()


# -- association rules -------------------------------------------------------------------------


def test_rules_from_disguised_baskets_find_the_true_supports():
    rng = np.random.default_rng(1)
    bread = rng.random(20_000) < 0.6
    butter, milk = bread & (rng.random(20_000) < 0.7), rng.random(20_000) < 0.3
    baskets = pd.DataFrame({"bread": bread, "butter": butter, "milk": milk}).astype(int)
    true = frequent_itemsets(count(baskets), 0.1)
    for items, support in true.items():
        assert support == pytest.approx(baskets[sorted(items)].all(axis=1).mean(), abs=1e-12)
    assert frozenset({"bread", "butter", "milk"}) in true
    scheme = MultiGroup(0.8, [["bread", "butter"], ["milk"]])
    reports = count(scheme.disguise(baskets, rng))
    found = frequent_itemsets(reports, 0.1, mechanism=scheme)
    assert set(found) == set(true)
    assert max(abs(found[items] - true[items]) for items in true) < 0.03
    best = association_rules(found, 0.6).iloc[0]
    assert "butter" in best["if"] and best["then"] == "bread"
    with pytest.raises(ValueError, match="min_support is a share"):
        frequent_itemsets(reports, 0)


@pytest.mark.parametrize("levels", [(1, 0), (0, 1, 2, 3), ("n", "y"), (1,)], ids=str)
def test_supports_are_of_a_table_of_zeros_and_ones(levels):
    """Whatever stood second was taken for 1."""
    domain = Domain(("A", "B"), ((False, True), levels))
    with pytest.raises(ValueError, match=r"'B' has the levels .*; supports\(\) reads a table of 0"):
        supports(Table(domain, np.ones(domain.size)))


# -- compiled code -----------------------------------------------------------------------------


def test_no_kernel_leaves_the_order_of_a_sum_to_the_compiler():
    """It chose another one for code just compiled than for the same code kept from an earlier run."""
    for path in places.PACKAGE.rglob("*.py"):
        for allowed in re.findall(r"@njit\(.*fastmath=([^)]*)\)", path.read_text()):
            assert set(re.findall(r"\w+", allowed)) <= {"nnan", "ninf", "nsz"}, path


def test_without_compiling_the_learners_are_there():
    script = "from ppdm.learn import ID3; print(ID3())"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "ID3()\n"


def test_a_level_of_nobody_has_no_pairs_whatever_the_weights():
    """It was what the other levels leave of all, which rounding keeps from being 0."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        cells = rng.random((2, 2, 2**7))
        cells[1, 0] = 0  # nobody of the second class has the first level of the first attribute
        pairs = dense_pairs(cells.ravel(), 2, np.full(8, 2))
        assert pairs[0, 0, 1] == 0
        assert pairs[0, 1, 1] == pytest.approx(cells[1].sum())


def test_kernels_call_those_of_their_own_file():
    """numba looks at a kernel's own file when it asks whether what it kept is old."""
    compiled = {
        path: re.findall(r"@njit[^\n]*\ndef (\w+)", path.read_text())
        for path in places.PACKAGE.rglob("*.py")
    }
    elsewhere = {name for names in compiled.values() for name in names}
    assert len(compiled[Path(folding.__file__)]) > 20
    for path, own in compiled.items():
        tree = ast.parse(path.read_text())
        imported = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ppdm")
            for alias in node.names
            if alias.name in elsewhere
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name in own:
                body = [name for part in node.body for name in ast.walk(part)]
                names = {n.id for n in body if isinstance(n, ast.Name)}
                assert not names & (imported | {node.name}), path  # kept, a recursive one crashes
