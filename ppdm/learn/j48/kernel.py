"""The numerical heart of J48: growing, collapsing, pruning and asking a tree.

Two things here look odd until one knows that the trees must equal WEKA's, not only resemble them.

*Comparisons have a tolerance.* WEKA treats numbers less than 1e-6 apart as equal, so ties are wide.

*Rows are sorted in place.* WEKA sorts a node's rows by one numeric attribute after another, with a
quicksort that keeps no order among equals, and hands them on in the order so reached. With missing
values, rows carry fractional weights, and the order decides how their sums round: the last printed
digit of a leaf follows from it, and so does a prediction where two classes are equally probable.

A *distribution* is an array ``d`` of weights: ``d[1 + b, c]`` is the weight of class ``c`` in branch
``b``, ``d[1 + b, -1]`` that of the whole branch; row 0 holds the same for all branches together.
"""

from typing import NamedTuple

import numpy as np

from ppdm.compiled import njit

_TOLERANCE = 1e-6
_LN2 = np.log(2.0)

Fields = tuple[
    np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray
]  # of a `Tree`


class Tree(NamedTuple):
    """A tree as parallel arrays, one entry a node; node 0 is the root, sons are consecutive.

    A leaf has ``n_sons == 0``. ``start`` is where the node's distribution begins in ``weights``.
    ``empty`` marks leaves that no training row reached.
    """

    attribute: np.ndarray
    threshold: np.ndarray
    first_son: np.ndarray
    n_sons: np.ndarray
    empty: np.ndarray
    start: np.ndarray
    weights: np.ndarray


@njit(cache=True)
def _less(a: float, b: float) -> bool:
    return b - a > _TOLERANCE


@njit(cache=True)
def _at_most(a: float, b: float) -> bool:
    return a - b < _TOLERANCE


@njit(cache=True)
def _same(a: float, b: float) -> bool:
    return abs(a - b) < _TOLERANCE


# --- distributions ------------------------------------------------------------------------------


@njit(cache=True)
def _add(d: np.ndarray, branch: int, label: int, weight: float) -> None:
    d[1 + branch, label] += weight
    d[1 + branch, -1] += weight
    d[0, label] += weight
    d[0, -1] += weight


@njit(cache=True)
def _add_missing(
    d: np.ndarray, column: np.ndarray, labels: np.ndarray, rows: np.ndarray, weights: np.ndarray
) -> None:
    """Share the rows whose value is missing among the branches, in proportion to their weights."""
    n_branches = d.shape[0] - 1
    total = d[0, -1]
    share = np.empty(n_branches)
    for b in range(n_branches):
        share[b] = 1.0 / n_branches if _same(total, 0.0) else d[1 + b, -1] / total
    for i in range(rows.size):
        if np.isnan(column[rows[i]]):
            label = labels[rows[i]]
            d[0, label] += weights[i]
            d[0, -1] += weights[i]
            for b in range(n_branches):
                d[1 + b, label] += share[b] * weights[i]
                d[1 + b, -1] += share[b] * weights[i]


@njit(cache=True)
def _majority(counts: np.ndarray) -> int:
    """The first class of largest weight; ``counts`` ends with the total."""
    best, label = 0.0, 0
    for c in range(counts.size - 1):
        if _less(best, counts[c]):
            best, label = counts[c], c
    return label


@njit(cache=True)
def _n_wrong(counts: np.ndarray) -> float:
    return counts[-1] - counts[_majority(counts)]


@njit(cache=True)
def _largest_branch(d: np.ndarray) -> int:
    """The *last* of the branches of largest weight."""
    best, branch = 0.0, -1
    for b in range(d.shape[0] - 1):
        if _at_most(best, d[1 + b, -1]):
            best, branch = d[1 + b, -1], b
    return branch


# --- criteria -----------------------------------------------------------------------------------


@njit(cache=True)
def _xlog2x(x: float) -> float:
    return 0.0 if x < _TOLERANCE else x * np.log(x) / _LN2


@njit(cache=True)
def _entropy(d: np.ndarray) -> float:
    """Entropy of the class, times the weight."""
    s = 0.0
    for c in range(d.shape[1] - 1):
        s += _xlog2x(d[0, c])
    return _xlog2x(d[0, -1]) - s


