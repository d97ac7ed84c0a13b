"""`ppdm optimise`: the best randomizing matrix for one survey question, and what it costs."""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from ppdm.contract import Survey
from ppdm.files import refuse_address, replace_file
from ppdm.optimise import descent, frontier, objectives
from ppdm.optimise.workloads import WORKLOADS, check_workload, workload_of
from ppdm.scientific import linear_sum_assignment
from ppdm.table import count

# The search for a square matrix takes some seconds for 15 answers, half a minute for 25, minutes for 40.
MOST_ANSWERS = 40
#: A matrix of more reports is not printed.
MOST_ROWS = 40
#: How far a matrix may be from the least possible and be called certified.
CERTIFIED = 1e-3

Outcome = TypeVar("Outcome")

DESCRIPTION = """\
Find the randomizing matrix of least error for a question whose answers have a known (or guessed)
distribution. Columns of the matrix are true answers, rows are reports; each respondent draws a report
from the column of her answer. Privacy is bounded in one of two ways. Either by --epsilon: no report
is more than e^epsilon times as likely for one answer as for another. Or by --delta: for every single
report, the chance that the best guess of the answer is right; and, if you like, by --privacy: 1 minus
that chance on average. What will be tabulated from the estimate is the --workload: every share
(cells), how many are at or below each answer (prefixes), or every attribute with the class (pairs).
"""


class Question(NamedTuple):
    """What is asked: answers, their shares, and for several columns how many answers each has."""

    name: str
    labels: list[str]
    prior: np.ndarray
    shape: tuple[int, ...] | None
    note: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.description = DESCRIPTION
    prior = parser.add_mutually_exclusive_group(required=True)
    prior.add_argument("--prior", help="shares of the answers, separated by commas, summing to 1")
    prior.add_argument("--csv", help="a CSV file; the shares are those of one of its columns")
    parser.add_argument(
        "--column",
        action="append",
        help="the column of the CSV file; several times: their combinations, the class last",
    )
    parser.add_argument("--epsilon", type=float, help="largest log ratio within a report's row")
    parser.add_argument("--delta", type=float, help="largest posterior allowed")
    parser.add_argument("--privacy", type=float, help="least privacy wanted, beside --delta")
    parser.add_argument(
        "--workload",
        default="cells",
        metavar="WHAT",
        help="what will be tabulated: cells (default), prefixes, pairs, or a CSV file with a row of "
        "weights (no header) for each number",
    )
    parser.add_argument(
        "--outputs",
        choices=["square", "any"],
        help="as many reports as answers (default with --delta and --privacy), or as many as the best "
        "scheme needs (all else)",
    )
    parser.add_argument("--respondents", type=int, default=10_000, help="default 10,000")
    parser.add_argument("--seed", type=int, default=1, help="of the search for a square matrix")
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="write the matrix to this file as well: CSV; or, if it ends in .json, a survey of one "
        "question that is disguised by it",
    )


def main(args: argparse.Namespace) -> int:
    """Print the matrix, its privacy and its price."""
    if args.respondents < 1:
        raise ValueError(f"--respondents is {args.respondents}: at least one is needed")
    square = _is_square(args)
    question = _question(args)
    rows = _workload(args, question)
    matrix, best = _with_clock(lambda: _search(question.prior, rows, square, args))
    table = _table(matrix, question.labels, question.prior)
    if question.note:
        print(question.note)
    if len(table) <= MOST_ROWS:
        print(table.to_string(float_format=lambda v: f"{v:.4f}"), "\n")
    else:
        print(f"The matrix has {len(table)} reports for {table.shape[1]} answers.")
    bound = best.bound if best is not None and best.gap <= CERTIFIED else None
    for line in report(matrix, question.prior, args.respondents, bound, rows):
        print(line)
    if best is not None:
        for line in _certified(best, square):
            print(line)
    if args.save:
        _save(table, question, args)
    return 0


def report(
    matrix: np.ndarray,
    prior: np.ndarray,
    respondents: int,
    bound: float | None,
    rows: np.ndarray | None = None,
) -> list[str]:
    """What a matrix gives and what it costs, in sentences.

    >>> for line in report(np.eye(2), np.array([0.5, 0.5]), 100, None): print(line)
    Privacy 0.0000: the best guess is right 100.0% of the time.
    Largest posterior of any answer given any report: 1.0000.
    Standard error of a share, 100 respondents: 0.0500 (0.0500 direct).
    The same error takes 1.00 times as many respondents as asking directly.
    """
    error = float(objectives.mse(matrix, prior, respondents, rows))
    direct = float(objectives.mse(np.eye(len(prior)), prior, respondents, rows))
    privacy = float(objectives.privacy(matrix, prior))
    posterior = float(objectives.max_posterior(matrix, prior))
    lines = [
        f"Privacy {privacy + 0:.4f}: the best guess is right {1 - privacy:.1%} of the time.",
        f"Largest posterior of any answer given any report: {posterior:.4f}.",
    ]
    if not np.isfinite(error):
        return [*lines, "No scheme can estimate the shares at this privacy: the error is infinite."]
    ours, theirs = np.sqrt(error), np.sqrt(direct)
    number = "share" if rows is None else "number of the workload"
    lines += [
        f"Standard error of a {number}, {respondents:,} respondents: {ours:.4f} ({theirs:.4f} direct).",
        f"The same error takes {error / direct:.2f} times as many respondents as asking directly.",
    ]
    if bound is not None:
        lines.append(
            f"No scheme with any number of reports can do with less than {bound / direct:.2f} "
            "times as many."
        )
    if matrix.shape[0] > matrix.shape[1]:
        lines.append(
            "Estimate the shares by weighted least squares (ppdm.estimate.inversion with this "
            "prior) or by EM (ppdm.estimate.em)."
        )
    return lines


