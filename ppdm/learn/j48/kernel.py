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


class Tree(NamedTuple):
    """A tree as parallel arrays, one entry a node; node 0 is the root, sons are consecutive.

    A leaf has ``n_sons == 0``. ``start`` is where the node's distribution begins in ``weights``.
    ``empty`` marks leaves that no training row reached. ``threshold`` is NaN where each level has a
    branch of its own.
    """

    attribute: np.ndarray
    threshold: np.ndarray
    first_son: np.ndarray
    n_sons: np.ndarray
    empty: np.ndarray
    start: np.ndarray
    weights: np.ndarray


class Data(NamedTuple):
    """What a tree is grown from. ``labels[i]`` is the code of row ``i``'s class, -1 where it is missing.

    ``columns[a, i]`` is the value of attribute ``a`` in row ``i``: a number, the code of a level,
    or NaN. ``n_levels[a]`` is -1 for a numeric attribute. ``averaged[a]`` says whether the attribute
    counts in the average gain.
    """

    columns: np.ndarray
    labels: np.ndarray
    n_classes: int
    n_levels: np.ndarray
    averaged: np.ndarray


class Options(NamedTuple):
    """WEKA's options; ``z`` is the normal quantile of the confidence."""

    min_leaf: float
    confidence: float
    z: float


class _Growing(NamedTuple):
    """The nodes of a tree that grows, as lists."""

    attribute: list[int]
    threshold: list[float]
    first_son: list[int]
    n_sons: list[int]
    empty: list[bool]
    distributions: list[np.ndarray]
    rows: list[np.ndarray]  # that reach the node
    weights: list[np.ndarray]  # theirs: parts of rows where values are missing


@njit
def _less(a: float, b: float) -> bool:
    return b - a > _TOLERANCE


@njit
def _at_most(a: float, b: float) -> bool:
    return a - b < _TOLERANCE


@njit
def _same(a: float, b: float) -> bool:
    return abs(a - b) < _TOLERANCE


# --- distributions ------------------------------------------------------------------------------


@njit
def _add(d: np.ndarray, branch: int, label: int, weight: float) -> None:
    d[1 + branch, label] += weight
    d[1 + branch, -1] += weight
    d[0, label] += weight
    d[0, -1] += weight


@njit
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


@njit
def majority(counts: np.ndarray) -> int:
    """The first class of largest weight; ``counts`` ends with the total.

    >>> majority(np.array([1.0, 2.0, 2.0, 5.0]))
    1
    """
    best, label = 0.0, 0
    for c in range(counts.size - 1):
        if _less(best, counts[c]):
            best, label = counts[c], c
    return label


@njit
def _n_wrong(counts: np.ndarray) -> float:
    return counts[-1] - counts[majority(counts)]


@njit
def _largest_branch(d: np.ndarray) -> int:
    """The *last* of the branches of largest weight."""
    best, branch = 0.0, -1
    for b in range(d.shape[0] - 1):
        if _at_most(best, d[1 + b, -1]):
            best, branch = d[1 + b, -1], b
    return branch


# --- criteria -----------------------------------------------------------------------------------


@njit
def _xlog2x(x: float) -> float:
    return 0.0 if x < _TOLERANCE else x * np.log(x) / _LN2


@njit
def _entropy(d: np.ndarray) -> float:
    """Entropy of the class, times the weight."""
    s = 0.0
    for c in range(d.shape[1] - 1):
        s += _xlog2x(d[0, c])
    return _xlog2x(d[0, -1]) - s


@njit
def _gain(d: np.ndarray, total: float, entropy: float) -> float:
    """Information gain; ``total`` includes the rows whose value is missing."""
    s = 0.0
    for b in range(1, d.shape[0]):
        for c in range(d.shape[1] - 1):
            s += _xlog2x(d[b, c])
        s -= _xlog2x(d[b, -1])
    weight = d[0, -1]
    gain = (1.0 - (total - weight) / total) * (entropy + s)
    return 0.0 if _same(gain, 0.0) else gain / weight