@njit(cache=True)
def _gain(d: np.ndarray, total: float, entropy: float) -> float:
    """Information gain; ``total`` includes the rows whose value is missing."""
    s = 0.0
    for b in range(1, d.shape[0]):
        for c in range(d.shape[1] - 1):
            s += _xlog2x(d[b, c])
        s -= _xlog2x(d[b, -1])
    known = d[0, -1]
    gain = (1.0 - (total - known) / total) * (entropy + s)
    return 0.0 if _same(gain, 0.0) else gain / known


@njit(cache=True)
def _gain_ratio(d: np.ndarray, total: float, gain: float) -> float:
    """Gain over the entropy of the split, where 'missing' counts as one more branch."""
    s = 0.0
    known = d[0, -1]
    if _less(0.0, known):
        for b in range(1, d.shape[0]):
            s -= _xlog2x(d[b, -1])
        s -= _xlog2x(total - known)
    s += _xlog2x(total)
    return 0.0 if _same(s, 0.0) else gain / (s / total)


@njit(cache=True)
def _filled_branches(d: np.ndarray, min_leaf: float) -> int:
    n = 0
    for b in range(1, d.shape[0]):
        n += _at_most(min_leaf, d[b, -1])
    return n


# --- candidate splits ---------------------------------------------------------------------------


@njit(cache=True)
def _order_two(order: np.ndarray, keys: np.ndarray, i: int, j: int) -> None:
    if keys[order[i]] > keys[order[j]]:
        order[i], order[j] = order[j], order[i]


@njit(cache=True)
def _weka_order(keys: np.ndarray) -> np.ndarray:
    """The order into which WEKA's quicksort (median of three) brings ``keys``; NaN comes last."""
    keys = np.where(np.isnan(keys), np.finfo(np.float64).max, keys)
    order = np.arange(keys.size)
    pending = [(0, keys.size - 1)]
    while len(pending) > 0:
        left, right = pending.pop()
        if right - left < 3:
            if right - left == 2:
                _order_two(order, keys, left, left + 1)
            if right - left >= 1:
                _order_two(order, keys, left, right)
            if right - left == 2:
                _order_two(order, keys, left + 1, right)
            continue
        centre = (left + right) // 2
        _order_two(order, keys, left, centre)
        _order_two(order, keys, left, right)
        _order_two(order, keys, centre, right)
        order[centre], order[right - 1] = order[right - 1], order[centre]
        pivot = keys[order[right - 1]]
        lo, hi = left + 1, right - 2
        while True:
            while keys[order[lo]] < pivot:
                lo += 1
            while keys[order[hi]] > pivot:
                hi -= 1
            if lo >= hi:
                break
            order[lo], order[hi] = order[hi], order[lo]
            lo += 1
            hi -= 1
        order[lo], order[right - 1] = order[right - 1], order[lo]
        pending.append((left, lo - 1))
        pending.append((lo + 1, right))
    return order


@njit(cache=True)
def _cut(
    d: np.ndarray, labels: np.ndarray, rows: np.ndarray, weights: np.ndarray, cut: int
) -> None:
    """Fill the distribution anew: the rows before `cut` to the first branch, the others to the second."""
    d[:] = 0.0
    for i in range(rows.size):
        branch = 0 if i < cut else 1
        label = labels[rows[i]]
        d[1 + branch, label] += weights[i]
        d[1 + branch, -1] += weights[i]
        d[0, label] += weights[i]
    d[0, -1] = d[1, -1] + d[2, -1]


