"""Random programs, edited mechanically: each is right, or refuses in a sentence; none is silently wrong.

A program is five to ten steps from people's answers to a share: disguise, hand over, cut, count, weigh, add, undo,
condition, learn, score. It is made right, and has to come within six standard errors of the truth (false
alarms: 2e-9 each). Then it is edited: a step is dropped, repeated, swapped with the next; a scheme, a seed, a frame
is exchanged; a round trip put in. What is computed then is right as well, or refused.

The truth and the standard error are computed here, from a matrix over all cells that is written out as the papers
say it. Steps that speak of the people change the truth, too: who cuts, asks about the part.

Two things no package can know, and the programs do not count them: data that forgot what they are (a CSV file, an array)
and are then said to be what they are not, or not said to be anything.
"""

import pickle
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ppdm import MultiGroup, RRMatrix, Survey, Table, UnrelatedQuestion, count, kinds, scheme_of
from ppdm.learn import ID3, NaiveBayes

BITS = ("a", "b", "c")
LEVELS = {"a": (0, 1), "b": (0, 1), "c": (0, 1), "d": ("x", "y", "z")}
SKEWED = np.array([[0.9, 0.2], [0.1, 0.8]])
WARNER = [{"mechanism": "warner", "p": 0.8, "attributes": list(BITS)}]
SCHEMES: dict[str, Any] = {
    "groups": MultiGroup(0.8, [["a", "b"], ["c"]]),
    "other groups": MultiGroup(0.8, [["a"], ["b", "c"]]),
    "other theta": MultiGroup(0.7, [["a", "b"], ["c"]]),
    "unrelated": UnrelatedQuestion(0.6, groups=[["a", "b", "c"]]),
    "matrix": RRMatrix(dict.fromkeys(BITS, SKEWED), inputs={n: [0, 1] for n in BITS}),
    "survey": scheme_of(Survey({n: list(levels) for n, levels in LEVELS.items()}, WARNER)),
}
FRAMES = (
    "pickle",
    "parquet",
    "shuffled",
    "halves",
    "joined",
    "csv",
    "polars",
    "arrow",
    "categories",
)


def matrix_of(name: str | None) -> np.ndarray:
    """M[y, x] over the eight cells of a, b, c."""
    cells = np.array([[x >> 2, x >> 1 & 1, x & 1] for x in range(8)])
    same = cells[:, None] == cells[None]  # [y, x, attribute]
    if name is None:
        return np.eye(8)
    if name == "unrelated":
        return 0.6 * np.eye(8) + 0.4 / 8
    if name in ("matrix", "survey"):
        one = SKEWED if name == "matrix" else np.array([[0.8, 0.2], [0.2, 0.8]])
        return one[cells[:, None], cells[None]].prod(axis=2)
    theta = 0.7 if name == "other theta" else 0.8
    groups = ([0], [1, 2]) if name == "other groups" else ([0, 1], [2])
    out = np.ones((8, 8))
    for group in groups:
        told, turned = same[:, :, group].all(axis=2), (~same[:, :, group]).all(axis=2)
        out *= theta * told + (1 - theta) * turned
    return out


@dataclass
class State:
    """The people whom the data speak of, and the data."""

    people: pd.DataFrame
    data: Any
    scheme: str | None = None  # that disguised them
    condition: dict = field(default_factory=dict)
    folder: str = ""
    untold: bool = False  # something was said of the data, or not said, that they cannot know

    @property
    def forgot(self) -> bool:
        """Whether these are reports that do not say so."""
        if isinstance(self.data, Table):
            return self.scheme is not None and self.data.kind.what == "not said"
        return self.scheme is not None and not kinds.of_frame(self.data).channels


# -- steps ---------------------------------------------------------------------------------------------


def disguise(state: State, scheme: str, seed: int) -> State:
    untold = state.untold or state.forgot
    sent = SCHEMES[scheme].disguise(
        state.data, np.random.default_rng([seed, 1]), **levels_for(scheme)
    )
    return replace(state, data=sent, scheme=scheme, untold=untold)