@njit
def _gain_ratio(d: np.ndarray, total: float, gain: float) -> float:
    """Gain over the entropy of the split, where 'missing' counts as one more branch."""
    s = 0.0
    weight = d[0, -1]
    if _less(0.0, weight):
        for b in range(1, d.shape[0]):
            s -= _xlog2x(d[b, -1])
        s -= _xlog2x(total - weight)
    s += _xlog2x(total)
    return 0.0 if _same(s, 0.0) else gain / (s / total)


@njit
def _filled_branches(d: np.ndarray, min_leaf: float) -> int:
    n = 0
    for b in range(1, d.shape[0]):
        n += _at_most(min_leaf, d[b, -1])
    return n


# --- candidate splits ---------------------------------------------------------------------------


@njit
def _order_two(order: np.ndarray, keys: np.ndarray, i: int, j: int) -> None:
    if keys[order[i]] > keys[order[j]]:
        order[i], order[j] = order[j], order[i]


@njit
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


@njit
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


@njit
def _numeric_split(
    data: Data, a: int, rows: np.ndarray, weights: np.ndarray, total: float, min_leaf: float
) -> tuple[float, float, float, np.ndarray]:
    """(gain, gain ratio, threshold, distribution) of the best cut; a ratio below 0 means none.

    Sorts ``rows`` and ``weights`` in place.
    """
    column, labels, n_classes = data.columns[a], data.labels, data.n_classes
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
    best, cut, n_cuts, moves = 0.0, -1, 0, 0
    for i in range(1, n_known):
        if keys[i - 1] + 1e-5 < keys[i]:
            for k in range(moves, i):
                label, weight = labels[rows[k]], weights[k]
                d[2, label] -= weight
                d[2, -1] -= weight
                d[1, label] += weight
                d[1, -1] += weight
            moves = i
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


@njit
def _nominal_split(
    data: Data, a: int, rows: np.ndarray, weights: np.ndarray, total: float, min_leaf: float
) -> tuple[float, float, float, np.ndarray]:
    """(gain, gain ratio, NaN, distribution) of one branch a level; a ratio below 0 means none."""
    column = data.columns[a]
    d = np.zeros((data.n_levels[a] + 1, data.n_classes + 1))
    for i in range(rows.size):
        if not np.isnan(column[rows[i]]):
            _add(d, int(column[rows[i]]), data.labels[rows[i]], weights[i])
    if _filled_branches(d, min_leaf) < 2:
        return 0.0, -1.0, np.nan, d
    gain = _gain(d, total, _entropy(d))
    return gain, _gain_ratio(d, total, gain), np.nan, d


@njit
def _largest_value_up_to(column: np.ndarray, threshold: float) -> float:
    """The largest value that occurs anywhere in the training set and is at most ``threshold``."""
    largest = -np.inf
    for value in column:
        if not np.isnan(value) and _less(largest, value) and _at_most(value, threshold):
            largest = value
    return largest


@njit
def _split(
    data: Data, options: Options, a: int, rows: np.ndarray, weights: np.ndarray, total: float
) -> tuple[float, float, float, np.ndarray]:
    """(gain, gain ratio, threshold, distribution) of the best split by one attribute."""
    if data.n_levels[a] < 0:
        return _numeric_split(data, a, rows, weights, total, options.min_leaf)
    return _nominal_split(data, a, rows, weights, total, options.min_leaf)


@njit
def _best_ratio(gains: np.ndarray, ratios: np.ndarray, least_gain: float) -> int:
    """The first attribute of largest gain ratio among those that gain enough; -1 if none does."""
    best, best_ratio = -1, 0.0
    for a in range(gains.size):
        if ratios[a] >= 0.0 and gains[a] >= least_gain and _less(best_ratio, ratios[a]):
            best, best_ratio = a, ratios[a]
    return best