@njit(cache=True)
def _numeric_split(
    column: np.ndarray,
    labels: np.ndarray,
    n_classes: int,
    rows: np.ndarray,
    weights: np.ndarray,
    total: float,
    min_leaf: float,
) -> tuple[float, float, float, np.ndarray]:
    """(gain, gain ratio, threshold, distribution) of the best cut; a ratio below 0 means none.

    Sorts ``rows`` and ``weights`` in place.
    """
    order = _weka_order(column[rows])
    rows[:], weights[:] = rows[order], weights[order]
    keys = column[rows]
    n_known = np.count_nonzero(~np.isnan(keys))
    d = np.zeros((3, n_classes + 1))
    for i in range(n_known):
        _add(d, 1, labels[rows[i]], weights[i])

    min_side = 0.1 * d[0, -1] / n_classes
    if _at_most(min_side, min_leaf):
        min_side = min_leaf
    elif _less(25.0, min_side):
        min_side = 25.0
    if _less(float(n_known), 2 * min_side):
        return 0.0, -1.0, 0.0, d

    entropy = _entropy(d)
    best, cut, n_cuts, moved = 0.0, -1, 0, 0
    for i in range(1, n_known):
        if keys[i - 1] + 1e-5 < keys[i]:
            for k in range(moved, i):
                label, weight = labels[rows[k]], weights[k]
                d[2, label] -= weight
                d[2, -1] -= weight
                d[1, label] += weight
                d[1, -1] += weight
            moved = i
            if _at_most(min_side, d[1, -1]) and _at_most(min_side, d[2, -1]):
                gain = _gain(d, total, entropy)
                if _less(best, gain):
                    best, cut = gain, i
                n_cuts += 1
    if n_cuts == 0:
        return 0.0, -1.0, 0.0, d
    best -= np.log(n_cuts) / _LN2 / total  # the price of having chosen among so many cuts
    if _at_most(best, 0.0):
        return 0.0, -1.0, 0.0, d

    _cut(d, labels, rows[:n_known], weights, cut)
    threshold = (keys[cut] + keys[cut - 1]) / 2
    if threshold == keys[cut]:
        threshold = keys[cut - 1]
    return best, _gain_ratio(d, total, best), threshold, d


@njit(cache=True)
def _nominal_split(
    column: np.ndarray,
    labels: np.ndarray,
    n_classes: int,
    n_levels: int,
    rows: np.ndarray,
    weights: np.ndarray,
    total: float,
    min_leaf: float,
) -> tuple[float, float, float, np.ndarray]:
    """(gain, gain ratio, 0, distribution) of one branch a level; a ratio below 0 means none."""
    d = np.zeros((n_levels + 1, n_classes + 1))
    for i in range(rows.size):
        if not np.isnan(column[rows[i]]):
            _add(d, int(column[rows[i]]), labels[rows[i]], weights[i])
    if _filled_branches(d, min_leaf) < 2:
        return 0.0, -1.0, 0.0, d
    gain = _gain(d, total, _entropy(d))
    return gain, _gain_ratio(d, total, gain), 0.0, d


@njit(cache=True)
def _one_level_split(
    column: np.ndarray,
    labels: np.ndarray,
    n_classes: int,
    n_levels: int,
    rows: np.ndarray,
    weights: np.ndarray,
    total: float,
    min_leaf: float,
) -> tuple[float, float, float, np.ndarray]:
    """(gain, gain ratio, level, distribution) of the best 'this level or another' split."""
    _, _, _, d = _nominal_split(column, labels, n_classes, n_levels, rows, weights, total, min_leaf)
    best_gain, best_ratio, best_level, best = 0.0, -1.0, 0.0, d
    for level in range(n_levels):
        if not _at_most(min_leaf, d[1 + level, -1]):
            continue
        pair = np.empty((3, n_classes + 1))
        pair[0] = d[0]
        pair[1] = d[1 + level]
        pair[2] = d[0] - d[1 + level]
        if _filled_branches(pair, min_leaf) < 2:
            continue
        gain = _gain(pair, total, _entropy(pair))
        ratio = _gain_ratio(pair, total, gain)
        best_ratio = max(best_ratio, 0.0)
        if level == 0 or _less(best_ratio, ratio):
            best_gain, best_ratio, best_level, best = gain, ratio, float(level), pair
    return best_gain, best_ratio, best_level, best


@njit(cache=True)
def _largest_value_up_to(column: np.ndarray, threshold: float) -> float:
    """The largest value that occurs anywhere in the training set and is at most ``threshold``."""
    found = -np.inf
    for value in column:
        if not np.isnan(value) and _less(found, value) and _at_most(value, threshold):
            found = value
    return found


@njit(cache=True)
def _split(
    column: np.ndarray,
    labels: np.ndarray,
    n_classes: int,
    n_levels: int,
    rows: np.ndarray,
    weights: np.ndarray,
    total: float,
    min_leaf: float,
    binary: bool,
) -> tuple[float, float, float, np.ndarray]:
    """(gain, gain ratio, threshold, distribution) of the best split by one attribute."""
    if n_levels < 0:
        return _numeric_split(column, labels, n_classes, rows, weights, total, min_leaf)
    if binary:
        return _one_level_split(column, labels, n_classes, n_levels, rows, weights, total, min_leaf)
    return _nominal_split(column, labels, n_classes, n_levels, rows, weights, total, min_leaf)