def levels_for(scheme: str) -> dict:
    return {} if scheme == "survey" else {"levels": LEVELS}


def handed_over(state: State, how: str) -> State:
    frame, people = state.data, state.people
    if not isinstance(frame, pd.DataFrame):
        raise ValueError("the step takes a frame of pandas")
    if how == "pickle":
        frame = pickle.loads(pickle.dumps(frame))
    elif how == "parquet":
        table = pa.Table.from_pandas(frame)
        frame = table.to_pandas()
        frame.attrs = dict(state.data.attrs)
    elif how == "shuffled":
        people = people.sample(frac=1, random_state=1)
        frame = frame.loc[people.index]
    elif how == "halves":
        frame = pd.concat([frame.iloc[: len(frame) // 2], frame.iloc[len(frame) // 2 :]])
    elif how == "joined":
        frame = frame[["a", "b"]].join(frame[["c", "d"]])
    elif how == "csv":
        path = f"{state.folder}/reports.csv"
        frame.to_csv(path, index=False)
        frame = pd.read_csv(path).set_index(frame.index)
    elif how == "polars":
        frame = pl.from_pandas(frame)
    elif how == "arrow":
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    elif how == "categories":
        frame = frame.assign(d=frame["d"].astype(pd.CategoricalDtype(list(LEVELS["d"]))))
    return replace(state, data=frame, people=people)


def cut(state: State, level: str) -> State:
    if not isinstance(state.data, pd.DataFrame):
        raise ValueError("the step takes a frame of pandas")
    part = state.people["d"] == level
    return replace(state, people=state.people[part], data=state.data[state.data["d"] == level])


def counted(state: State, scheme: str | None, weighed: bool) -> State:
    own = SCHEMES[scheme] if scheme else None
    people, weights = state.people, None
    if weighed:
        weights = people["d"].map({"x": 1.0, "y": 2.0, "z": 3.0}).sample(frac=1, random_state=2)
        people = people.assign(w=people["w"] * weights)
    untold = state.untold or (state.forgot and scheme != state.scheme)
    # true answers that are said to be reports: of data that do not say what they are
    untold |= state.scheme is None and scheme is not None and not isinstance(state.data, Table)
    if scheme and scheme != "survey":
        data = count(state.data, LEVELS, weights)
        data = data if data.kind.what == "reports" else data.reported_by(own)
    else:
        data = count(state.data, LEVELS if own is None else own, weights)
    return replace(state, data=data, people=people, untold=untold)


def table_of(state: State) -> Table:
    if not isinstance(state.data, Table):
        raise ValueError("the step takes a table")
    return state.data


def added(state: State) -> State:
    table_of(state)
    return replace(state, data=state.data + 2 * state.data)


def part(state: State, names: str) -> State:
    return replace(state, data=table_of(state).marginal(*names))


def sliced(state: State, name: str, level: Any) -> State:
    data = table_of(state).where({name: level})
    return replace(state, data=data, condition=state.condition | {name: level})


def undone(state: State, scheme: str) -> State:
    return replace(state, data=SCHEMES[scheme].undo(state.data))


def saved(state: State) -> State:
    """The table of what the data count, written down and read again: what it is, it keeps."""
    return replace(state, data=pickle.loads(pickle.dumps(state.data)))


def asked(state: State, target: str) -> tuple[float, float]:
    """The share of the target, and the model's count of records: a learner takes no reports."""
    model = NaiveBayes().fit_table(state.data, target)
    ID3().fit_table(state.data, target)
    return float(model.class_count_[1] / model.class_count_.sum()), 0.0


def learned(state: State, scheme: str | None, target: str) -> tuple[float, float]:
    others = [name for name in BITS if name != target]
    if not isinstance(state.data, pd.DataFrame):
        raise ValueError("the step takes a frame of pandas")
    model = NaiveBayes(SCHEMES[scheme] if scheme else None)
    if scheme == "survey":  # it takes whole records
        others = [*others, "d"]
    model.fit(state.data[others], state.data[target])
    return float(model.class_count_[1] / model.class_count_.sum()), 0.0


def scored(state: State, scheme: str | None, target: str) -> tuple[float, float]:
    """The estimated share of people of whom "as b" is the right guess of the target."""
    if not isinstance(state.data, pd.DataFrame):
        raise ValueError("the step takes a frame of pandas")
    truth = pd.DataFrame({"b": [0, 1], target: [0, 1]})
    model = NaiveBayes().fit(truth[["b"]], truth[target])
    model.set_params(mechanism=SCHEMES[scheme] if scheme else None)
    return model.score(state.data[["b"]], state.data[target]), 1.0


STEPS = {
    step.__name__: step
    for step in (disguise, handed_over, cut, counted, added, part, sliced, undone, saved, asked, learned, scored)
}  # fmt: skip


# -- programs -------------------------------------------------------------------------------------------


def program(rng: np.random.Generator) -> list[tuple]:
    """A program that is right."""
    scheme, target = str(rng.choice(list(SCHEMES))), str(rng.choice(["a", "c"]))
    steps: list[tuple] = [("disguise", scheme, int(rng.integers(1_000)))]
    if rng.random() < 0.3:
        steps.insert(0, ("handed_over", str(rng.choice(FRAMES[:5]))))
    way = rng.choice(["count", "learn", "score"], p=[0.7, 0.15, 0.15])
    kept = FRAMES[:5] if way != "count" else FRAMES
    weighed = bool(way == "count" and rng.random() < 0.3)
    kept = FRAMES[:5] if weighed else kept
    if rng.random() < 0.3:
        steps.append(("cut", str(rng.choice(LEVELS["d"]))))
    steps += [("handed_over", str(rng.choice(FRAMES[:5])))] * int(rng.integers(2))
    steps += [("handed_over", str(rng.choice(kept)))] * int(rng.integers(2))
    if way != "count":
        return [*steps, ("learned" if way == "learn" else "scored", scheme, target)]
    steps.append(("counted", scheme, weighed))
    if rng.random() < 0.4:
        steps.append(("added",))
    if rng.random() < 0.4 and not any(step[0] == "cut" for step in steps):
        steps.append(("sliced", "d", str(rng.choice(LEVELS["d"]))))
    elif rng.random() < 0.4:
        steps.append(("part", "ac" if rng.random() < 0.5 else "abc"))
    if rng.random() < 0.3:
        steps.append(("saved",))
    steps.append(("undone", scheme))
    if rng.random() < 0.4 and ("part", "ac") not in steps:
        steps.append(("sliced", "c" if target == "a" else "a", int(rng.integers(2))))
    return [*steps, ("asked", target)]


def edited(steps: list[tuple], rng: np.random.Generator) -> list[tuple]:
    """One mechanical change."""
    steps, at = list(steps), int(rng.integers(len(steps) - 1))
    edit = rng.choice(["drop", "repeat", "swap", "scheme", "seed", "frame", "trip", "nothing said"])
    if edit == "drop":
        del steps[at]
    elif edit == "repeat":
        steps.insert(at, steps[at])
    elif edit == "swap":
        at = min(at, len(steps) - 3)
        steps[at], steps[at + 1] = steps[at + 1], steps[at]
    elif edit == "trip":
        steps.insert(at, ("handed_over", str(rng.choice(FRAMES))))
    elif edit == "frame":
        steps = [
            ("handed_over", str(rng.choice(FRAMES))) if s[0] == "handed_over" else s for s in steps
        ]
    else:
        new = {"scheme": str(rng.choice(list(SCHEMES))), "nothing said": None}.get(str(edit))
        places = {"disguise", "counted", "undone", "learned", "scored"}
        chosen = [
            i for i, s in enumerate(steps) if s[0] in (places if edit != "seed" else {"disguise"})
        ]
        i = int(rng.choice(chosen)) if chosen else 0
        if edit == "seed" and chosen:
            steps[i] = (*steps[i][:2], 7)
        elif chosen and (new or steps[i][0] in ("counted", "learned", "scored")):
            steps[i] = (steps[i][0], new, *steps[i][2:])
    return steps


def run(steps: list[tuple], people: pd.DataFrame, folder: str) -> tuple[State, float, bool]:
    state = State(people, people[list(LEVELS)].copy(), folder=folder)
    for name, *given in steps[:-1]:
        state = STEPS[name](state, *given)
    name, *given = steps[-1]
    value, score = STEPS[name](state, *given)
    if name != "asked":  # a learner may undo by itself
        state.untold |= state.forgot
    state.untold |= (
        state.scheme is not None and name == "asked" and state.data.kind.what == "not said"
    )
    return state, value, bool(score)


def truth(state: State, steps: list[tuple], score: bool) -> tuple[float, float]:
    """What is asked for, of the people, and the standard error of its estimate."""
    people, target = state.people, steps[-1][-1]
    weights = people["w"].to_numpy()
    for name, level in state.condition.items():
        if name == "d":
            weights = np.where(people["d"] == level, weights, 0.0)
    cells = people[list(BITS)].to_numpy() @ [4, 2, 1]
    shares = np.bincount(cells, weights, 8) / weights.sum()
    digits = {name: np.arange(8) >> shift & 1 for name, shift in zip(BITS, (2, 1, 0))}
    part = np.ones(8)
    for name, level in state.condition.items():
        part = part * (digits[name] == level) if name in digits else part
    wanted = digits["b"] == digits[target] if score else digits[target] == 1
    share = shares @ (part * wanted) / (shares @ part)
    influence = part * (wanted - share) / (shares @ part)
    M = matrix_of(state.scheme)
    worth = np.linalg.solve(M.T, influence)  # of a report
    number = weights.sum() ** 2 / (weights**2).sum()
    noise = (M @ shares) @ worth**2 if state.scheme else 0.0
    return float(share), float(np.sqrt(noise / number))


def everybody(seed: int, size: int = 3_000) -> pd.DataFrame:
    rng = np.random.default_rng([seed, 0])
    a = rng.random(size) < 0.4
    b = rng.random(size) < 0.25 + 0.5 * a
    c = rng.random(size) < 0.3 + 0.3 * b
    bits = {name: values.astype(int) for name, values in zip(BITS, (a, b, c))}
    return pd.DataFrame({**bits, "d": rng.choice(LEVELS["d"], size, p=[0.5, 0.3, 0.2]), "w": 1.0})


def check(seed: int, folder: str) -> tuple[str, str]:
    """What became of a program and of the same program, edited: "right", "refused", "untold"."""
    rng, people = np.random.default_rng([seed, 2]), everybody(seed)
    steps = program(rng)
    outcomes = []
    for number, tried in enumerate((steps, edited(steps, rng))):
        try:
            state, value, score = run(tried, people, folder)
        except (ValueError, TypeError) as error:
            told = str(error)
            assert number == 1, f"{tried}: a right program was refused: {told}"
            assert told and "\n\n" not in told and len(told) < 700, f"{tried}: {told}"
            outcomes.append("refused")
            continue
        if state.untold:
            outcomes.append("untold")
            continue
        share, se = truth(state, tried, score)
        assert abs(value - share) < 6 * se + 1e-9, (
            f"{tried}: {value:.4f} for {share:.4f} +- {se:.4f}"
        )
        outcomes.append("right")
    return outcomes[0], outcomes[1]


@pytest.mark.filterwarnings("ignore")
def test_programs_are_right_or_refused(tmp_path):
    outcomes = [check(seed, str(tmp_path)) for seed in range(100)]
    assert {first for first, _ in outcomes} == {"right"}
    edits = [second for _, second in outcomes]
    assert edits.count("refused") > 15 and edits.count("right") > 15, edits


@pytest.mark.weekly
@pytest.mark.filterwarnings("ignore")
def test_ten_thousand_programs(tmp_path):
    """False alarms: 2e-5 in all."""
    for seed in range(100, 5_100):
        check(seed, str(tmp_path))
