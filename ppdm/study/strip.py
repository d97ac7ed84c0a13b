"""A small picture of a verdict: our interval, the threshold, and the other worlds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from ppdm.study.ledger import PERCENT, Decision, World, short

WIDTH, HEIGHT, EDGE = 320, 46, 12
REACH = 4.0  # worlds further away than this many times our own span stand at the edge


def of(decision: Decision) -> str:
    """The strip of one decision; empty where there is no threshold on our number's scale."""
    found = decision.finding
    if found is None or found.ours is None or not found.limits:
        return ""
    if decision.claim.rule in ("exact", "identity"):
        return ""
    return strip(
        found.ours,
        found.low,
        found.high,
        found.limits,
        decision.others,
        decision.plants,
        decision.verdict,
        decision.claim.unit,
    )


def strip(
    ours: float,
    low: float | None,
    high: float | None,
    limits: Sequence[float],
    worlds: Sequence[World] = (),
    plants: Sequence[World] = (),
    verdict: str = "",
    unit: str = "",
) -> str:
    """An <svg>: thresholds as dashed lines, our number with its interval, a dot a world.

    Filled dots are worlds in which the verdict is the same, rings those in which it is another,
    crosses wrong worlds (plants).

    >>> "<svg" in strip(0.08, 0.07, 0.09, (0.05,), unit="points")
    True
    """
    low, high = ours if low is None else low, ours if high is None else high
    others, wrong = _numbers(worlds), _numbers(plants)
    at = _scale([ours, low, high, *limits], [x for _, x in (*others, *wrong)], abs(ours))
    scale = 100 if unit in PERCENT else 1
    parts = [f'<line class="axis" x1="{EDGE}" x2="{WIDTH - EDGE}" y1="20" y2="20"/>']
    for limit in limits:
        x = at(limit)
        parts.append(
            f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="32"/>'
            f'<text x="{x:.1f}" y="43" text-anchor="middle">{escape(short(scale * limit, 3))}</text>'
        )
    for w, x in others:
        kind = "same" if w.verdict == verdict else "other"
        dot = f'<circle class="{kind}" cx="{at(x):.1f}" cy="28" r="2.6">'
        parts.append(_titled(dot, w, x, "circle"))
    for w, x in wrong:
        cross = f'<path class="plant" d="M{at(x) - 3:.1f} 6l6 6m0-6l-6 6">'
        parts.append(_titled(cross, w, x, "path"))
    parts.append(
        f'<line class="interval" x1="{at(low):.1f}" x2="{at(high):.1f}" y1="20" y2="20"/>'
        f'<circle class="ours" cx="{at(ours):.1f}" cy="20" r="4"/>'
    )
    said = f"Ours {short(scale * ours, 3)}"
    said += f" ({short(scale * low, 3)} to {short(scale * high, 3)})" if low != high else ""
    said += f"; threshold {' and '.join(short(scale * x, 3) for x in limits)}"
    if others:
        ends = [scale * x for _, x in others]
        said += f"; {len(ends)} other worlds, {short(min(ends), 3)} to {short(max(ends), 3)}"
    return (
        f'<svg class="strip" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" aria-label="{escape(said)}.">{"".join(parts)}</svg>'
    )


def _scale(own: list[float], others: list[float], size: float) -> Callable[[float], float]:
    """From a number to its place: all of our own is shown, of the others what is not far off."""
    span = (max(own) - min(own)) or size or 1.0
    near = [x for x in others if min(own) - REACH * span <= x <= max(own) + REACH * span]
    start, end = min([*own, *near]), max([*own, *near])
    pad = 0.06 * ((end - start) or 1.0)
    start, end = start - pad, end + pad

    def at(x: float) -> float:
        share = min(max((x - start) / (end - start), 0.0), 1.0)
        return EDGE + share * (WIDTH - 2 * EDGE)

    return at


def _numbers(worlds: Sequence[World]) -> list[tuple[World, float]]:
    """The worlds whose evidence gives a number, with it."""
    found = [(w, w.finding.ours if w.finding else None) for w in worlds]
    return [(w, x) for w, x in found if x is not None]


def _titled(opened: str, world: World, number: float, tag: str) -> str:
    return f"{opened}<title>{escape(world.name)}: {escape(short(number))}</title></{tag}>"