@njit(cache=True)
def _best_ratio(gains: np.ndarray, ratios: np.ndarray, least_gain: float) -> int:
    """The first attribute of largest gain ratio among those that gain enough; -1 if none does."""
    best, best_ratio = -1, 0.0
    for a in range(gains.size):
        if ratios[a] >= 0.0 and gains[a] >= least_gain and _less(best_ratio, ratios[a]):
            best, best_ratio = a, ratios[a]
    return best


@njit(cache=True)
def _choose_split(
    columns: np.ndarray,
    labels: np.ndarray,
    n_classes: int,
    n_levels: np.ndarray,
    averaged: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    min_leaf: float,
    binary: bool,
) -> tuple[int, float, np.ndarray]:
    """(attribute, threshold, distribution); attribute is -1 where no split is worth it."""
    leaf = np.zeros((2, n_classes + 1))
    for i in range(rows.size):
        _add(leaf, 0, labels[rows[i]], weights[i])
    if _less(leaf[0, -1], 2 * min_leaf) or _same(leaf[0, -1], leaf[0, _majority(leaf[0])]):
        return -1, 0.0, leaf

    total = 0.0
    for i in range(rows.size):
        total += weights[i]
    n_attributes = columns.shape[0]
    gains = np.zeros(n_attributes)
    ratios = np.full(n_attributes, -1.0)
    thresholds = np.zeros(n_attributes)
    distributions = [leaf for _ in range(n_attributes)]
    sum_of_gains, n_averaged = 0.0, 0
    for a in range(n_attributes):
        gains[a], ratios[a], thresholds[a], distributions[a] = _split(
            columns[a], labels, n_classes, n_levels[a], rows, weights, total, min_leaf, binary
        )
        if ratios[a] >= 0.0 and averaged[a]:
            sum_of_gains += gains[a]
            n_averaged += 1
    if n_averaged == 0:
        return -1, 0.0, leaf

    best = _best_ratio(gains, ratios, sum_of_gains / n_averaged - 1e-3)
    if best < 0:
        return -1, 0.0, leaf
    _add_missing(distributions[best], columns[best], labels, rows, weights)
    threshold = thresholds[best]
    if n_levels[best] < 0:
        threshold = _largest_value_up_to(columns[best], threshold)
    return best, threshold, distributions[best]


# --- sending rows down --------------------------------------------------------------------------


@njit(cache=True)
def _branch_of(value: float, n_levels: int, threshold: float, binary: bool) -> int:
    """The branch a known value takes."""
    if n_levels < 0:
        return 0 if _at_most(value, threshold) else 1
    if binary:
        return 0 if value == threshold else 1
    return int(value)


