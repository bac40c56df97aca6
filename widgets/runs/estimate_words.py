"""What a run is going to ask and to cost, in words, before it begins."""

from __future__ import annotations

from annotator.domain.work import Estimate, RunOrder
from widgets.runs import wording
from widgets.translation import tr


def estimate_words(found: Estimate, *, order: RunOrder) -> str:
    """Return what a run will ask and cost, and what stands in its way."""
    if not found.jobs:
        return tr("There is nothing to ask: none of the records chosen is one for this kind of run.")
    parts = [_requests(found)]
    if found.cached:
        parts.append(tr("{n} more were answered before and are not asked again.", n=f"{found.cached:,}"))
    if not found.worst_micro:
        parts.append(tr("It costs nothing."))
    else:
        parts.append(tr("It costs at most {cost}.", cost=wording.money(found.worst_micro)))
    if order.limit_micro is not None and found.worst_micro > order.limit_micro:
        limit = wording.money(order.limit_micro)
        parts.append(tr("At the limit of {limit} it stops, and can go on later.", limit=limit))
    if order.kind == "consensus" and len(order.models) == 1:
        parts.append(tr("One model alone can only be seen to change its mind: choose two or more."))
    return " ".join(parts)


def _requests(found: Estimate) -> str:
    return tr(
        "{left} requests about {targets} records: {models}.",
        left=f"{found.jobs - found.cached:,}",
        targets=f"{found.targets:,}",
        models=", ".join(f"{name} {count:,}" for name, count in found.by_model.items()),
    )