def _certified(best: frontier.BestScheme, square: bool) -> list[str]:
    """What is proven of the scheme at the frontier, in sentences."""
    lines = []
    if best.gap > CERTIFIED:
        lines.append(
            "The matrix is not certified: the numbers are too extreme to tell a bound of the error from "
            "rounding. With a little less or a little more privacy there is one."
        )
    if not square and np.isfinite(best.noise):
        verdict = (
            f"certified to lie within {max(abs(best.noise_gap), 1e-9):.1g} of the least possible."
            if best.noise_gap <= CERTIFIED
            else "not certified: it is too small or too large to tell its bound from rounding."
        )
        lines.append(f"Noise of the disguise, for one respondent: {best.noise:.6g}, {verdict}")
    return lines


def _is_square(args: argparse.Namespace) -> bool:
    """Whether as many reports as answers are wanted; refuses options that do not go together."""
    if args.epsilon is None and args.delta is None:
        raise ValueError("privacy is not bounded: give --epsilon, or --delta")
    if args.epsilon is not None and (args.delta is not None or args.privacy is not None):
        raise ValueError("--epsilon bounds privacy by itself: leave out --delta and --privacy")
    possible = args.epsilon is None and args.privacy is not None and args.workload == "cells"
    if args.outputs == "square" and not possible:
        raise ValueError(
            "a square matrix is searched for --delta and --privacy and the shares themselves: "
            "leave out --outputs square"
        )
    return possible and args.outputs != "any"