@njit
def _choose_split(
    data: Data, options: Options, rows: np.ndarray, weights: np.ndarray
) -> tuple[int, float, np.ndarray]:
    """(attribute, threshold, distribution); attribute is -1 where no split is worth it."""
    leaf = np.zeros((2, data.n_classes + 1))
    _recount_leaf(leaf, data.labels, rows, weights)
    if _less(leaf[0, -1], 2 * options.min_leaf) or _same(leaf[0, -1], leaf[0, majority(leaf[0])]):
        return -1, 0.0, leaf

    total = 0.0
    for i in range(rows.size):
        total += weights[i]
    n_attributes = data.columns.shape[0]
    gains = np.zeros(n_attributes)
    ratios = np.full(n_attributes, -1.0)
    thresholds = np.zeros(n_attributes)
    distributions = [leaf for _ in range(n_attributes)]
    sum_of_gains, n_averaged = 0.0, 0
    for a in range(n_attributes):
        gains[a], ratios[a], thresholds[a], distributions[a] = _split(
            data, options, a, rows, weights, total
        )
        if ratios[a] >= 0.0 and data.averaged[a]:
            sum_of_gains += gains[a]
            n_averaged += 1
    if n_averaged == 0:
        return -1, 0.0, leaf

    best = _best_ratio(gains, ratios, sum_of_gains / n_averaged - 1e-3)
    if best < 0:
        return -1, 0.0, leaf
    _add_missing(distributions[best], data.columns[best], data.labels, rows, weights)
    threshold = thresholds[best]
    if data.n_levels[best] < 0:
        threshold = _largest_value_up_to(data.columns[best], threshold)
    return best, threshold, distributions[best]


# --- sending rows down --------------------------------------------------------------------------


@njit
def _branch_of(value: float, threshold: float) -> int:
    """The branch a known value takes."""
    if np.isnan(threshold):
        return int(value)
    return 0 if _at_most(value, threshold) else 1


