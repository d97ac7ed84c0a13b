"""A small picture of a verdict: our interval, the threshold, and the other worlds."""

from __future__ import annotations

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
        found.ours, found.low, found.high, found.limits, decision.others, decision.plants,
        decision.verdict, decision.claim.unit,
    )  # fmt: skip


def strip(ours, low, high, limits, worlds=(), plants=(), verdict="", unit="") -> str:
    """An <svg>: thresholds as dashed lines, our number with its interval, a dot a world.

    Filled dots are worlds in which the verdict is the same, rings those in which it is another,
    crosses wrong worlds (plants).

    >>> "<svg" in strip(0.08, 0.07, 0.09, (0.05,), unit="points")
    True
    """
    low, high = (ours if x is None else x for x in (low, high))
    own = [ours, low, high, *limits]
    span = (max(own) - min(own)) or abs(ours) or 1.0
    inside = [w.finding.ours for w in (*worlds, *plants) if _has_number(w)]
    near = [x for x in inside if min(own) - REACH * span <= x <= max(own) + REACH * span]
    start, end = min([*own, *near]), max([*own, *near])
    pad = 0.06 * ((end - start) or 1.0)
    start, end = start - pad, end + pad

    def at(x):
        share = min(max((x - start) / (end - start), 0.0), 1.0)
        return EDGE + share * (WIDTH - 2 * EDGE)

    scale = 100 if unit in PERCENT else 1
    parts = [f'<line class="axis" x1="{EDGE}" x2="{WIDTH - EDGE}" y1="20" y2="20"/>']
    for limit in limits:
        parts.append(
            f'<line class="limit" x1="{at(limit):.1f}" x2="{at(limit):.1f}" y1="4" y2="32"/>'
            f'<text x="{at(limit):.1f}" y="43" text-anchor="middle">{escape(short(scale * limit, 3))}</text>'
        )
    for w in worlds:
        if _has_number(w):
            kind = "same" if w.verdict == verdict else "other"
            parts.append(_titled(
                f'<circle class="{kind}" cx="{at(w.finding.ours):.1f}" cy="28" r="2.6">', w, "circle"))  # fmt: skip
    for p in plants:
        if _has_number(p):
            x = at(p.finding.ours)
            parts.append(_titled(
                f'<path class="plant" d="M{x - 3:.1f} 6l6 6m0-6l-6 6">', p, "path"))  # fmt: skip
    parts.append(
        f'<line class="interval" x1="{at(low):.1f}" x2="{at(high):.1f}" y1="20" y2="20"/>'
        f'<circle class="ours" cx="{at(ours):.1f}" cy="20" r="4"/>'
    )
    said = f"Ours {short(scale * ours, 3)}"
    said += f" ({short(scale * low, 3)} to {short(scale * high, 3)})" if low != high else ""
    said += f"; threshold {' and '.join(short(scale * x, 3) for x in limits)}"
    if inside and worlds:
        others = [scale * w.finding.ours for w in worlds if _has_number(w)]
        said += f"; {len(others)} other worlds, {short(min(others), 3)} to {short(max(others), 3)}"
    return (
        f'<svg class="strip" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" aria-label="{escape(said)}.">{"".join(parts)}</svg>'
    )


def _has_number(world: World) -> bool:
    return world.finding is not None and world.finding.ours is not None


def _titled(opened: str, world: World, tag: str) -> str:
    return (
        f"{opened}<title>{escape(world.name)}: {escape(short(world.finding.ours))}</title></{tag}>"
    )
