"""`ppdm optimise`: the best randomizing matrix for one survey question, and what it costs."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from tqdm import tqdm

from ppdm.optimise import descent, frontier, objectives

# The search for a square matrix takes some seconds for 15 answers, half a minute for 25, minutes for 40.
MOST_ANSWERS = 40

DESCRIPTION = """\
Find the randomizing matrix of least error for a question whose answers have a known (or guessed)
distribution. Privacy is 1 minus the chance that the best guess of an answer, given the report, is
right. Delta bounds that chance for every single report. Columns of the matrix are true answers,
rows are reports; each respondent draws a report from the column of her answer.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.description = DESCRIPTION
    prior = parser.add_mutually_exclusive_group(required=True)
    prior.add_argument("--prior", help="shares of the answers, separated by commas, summing to 1")
    prior.add_argument("--csv", help="a CSV file; the shares are those of one of its columns")
    parser.add_argument("--column", help="the column of the CSV file")
    parser.add_argument("--delta", type=float, required=True, help="largest posterior allowed")
    parser.add_argument("--privacy", type=float, required=True, help="least privacy wanted")
    parser.add_argument(
        "--outputs",
        choices=["square", "any"],
        default="square",
        help="as many reports as answers (default), or as many as the best scheme needs",
    )
    parser.add_argument("--respondents", type=int, default=10_000, help="default 10,000")
    parser.add_argument("--seed", type=int, default=1, help="of the search for a square matrix")
    parser.add_argument("--save", help="write the matrix to this CSV file as well")


def main(args: argparse.Namespace) -> int:
    """Print the matrix, its privacy and its price."""
    labels, prior, note = _prior(args)
    if args.respondents < 1:
        raise ValueError(f"--respondents is {args.respondents}: at least one is needed")
    matrix, bound = _search(prior, args)
    table = _table(matrix, labels, prior)
    if note:
        print(note)
    print(table.to_string(float_format=lambda v: f"{v:.4f}"), "\n")
    for line in report(matrix, prior, args.respondents, bound):
        print(line)
    if args.save:
        table.to_csv(args.save, float_format="%.12g")
        print(f"Matrix written to {args.save}.")
    return 0


def report(
    matrix: np.ndarray, prior: np.ndarray, respondents: int, bound: float | None
) -> list[str]:
    """What a matrix gives and what it costs, in sentences.

    >>> for line in report(np.eye(2), np.array([0.5, 0.5]), 100, None): print(line)
    Privacy 0.0000: the best guess is right 100.0% of the time.
    Largest posterior of any answer given any report: 1.0000.
    Standard error of a share, 100 respondents: 0.0500 (0.0500 direct).
    The same error takes 1.00 times as many respondents as asking directly.
    """
    error = float(objectives.mse(matrix, prior, respondents))
    direct = (1 - (prior**2).sum()) / (len(prior) * respondents)
    privacy = float(objectives.privacy(matrix, prior))
    posterior = float(objectives.max_posterior(matrix, prior))
    lines = [
        f"Privacy {privacy + 0:.4f}: the best guess is right {1 - privacy:.1%} of the time.",
        f"Largest posterior of any answer given any report: {posterior:.4f}.",
    ]
    if not np.isfinite(error):
        return [*lines, "No scheme can estimate the shares at this privacy: the error is infinite."]
    ours, theirs = np.sqrt(error), np.sqrt(direct)
    lines += [
        f"Standard error of a share, {respondents:,} respondents: {ours:.4f} ({theirs:.4f} direct).",
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


def _prior(args: argparse.Namespace) -> tuple[list[str], np.ndarray, str]:
    if args.prior is not None:
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
        return [f"answer {i + 1}" for i in range(len(prior))], prior, ""
    if not args.column:
        raise ValueError("--csv needs --column, the name of the column to take the shares from")
    frame = _read(args.csv)
    if args.column not in frame:
        raise ValueError(
            f"{args.csv} has no column {args.column!r}; it has {', '.join(frame.columns)}"
        )
    column = frame[args.column]
    shares = column.value_counts(normalize=True).sort_index()
    if len(shares) < 2:
        raise ValueError(
            f"column {args.column!r} has {len(shares)} different answers, 2 are needed"
        )
    if len(shares) > MOST_ANSWERS:
        raise ValueError(
            f"column {args.column!r} has {len(shares):,} different answers, and at most "
            f"{MOST_ANSWERS} are searched: put rare ones together, or name another column"
        )
    missing = int(column.isna().sum())
    note = (
        f"{missing:,} of {len(column):,} rows have no answer and are left out." if missing else ""
    )
    return [str(v) for v in shares.index], objectives.check_prior(shares.to_numpy()), note


def _read(path: str) -> pd.DataFrame:
    """A CSV file as words; only an empty field is no answer ("None" and "NA" are answers)."""
    try:
        frame = pd.read_csv(
            path, dtype=str, skipinitialspace=True, keep_default_na=False, na_values=[""]
        )
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8: save it as UTF-8 first") from None
    except pd.errors.ParserError as error:
        raise ValueError(f"{path} is no table: {str(error).strip()}") from None
    except pd.errors.EmptyDataError:
        raise ValueError(f"{path} is empty") from None
    if frame.shape[1] == 1 and ";" in frame.columns[0]:
        raise ValueError(f"{path} separates its columns by semicolons; commas are wanted")
    return frame


def _search(prior: np.ndarray, args: argparse.Namespace) -> tuple[np.ndarray, float | None]:
    known = len(prior) <= frontier.LARGEST_N
    if args.outputs == "any" or known:
        best = frontier.best_scheme(prior, args.delta, args.privacy, args.respondents)
        if args.outputs == "any":
            return best.matrix, best.bound
    delta = objectives.check_delta(args.delta, prior)
    job = (prior, delta, max(args.privacy, 1 - delta), args.seed, args.respondents)
    matrix = _square(*job) if known else _in_child(_square, job)
    return matrix, best.bound if known else None


def _square(
    prior: np.ndarray, delta: float, level: float, seed: int, respondents: int
) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return descent.square_front(prior, delta, [level], rng, respondents).matrices[0]


def _in_child(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """A result of compiled code that heeds no signal, in a process that can be ended at once."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(sender, function, arguments), daemon=True)
    child.start()
    sender.close()  # the child's end is its own now: an end without an answer shows
    clock = "searching {elapsed}"
    try:
        with tqdm(bar_format=clock, leave=False, disable=None) as bar:
            while not receiver.poll(0.5):
                bar.refresh()
        return receiver.recv()
    except EOFError:
        child.join()
        raise RuntimeError(
            f"the search was ended from outside (exit code {child.exitcode}; out of memory?)"
        ) from None
    finally:
        child.kill()
        child.join()


def _answer(sender: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sender.send(function(*arguments))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _table(matrix: np.ndarray, labels: list[str], prior: np.ndarray) -> pd.DataFrame:
    """The matrix with names; the rows of a square one so that reports are true most often."""
    reports = [f"report {i + 1}" for i in range(matrix.shape[0])]
    if matrix.shape[0] == matrix.shape[1]:
        _, order = linear_sum_assignment(-(matrix * prior).T)
        matrix, reports = matrix[order], labels
    return pd.DataFrame(matrix, index=reports, columns=labels).rename_axis(index="reported")