def _workload(args: argparse.Namespace, question: Question) -> np.ndarray | None:
    """The rows of the workload; None are the shares themselves."""
    if args.workload == "cells":
        return None
    n = len(question.prior)
    if args.workload not in WORKLOADS:
        if not Path(args.workload).is_file():
            raise ValueError(
                f"--workload is {args.workload!r}: it is {', '.join(WORKLOADS)} or a CSV file"
            )
        try:
            return check_workload(pd.read_csv(args.workload, header=None).to_numpy(float), n)
        except (ValueError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
            raise ValueError(f"{args.workload}: {str(error).strip()}") from None
    if question.shape is None and args.workload == "pairs":
        raise ValueError(
            "--workload pairs needs to know the table: give --csv, and --column for each attribute "
            "and then the class"
        )
    return workload_of(args.workload, question.prior, question.shape)


def _save(table: pd.DataFrame, question: Question, args: argparse.Namespace) -> None:
    if not args.save.endswith(".json"):
        table.to_csv(args.save, float_format="%.12g")
        print(f"Matrix written to {args.save}.")
        return
    exact = table.to_numpy() / table.to_numpy().sum(axis=0)
    spec = {
        "mechanism": "matrix",
        "matrix": exact.tolist(),
        "outputs": list(table.index),
        "prior": question.prior.tolist(),
        "attributes": [question.name],
    }
    survey = Survey({question.name: question.labels}, [spec])
    replace_file(Path(args.save), (survey.to_json() + "\n").encode())
    print(f"Survey of one question, disguised by this matrix, written to {args.save}.")


def _question(args: argparse.Namespace) -> Question:
    if args.prior is not None:
        if args.column:
            raise ValueError("--column goes with --csv: --prior says the shares itself")
        try:
            values = [float(v) for v in args.prior.split(",")]
        except ValueError:
            raise ValueError(
                f"--prior is {args.prior!r}: numbers separated by commas are wanted"
            ) from None
        if len(values) > MOST_ANSWERS:
            raise ValueError(
                f"--prior has {len(values)} shares, and at most {MOST_ANSWERS} are searched"
            )
        prior = objectives.check_prior(values)
        labels = [f"answer {i + 1}" for i in range(len(prior))]
        return Question("answer", labels, prior, None, "")
    if not args.column:
        raise ValueError("--csv needs --column, the name of the column to take the shares from")
    frame = _read(args.csv)
    for name in args.column:
        if name not in frame:
            raise ValueError(
                f"{args.csv} has no column {name!r}; it has {', '.join(frame.columns)} "
                "(commas separate columns, not semicolons)"
            )
        if list(frame.columns).count(name) > 1:
            raise ValueError(
                f"{args.csv} has several columns {name!r}: rename all but the one meant"
            )
    return _of_columns(frame, args.column)


def _of_columns(frame: pd.DataFrame, names: list[str]) -> Question:
    """The answers of a column as one question, or the combinations of several, the last one fastest."""
    if len(set(names)) < len(names):
        raise ValueError(f"--column names a column twice: {', '.join(names)}")
    levels = {name: sorted(frame[name].dropna().unique()) for name in names}
    for name, answers in levels.items():
        _check_number(len(answers), f"column {name!r} has {len(answers):,} different answers")
    size = math.prod(map(len, levels.values()))
    _check_number(size, f"the columns {', '.join(names)} have {size:,} combinations")
    labels = [", ".join(answers) for answers in itertools.product(*levels.values())]
    for label, times in Counter(labels).items():
        if times > 1:
            raise ValueError(
                f"{times} combinations of the columns {', '.join(names)} would be called {label!r}: "
                "write their answers without a comma"
            )
    complete, notes = frame[names].dropna(), []
    counts = count(complete, levels).dense.reshape(-1)
    if len(complete) < len(frame):
        notes.append(
            f"{len(frame) - len(complete):,} of {len(frame):,} rows have no answer and are left out."
        )
    if not counts.all():
        notes.append(
            f"{int((counts == 0).sum())} of {size} combinations do not occur: each is counted as half "
            "a row, since the next respondent may have it."
        )
    shares = np.where(counts == 0, 0.5, counts)
    prior = objectives.check_prior(shares / shares.sum())
    several = tuple(map(len, levels.values())) if len(names) > 1 else None
    return Question(" & ".join(names), labels, prior, several, " ".join(notes))


def _check_number(answers: int, words: str) -> None:
    if answers < 2:
        raise ValueError(f"{words}, 2 are needed")
    if answers > MOST_ANSWERS:
        raise ValueError(
            f"{words}, and at most {MOST_ANSWERS} are searched: put rare ones together, or name other "
            "columns"
        )


def _read(path: str) -> pd.DataFrame:
    """A CSV file as words; only an empty field is no answer ("None" and "NA" are answers)."""
    refuse_address(path)
    words: dict[str, Any] = {
        "dtype": str,
        "skipinitialspace": True,
        "keep_default_na": False,
        "na_values": [""],
    }
    try:  # without a header: else a row that is longer would shift the columns
        frame = pd.read_csv(path, header=None, **words)
    except ValueError as error:  # pandas' own and those of the encoding
        raise ValueError(
            f"{path} is no CSV file in UTF-8 with commas: {str(error).strip()} (a comma at the end of a "
            "line counts, too, and so do names of rows that have no heading)"
        ) from None
    return frame.iloc[1:].set_axis(frame.iloc[0].fillna("").tolist(), axis=1).reset_index(drop=True)


def _search(
    prior: np.ndarray, rows: np.ndarray | None, square: bool, args: argparse.Namespace
) -> tuple[np.ndarray, frontier.BestScheme | None]:
    """The matrix, and the scheme at the frontier where that can be had."""
    best = None
    if args.epsilon is not None:
        best = frontier.best_ldp_scheme(prior, args.epsilon, args.respondents, rows)
    elif not square or len(prior) <= frontier.LARGEST_N:
        best = frontier.best_scheme(prior, args.delta, args.privacy, args.respondents, rows)
    if best is not None and not square:
        return best.matrix, best
    delta = objectives.check_delta(args.delta, prior)
    level, rng = max(args.privacy, 1 - delta), np.random.default_rng(args.seed)
    front = descent.square_front(prior, delta, [level], rng, args.respondents)
    return front.matrices[0], best


def _with_clock(search: Callable[[], Outcome]) -> Outcome:
    """A search in a thread: compiled code heeds no signal, but who waits does, and shows the time."""
    outcome: Future[Outcome] = Future()

    def work() -> None:
        try:
            outcome.set_result(search())
        except Exception as error:  # noqa: BLE001  (whatever it is, the one who waits raises it)
            outcome.set_exception(error)

    begin, terminal = time.monotonic(), sys.stderr.isatty()
    threading.Thread(target=work, daemon=True).start()  # nobody waits for it after Ctrl-C
    while wait([outcome], timeout=0.5).not_done:
        if terminal:
            print(
                f"\rsearching for {time.monotonic() - begin:.0f} s",
                end="",
                file=sys.stderr,
                flush=True,
            )
    if terminal:
        sys.stderr.write("\r\033[K")
    return outcome.result()


def _table(matrix: np.ndarray, labels: list[str], prior: np.ndarray) -> pd.DataFrame:
    """The matrix with names; the rows of a square one so that reports are true most often."""
    reports = [f"report {i + 1}" for i in range(matrix.shape[0])]
    if matrix.shape[0] == matrix.shape[1]:
        _, order = linear_sum_assignment(-(matrix * prior).T)
        matrix, reports = matrix[order], labels
    return pd.DataFrame(matrix, index=reports, columns=labels).rename_axis(index="reported")
