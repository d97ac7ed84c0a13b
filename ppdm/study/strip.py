"""A small picture of a verdict: our interval, the threshold, and the other worlds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from ppdm.study.ledger import PERCENT, Decision, World, short

WIDTH, HEIGHT, EDGE = 320, 46, 12
LETTER = 7  # of a threshold's name, across
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
    told = _told([scale * limit for limit in limits])
    for x in map(at, limits):
        parts.append(f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="32"/>')
    for x, name in _names([at(limit) for limit in limits], told):
        parts.append(f'<text x="{x:.1f}" y="43" text-anchor="middle">{escape(name)}</text>')
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
    said += f"; threshold {' and '.join(told)}"
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


def _told(limits: list[float]) -> list[str]:
    """The thresholds in figures, as many as show how far apart they are.

    >>> _told([0.99, 1.01]), _told([1 - 1e-6, 1 + 1e-6])
    (['0.99', '1.01'], ['0.999999', '1.000001'])
    """
    apart = max(limits) - min(limits)
    told: list[str] = []
    for digits in range(3, 16):
        told = [short(limit, digits) for limit in limits]
        off = [abs(float(name.replace(",", "")) - limit) for name, limit in zip(told, limits)]
        if apart == 0 or max(off) <= apart / 100:
            break
    return told


def _names(places: list[float], told: list[str]) -> list[tuple[float, str]]:
    """Where each threshold's name stands, inside the picture; two that would run together are one.

    >>> _names([20.0, 200.0], ["0.99", "1.01"])
    [(20.0, '0.99'), (200.0, '1.01')]
    >>> _names([24.0, 26.0], ["0.99", "1.01"])
    [(45.5, '0.99 and 1.01')]
    """
    named = list(zip(places, told))
    if len(places) == 2 and abs(places[0] - places[1]) < LETTER * max(map(len, told)) + 4:
        named = [(sum(places) / 2, " and ".join(told))]
    half = [LETTER * len(name) / 2 for _, name in named]
    return [(min(max(x, h), WIDTH - h), name) for (x, name), h in zip(named, half)]


def _numbers(worlds: Sequence[World]) -> list[tuple[World, float]]:
    """The worlds whose evidence gives a number, with it."""
    found = [(w, w.finding.ours if w.finding else None) for w in worlds]
    return [(w, x) for w, x in found if x is not None]


def _titled(opened: str, world: World, number: float, tag: str) -> str:
    return f"{opened}<title>{escape(world.name)}: {escape(short(number))}</title></{tag}>"