@njit
def _send(
    column: np.ndarray,
    threshold: float,
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
    sent_rows = [np.empty(rows.size, np.int64) for _ in range(n_branches)]
    sent_weights = [np.empty(rows.size, np.float64) for _ in range(n_branches)]
    for i in range(rows.size):
        value = column[rows[i]]
        missing = np.isnan(value)
        first = 0 if missing else _branch_of(value, threshold)
        for b in range(first, n_branches if missing else first + 1):
            if not missing or _less(0.0, share[b]):
                sent_rows[b][size[b]] = rows[i]
                sent_weights[b][size[b]] = share[b] * weights[i] if missing else weights[i]
                size[b] += 1
    return (
        [sent_rows[b][: size[b]].copy() for b in range(n_branches)],
        [sent_weights[b][: size[b]].copy() for b in range(n_branches)],
    )


@njit
def _recount(
    d: np.ndarray,
    column: np.ndarray,
    threshold: float,
    labels: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Fill the distribution ``d`` of a split anew from other rows."""
    d[:] = 0.0
    for i in range(rows.size):
        if not np.isnan(column[rows[i]]):
            branch = _branch_of(column[rows[i]], threshold)
            _add(d, branch, labels[rows[i]], weights[i])
    _add_missing(d, column, labels, rows, weights)


@njit
def _recount_leaf(d: np.ndarray, labels: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> None:
    d[:] = 0.0
    for i in range(rows.size):
        _add(d, 0, labels[rows[i]], weights[i])


# --- pruning ------------------------------------------------------------------------------------


@njit
def _extra_errors(n: float, e: float, confidence: float, z: float) -> float:
    """How many errors to add to ``e`` seen among ``n`` to reach the upper confidence limit."""
    if confidence > 0.5:
        return 0.0
    if e < 1:  # between the limits for no error, which is exact, and for one
        none = n * (1 - confidence ** (1 / n))
        return none + e * (_extra_of_one_or_more(n, 1.0, z) - none) if e != 0 else none
    return _extra_of_one_or_more(n, e, z)


@njit
def _extra_of_one_or_more(n: float, e: float, z: float) -> float:
    """The same by the normal approximation; ``z`` is the quantile of the confidence."""
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f = (e + 0.5) / n
    root = np.sqrt(f / n - f * f / n + z * z / (4 * n * n))
    return (f + z * z / (2 * n) + z * root) / (1 + z * z / n) * n - e


@njit
def _pessimistic_errors(counts: np.ndarray, options: Options) -> float:
    if _same(counts[-1], 0.0):
        return 0.0
    wrong = _n_wrong(counts)
    return wrong + _extra_errors(counts[-1], wrong, options.confidence, options.z)


@njit
def _subtree_errors(tree: _Growing, root: int, options: Options) -> float:
    errors = 0.0
    pending = [root]
    while len(pending) > 0:
        node = pending.pop()
        if tree.n_sons[node] == 0:
            errors += _pessimistic_errors(tree.distributions[node][0], options)
        for b in range(tree.n_sons[node]):
            pending.append(tree.first_son[node] + b)
    return errors


@njit
def _rerouted(
    tree: _Growing,
    root: int,
    rows: np.ndarray,
    weights: np.ndarray,
    data: Data,
    options: Options,
    stay: bool,
) -> float:
    """Pessimistic errors of the subtree at ``root`` if ``rows`` are sent down its splits.

    If they ``stay``, the nodes keep these rows and are counted anew.
    """
    errors = 0.0
    pending, pending_rows, pending_weights = [root], [rows], [weights]
    while len(pending) > 0:
        node, rows, weights = pending.pop(), pending_rows.pop(), pending_weights.pop()
        d = np.empty_like(tree.distributions[node])
        if tree.n_sons[node] == 0:
            _recount_leaf(d, data.labels, rows, weights)
            errors += _pessimistic_errors(d[0], options)
        else:
            column, threshold = data.columns[tree.attribute[node]], tree.threshold[node]
            _recount(d, column, threshold, data.labels, rows, weights)
            sides = _send(column, threshold, d, rows, weights)
            for b in range(tree.n_sons[node]):
                pending.append(tree.first_son[node] + b)
            pending_rows.extend(sides[0])
            pending_weights.extend(sides[1])
        if stay:
            tree.rows[node], tree.weights[node], tree.distributions[node] = rows, weights, d
            if tree.n_sons[node] == 0 and not _same(d[0, -1], 0.0):
                tree.empty[node] = False
    return errors


@njit
def _make_leaf(tree: _Growing, node: int) -> None:
    tree.n_sons[node] = 0
    d = np.empty((2, tree.distributions[node].shape[1]))
    d[0] = tree.distributions[node][0]
    d[1] = d[0]
    tree.distributions[node] = d


@njit
def _raise(tree: _Growing, node: int, son: int) -> None:
    """Put a son in the place of its parent."""
    tree.attribute[node], tree.threshold[node] = tree.attribute[son], tree.threshold[son]
    tree.first_son[node], tree.n_sons[node] = tree.first_son[son], tree.n_sons[son]
    tree.distributions[node] = tree.distributions[son]


@njit
def _prune(tree: _Growing, data: Data, options: Options) -> None:
    """Replace subtrees, from below, by a leaf or by their largest branch where that errs less."""
    pending = [(0, False)]
    while len(pending) > 0:
        node, sons_are_done = pending.pop()
        if tree.n_sons[node] == 0:
            continue
        if not sons_are_done:
            pending.append((node, True))
            for b in range(tree.n_sons[node]):
                pending.append((tree.first_son[node] + b, False))
            continue
        largest = tree.first_son[node] + _largest_branch(tree.distributions[node])
        rows, weights = tree.rows[node], tree.weights[node]
        raised = _rerouted(tree, largest, rows, weights, data, options, False)
        as_leaf = _pessimistic_errors(tree.distributions[node][0], options)
        as_tree = _subtree_errors(tree, node, options)
        if _at_most(as_leaf, as_tree + 0.1) and _at_most(as_leaf, raised + 0.1):
            _make_leaf(tree, node)
        elif _at_most(raised, as_tree + 0.1):
            _raise(tree, node, largest)
            _rerouted(tree, node, rows, weights, data, options, True)
            pending.append((node, False))


@njit
def _collapse(tree: _Growing) -> None:
    """Turn every split into a leaf that does not lower the errors on the training rows."""
    n_nodes = len(tree.n_sons)
    errors = np.zeros(n_nodes)
    for node in range(n_nodes - 1, -1, -1):  # sons come after their parent
        if tree.n_sons[node] == 0:
            errors[node] = _n_wrong(tree.distributions[node][0])
        for son in range(tree.first_son[node], tree.first_son[node] + tree.n_sons[node]):
            errors[node] += errors[son]
    for node in range(n_nodes):
        if tree.n_sons[node] > 0 and errors[node] >= _n_wrong(tree.distributions[node][0]) - 1e-3:
            _make_leaf(tree, node)


# --- the whole ----------------------------------------------------------------------------------


@njit
def _grow(data: Data, options: Options) -> _Growing:
    """The full tree, breadth first."""
    tree = _Growing(
        [0 for _ in range(0)],
        [0.0 for _ in range(0)],
        [0 for _ in range(0)],
        [0 for _ in range(0)],
        [False for _ in range(0)],
        [np.empty((1, 1)) for _ in range(0)],
        [np.flatnonzero(data.labels >= 0)],
        [np.ones(np.count_nonzero(data.labels >= 0))],
    )
    node = 0
    while node < len(tree.rows):
        rows, weights = tree.rows[node], tree.weights[node]
        a, threshold, d = _choose_split(data, options, rows, weights)
        tree.attribute.append(a)
        tree.threshold.append(threshold)
        tree.distributions.append(d)
        tree.first_son.append(len(tree.rows))
        tree.empty.append(_same(d[0, -1], 0.0))
        tree.n_sons.append(0 if a < 0 else d.shape[0] - 1)
        if a >= 0:
            sides = _send(data.columns[a], threshold, d, rows, weights)
            tree.rows.extend(sides[0])
            tree.weights.extend(sides[1])
        node += 1
    return tree


@njit
def grow_tree(data: Data, options: Options) -> Tree:
    """Grow, collapse and prune.

    >>> numbers, labels = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([0, 0, 1, 1])
    >>> data = Data(numbers, labels, 2, np.array([-1]), np.array([True]))
    >>> tree = grow_tree(data, Options(2.0, 0.25, 0.6744897501960817))
    >>> int(tree.attribute[0]), float(tree.threshold[0]), int(tree.n_sons[0])
    (0, 2.0, 2)
    """
    tree = _grow(data, options)
    _collapse(tree)
    _prune(tree, data, options)
    return _compact(tree)


@njit
def _compact(tree: _Growing) -> Tree:
    """Renumber the nodes still in use, breadth first, and put their distributions end to end."""
    order = [0]
    i = 0
    while i < len(order):
        first = tree.first_son[order[i]]
        order.extend(range(first, first + tree.n_sons[order[i]]))
        i += 1
    n = len(order)
    first_son, start = np.zeros(n, np.int64), np.zeros(n, np.int64)
    next_son, size = 1, 0
    for i in range(n):
        first_son[i], start[i] = next_son, size
        next_son += tree.n_sons[order[i]]
        size += tree.distributions[order[i]].size
    weights = np.empty(size)
    for i in range(n):
        d = tree.distributions[order[i]]
        weights[start[i] : start[i] + d.size] = d.ravel()
    return Tree(
        np.array([tree.attribute[node] for node in order]),
        np.array([tree.threshold[node] for node in order]),
        first_son,
        np.array([tree.n_sons[node] for node in order]),
        np.array([tree.empty[node] for node in order]),
        start,
        weights,
    )


@njit
def class_probabilities(tree: Tree, columns: np.ndarray, n_classes: int) -> np.ndarray:
    """One row a record; a missing value follows all branches, weighted as the training rows were.

    >>> numbers, labels = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([0, 0, 1, 1])
    >>> data = Data(numbers, labels, 2, np.array([-1]), np.array([True]))
    >>> tree = grow_tree(data, Options(2.0, 0.25, 0.6744897501960817))
    >>> class_probabilities(tree, np.array([[1.5, np.nan]]), 2)
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
        n_reached = _walk(tree, i, columns, n_classes, reached, weight, reached_by, answers_with)
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


@njit
def _walk(
    tree: Tree,
    i: int,
    columns: np.ndarray,
    n_classes: int,
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
            b = _branch_of(value, tree.threshold[node])
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


@njit
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