@njit(cache=True)
def _send(
    column: np.ndarray,
    n_levels: int,
    threshold: float,
    binary: bool,
    d: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Rows and weights of each branch; a row with a missing value goes, in parts, to all."""
    n_branches = d.shape[0] - 1
    share = np.empty(n_branches)
    size = np.zeros(n_branches, np.int64)
    for b in range(n_branches):
        share[b] = d[1 + b, -1] / d[0, -1] if d[0, -1] > 0.0 else 0.0
    for row in rows:
        if np.isnan(column[row]):
            for b in range(n_branches):
                size[b] += _less(0.0, share[b])
        else:
            size[_branch_of(column[row], n_levels, threshold, binary)] += 1
    sent_rows = [np.empty(n, np.int64) for n in size]
    sent_weights = [np.empty(n, np.float64) for n in size]
    size[:] = 0
    for i in range(rows.size):
        row = rows[i]
        if np.isnan(column[row]):
            for b in range(n_branches):
                if _less(0.0, share[b]):
                    sent_rows[b][size[b]] = row
                    sent_weights[b][size[b]] = share[b] * weights[i]
                    size[b] += 1
        else:
            b = _branch_of(column[row], n_levels, threshold, binary)
            sent_rows[b][size[b]] = row
            sent_weights[b][size[b]] = weights[i]
            size[b] += 1
    return sent_rows, sent_weights


@njit(cache=True)
def _recount(
    d: np.ndarray,
    column: np.ndarray,
    n_levels: int,
    threshold: float,
    binary: bool,
    labels: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Fill the distribution ``d`` of a split anew from other rows."""
    d[:] = 0.0
    for i in range(rows.size):
        if not np.isnan(column[rows[i]]):
            branch = _branch_of(column[rows[i]], n_levels, threshold, binary)
            _add(d, branch, labels[rows[i]], weights[i])
    _add_missing(d, column, labels, rows, weights)


@njit(cache=True)
def _recount_leaf(d: np.ndarray, labels: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> None:
    d[:] = 0.0
    for i in range(rows.size):
        _add(d, 0, labels[rows[i]], weights[i])


# --- pruning ------------------------------------------------------------------------------------


@njit(cache=True)
def _extra_errors(n: float, e: float, confidence: float, z: float) -> float:
    """How many errors to add to ``e`` seen among ``n`` to reach the upper confidence limit."""
    if confidence > 0.5:
        return 0.0
    if e < 1:  # between the limits for no error, which is exact, and for one
        none = n * (1 - confidence ** (1 / n))
        return none + e * (_extra_of_one_or_more(n, 1.0, z) - none) if e != 0 else none
    return _extra_of_one_or_more(n, e, z)


@njit(cache=True)
def _extra_of_one_or_more(n: float, e: float, z: float) -> float:
    """The same by the normal approximation; ``z`` is the quantile of the confidence."""
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f = (e + 0.5) / n
    root = np.sqrt(f / n - f * f / n + z * z / (4 * n * n))
    return (f + z * z / (2 * n) + z * root) / (1 + z * z / n) * n - e


@njit(cache=True)
def _pessimistic_errors(counts: np.ndarray, confidence: float, z: float) -> float:
    if _same(counts[-1], 0.0):
        return 0.0
    wrong = _n_wrong(counts)
    return wrong + _extra_errors(counts[-1], wrong, confidence, z)


@njit(cache=True)
def _subtree_errors(
    root: int,
    first_son: np.ndarray,
    n_sons: np.ndarray,
    distributions: list[np.ndarray],
    confidence: float,
    z: float,
) -> float:
    errors = 0.0
    pending = [root]
    while len(pending) > 0:
        node = pending.pop()
        if n_sons[node] == 0:
            errors += _pessimistic_errors(distributions[node][0], confidence, z)
        for b in range(n_sons[node]):
            pending.append(first_son[node] + b)
    return errors


@njit(cache=True)
def _errors_if_raised(
    root: int,
    rows: np.ndarray,
    weights: np.ndarray,
    attribute: np.ndarray,
    threshold: np.ndarray,
    first_son: np.ndarray,
    n_sons: np.ndarray,
    distributions: list[np.ndarray],
    columns: np.ndarray,
    labels: np.ndarray,
    n_levels: np.ndarray,
    binary: bool,
    confidence: float,
    z: float,
) -> float:
    """Pessimistic errors of the subtree at ``root`` if ``rows`` were sent down it."""
    errors = 0.0
    pending, pending_rows, pending_weights = [root], [rows], [weights]
    while len(pending) > 0:
        node, rows, weights = pending.pop(), pending_rows.pop(), pending_weights.pop()
        d = np.empty_like(distributions[node])
        if n_sons[node] == 0:
            _recount_leaf(d, labels, rows, weights)
            errors += _pessimistic_errors(d[0], confidence, z)
            continue
        a = attribute[node]
        _recount(d, columns[a], n_levels[a], threshold[node], binary, labels, rows, weights)
        sent = _send(columns[a], n_levels[a], threshold[node], binary, d, rows, weights)
        for b in range(n_sons[node]):
            pending.append(first_son[node] + b)
        pending_rows.extend(sent[0])
        pending_weights.extend(sent[1])
    return errors


@njit(cache=True)
def _hand_over(
    root: int,
    node_rows: list[np.ndarray],
    node_weights: list[np.ndarray],
    attribute: np.ndarray,
    threshold: np.ndarray,
    first_son: np.ndarray,
    n_sons: np.ndarray,
    empty: np.ndarray,
    distributions: list[np.ndarray],
    columns: np.ndarray,
    labels: np.ndarray,
    n_levels: np.ndarray,
    binary: bool,
) -> None:
    """Send the rows of ``root`` anew down its subtree, keeping the splits."""
    pending = [root]
    while len(pending) > 0:
        node = pending.pop()
        rows, weights, d = node_rows[node], node_weights[node], distributions[node]
        if n_sons[node] == 0:
            _recount_leaf(d, labels, rows, weights)
            if not _same(d[0, -1], 0.0):
                empty[node] = False
            continue
        a = attribute[node]
        _recount(d, columns[a], n_levels[a], threshold[node], binary, labels, rows, weights)
        sent = _send(columns[a], n_levels[a], threshold[node], binary, d, rows, weights)
        for b in range(n_sons[node]):
            son = first_son[node] + b
            node_rows[son], node_weights[son] = sent[0][b], sent[1][b]
            pending.append(son)


@njit(cache=True)
def _make_leaf(node: int, n_sons: np.ndarray, distributions: list[np.ndarray]) -> None:
    n_sons[node] = 0
    d = np.empty((2, distributions[node].shape[1]))
    d[0] = distributions[node][0]
    d[1] = d[0]
    distributions[node] = d


@njit(cache=True)
def _prune(
    node_rows: list[np.ndarray],
    node_weights: list[np.ndarray],
    attribute: np.ndarray,
    threshold: np.ndarray,
    first_son: np.ndarray,
    n_sons: np.ndarray,
    empty: np.ndarray,
    distributions: list[np.ndarray],
    columns: np.ndarray,
    labels: np.ndarray,
    n_levels: np.ndarray,
    binary: bool,
    raising: bool,
    confidence: float,
    z: float,
) -> None:
    """Replace subtrees, from below, by a leaf or by their largest branch where that errs less."""
    pending = [(0, False)]
    while len(pending) > 0:
        node, sons_are_done = pending.pop()
        if n_sons[node] == 0:
            continue
        if not sons_are_done:
            pending.append((node, True))
            for b in range(n_sons[node]):
                pending.append((first_son[node] + b, False))
            continue
        largest = first_son[node] + _largest_branch(distributions[node])
        raised = np.inf
        if raising:
            raised = _errors_if_raised(
                largest,
                node_rows[node],
                node_weights[node],
                attribute,
                threshold,
                first_son,
                n_sons,
                distributions,
                columns,
                labels,
                n_levels,
                binary,
                confidence,
                z,
            )
        as_leaf = _pessimistic_errors(distributions[node][0], confidence, z)
        as_tree = _subtree_errors(node, first_son, n_sons, distributions, confidence, z)
        if _at_most(as_leaf, as_tree + 0.1) and _at_most(as_leaf, raised + 0.1):
            _make_leaf(node, n_sons, distributions)
        elif _at_most(raised, as_tree + 0.1):
            attribute[node], threshold[node] = attribute[largest], threshold[largest]
            first_son[node], n_sons[node] = first_son[largest], n_sons[largest]
            distributions[node] = distributions[largest]
            _hand_over(
                node,
                node_rows,
                node_weights,
                attribute,
                threshold,
                first_son,
                n_sons,
                empty,
                distributions,
                columns,
                labels,
                n_levels,
                binary,
            )
            pending.append((node, False))


@njit(cache=True)
def _collapse(first_son: np.ndarray, n_sons: np.ndarray, distributions: list[np.ndarray]) -> None:
    """Turn every split into a leaf that does not lower the errors on the training rows."""
    n_nodes = n_sons.size
    errors = np.zeros(n_nodes)
    for node in range(n_nodes - 1, -1, -1):  # sons come after their parent
        if n_sons[node] == 0:
            errors[node] = _n_wrong(distributions[node][0])
        for son in range(first_son[node], first_son[node] + n_sons[node]):
            errors[node] += errors[son]
    for node in range(n_nodes):
        if n_sons[node] > 0 and errors[node] >= _n_wrong(distributions[node][0]) - 1e-3:
            _make_leaf(node, n_sons, distributions)


# --- the whole ----------------------------------------------------------------------------------


@njit(cache=True)
def _grow(
    columns: np.ndarray,
    labels: np.ndarray,
    n_classes: int,
    n_levels: np.ndarray,
    averaged: np.ndarray,
    min_leaf: float,
    binary: bool,
    attribute: list[int],
    threshold: list[float],
    first_son: list[int],
    n_sons: list[int],
    empty: list[bool],
    distributions: list[np.ndarray],
    node_rows: list[np.ndarray],
    node_weights: list[np.ndarray],
) -> None:
    """Append the nodes of the full tree to the lists."""
    rows = np.flatnonzero(labels >= 0)
    node_rows.append(rows)
    node_weights.append(np.ones(rows.size))
    node = 0
    while node < len(node_rows):
        rows, weights = node_rows[node], node_weights[node]
        a, cut, d = _choose_split(
            columns, labels, n_classes, n_levels, averaged, rows, weights, min_leaf, binary
        )
        attribute.append(a)
        threshold.append(cut)
        distributions.append(d)
        first_son.append(len(node_rows))
        empty.append(_same(d[0, -1], 0.0))
        n_sons.append(0 if a < 0 else d.shape[0] - 1)
        if a >= 0:
            sent = _send(columns[a], n_levels[a], cut, binary, d, rows, weights)
            node_rows.extend(sent[0])
            node_weights.extend(sent[1])
        node += 1


@njit(cache=True)
def grow_tree(
    columns: np.ndarray,
    labels: np.ndarray,
    n_classes: int,
    n_levels: np.ndarray,
    averaged: np.ndarray,
    min_leaf: float,
    binary: bool,
    collapse: bool,
    prune: bool,
    raising: bool,
    confidence: float,
    z: float,
) -> Fields:
    """Grow, collapse and prune; returns the fields of a `Tree`.

    ``columns[a, i]`` is the value of attribute ``a`` in row ``i``: a number, the code of a level,
    or NaN. ``labels[i]`` is the code of the class, -1 where it is missing. ``n_levels[a]`` is -1 for
    a numeric attribute. ``averaged[a]`` says whether the attribute counts in the average gain.

    >>> numbers, labels = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([0, 0, 1, 1])
    >>> options = (2.0, False, True, True, True, 0.25, 0.6744897501960817)
    >>> tree = Tree(*grow_tree(numbers, labels, 2, np.array([-1]), np.array([True]), *options))
    >>> int(tree.attribute[0]), float(tree.threshold[0]), int(tree.n_sons[0])
    (0, 2.0, 2)
    """
    attribute = [0 for _ in range(0)]
    threshold = [0.0 for _ in range(0)]
    first_son = [0 for _ in range(0)]
    n_sons = [0 for _ in range(0)]
    empty = [False for _ in range(0)]
    distributions = [np.empty((1, 1)) for _ in range(0)]
    node_rows = [np.empty(0, np.int64) for _ in range(0)]
    node_weights = [np.empty(0) for _ in range(0)]
    _grow(
        columns,
        labels,
        n_classes,
        n_levels,
        averaged,
        min_leaf,
        binary,
        attribute,
        threshold,
        first_son,
        n_sons,
        empty,
        distributions,
        node_rows,
        node_weights,
    )
    attribute_, threshold_ = np.array(attribute), np.array(threshold)
    first_son_, n_sons_, empty_ = np.array(first_son), np.array(n_sons), np.array(empty)
    if collapse:
        _collapse(first_son_, n_sons_, distributions)
    if prune:
        _prune(
            node_rows,
            node_weights,
            attribute_,
            threshold_,
            first_son_,
            n_sons_,
            empty_,
            distributions,
            columns,
            labels,
            n_levels,
            binary,
            raising,
            confidence,
            z,
        )
    return _compact(attribute_, threshold_, first_son_, n_sons_, empty_, distributions)


@njit(cache=True)
def _compact(
    attribute: np.ndarray,
    threshold: np.ndarray,
    first_son: np.ndarray,
    n_sons: np.ndarray,
    empty: np.ndarray,
    distributions: list[np.ndarray],
) -> Fields:
    """Renumber the nodes still in use, breadth first, and put their distributions end to end."""
    kept = [0]
    i = 0
    while i < len(kept):
        first = first_son[kept[i]]
        kept.extend(range(first, first + n_sons[kept[i]]))
        i += 1
    order = np.array(kept)
    n = order.size
    new_first, start = np.zeros(n, np.int64), np.zeros(n, np.int64)
    next_son, size = 1, 0
    for i in range(n):
        new_first[i], start[i] = next_son, size
        next_son += n_sons[order[i]]
        size += distributions[order[i]].size
    weights = np.empty(size)
    for i in range(n):
        d = distributions[order[i]]
        weights[start[i] : start[i] + d.size] = d.ravel()
    return (
        attribute[order],
        threshold[order],
        new_first,
        n_sons[order],
        empty[order],
        start,
        weights,
    )


@njit(cache=True)
def class_probabilities(
    tree: Tree, columns: np.ndarray, n_levels: np.ndarray, n_classes: int, binary: bool
) -> np.ndarray:
    """One row a record; a missing value follows all branches, weighted as the training rows were.

    >>> numbers, labels, number = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([0, 0, 1, 1]), np.array([-1])
    >>> options = (2.0, False, True, True, True, 0.25, 0.6744897501960817)
    >>> tree = Tree(*grow_tree(numbers, labels, 2, number, np.array([True]), *options))
    >>> class_probabilities(tree, np.array([[1.5, np.nan]]), number, 2, False)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    n_nodes, n_rows = tree.n_sons.size, columns.shape[1]
    probabilities = np.zeros((n_rows, n_classes))
    reached, weight = np.zeros(n_nodes, np.int64), np.zeros(n_nodes)
    reached_by = np.full(n_nodes, -1)
    answers_with = np.zeros(n_nodes, np.int64)  # where its class weights begin; -1: its sons answer
    answer = np.zeros((n_nodes, n_classes))
    for i in range(n_rows):
        n_reached = _walk(
            i, columns, n_levels, n_classes, binary, tree, reached, weight, reached_by, answers_with
        )
        for k in range(n_reached - 1, -1, -1):  # sons before their parent, added up in their order
            node = reached[k]
            answer[node] = 0.0
            if answers_with[node] >= 0:
                counts = tree.weights[answers_with[node] :]
                if not _same(counts[n_classes], 0.0):
                    for c in range(n_classes):
                        answer[node, c] = weight[node] * (counts[c] / counts[n_classes])
                continue
            for son in range(tree.first_son[node], tree.first_son[node] + tree.n_sons[node]):
                if reached_by[son] == i:
                    for c in range(n_classes):
                        answer[node, c] += answer[son, c]
        probabilities[i] = answer[0]
    return probabilities


@njit(cache=True)
def _walk(
    i: int,
    columns: np.ndarray,
    n_levels: np.ndarray,
    n_classes: int,
    binary: bool,
    tree: Tree,
    reached: np.ndarray,
    weight: np.ndarray,
    reached_by: np.ndarray,
    answers_with: np.ndarray,
) -> int:
    """Note in the last four arrays where record ``i`` goes; returns how many nodes it reaches."""
    reached[0], weight[0], n_reached = 0, 1.0, 1
    width = n_classes + 1
    k = 0
    while k < n_reached:
        node = reached[k]
        k += 1
        start, first = tree.start[node], tree.first_son[node]
        answers_with[node] = start
        if tree.n_sons[node] == 0:
            continue
        value = columns[tree.attribute[node], i]
        missing = np.isnan(value)
        b, end = 0, tree.n_sons[node]
        if not missing:
            b = _branch_of(value, n_levels[tree.attribute[node]], tree.threshold[node], binary)
            end = b + 1
            if tree.empty[first + b]:
                # no training row came here; a branch without weight leaves the answer to the node
                if _less(0.0, tree.weights[start + (1 + b) * width + n_classes]):
                    answers_with[node] = start + (1 + b) * width
                continue
        answers_with[node] = -1
        for son in range(first + b, first + end):
            if tree.empty[son]:
                continue
            share = 1.0
            if missing:
                of_branch = tree.weights[start + (1 + son - first) * width + n_classes]
                share = of_branch / tree.weights[start + n_classes]
            weight[son] = share * weight[node]
            reached[n_reached], reached_by[son] = son, i
            n_reached += 1
    return n_reached


@njit(cache=True)
def most_probable(probabilities: np.ndarray) -> np.ndarray:
    """The first class of largest probability, ties within the tolerance.

    >>> most_probable(np.array([[0.2, 0.8], [0.5, 0.5]]))
    array([1, 0])
    """
    n_rows, n_classes = probabilities.shape
    labels = np.zeros(n_rows, np.int64)
    for i in range(n_rows):
        best = -1.0
        for c in range(n_classes):
            if _less(best, probabilities[i, c]):
                best, labels[i] = probabilities[i, c], c
    return labels
