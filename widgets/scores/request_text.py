"""Texts about the requests to a model that helps to score: what they have cost, and cost at most."""

from __future__ import annotations

from annotator.scoring.judged_scores import RequestFigures
from widgets import run_text
from widgets.translation import tr


def cost_text(requests: RequestFigures) -> str:
    """Return what the requests have cost; without a price nobody knows."""
    if not requests.is_price_known:
        return tr("cost unknown")
    cost = run_text.money(requests.cost_micro)
    if requests.maximum_micro:
        return tr(
            "cost {cost}, of which {part} at most", cost=cost, part=run_text.money(requests.maximum_micro)
        )
    return tr("cost {cost}", cost=cost)


def worst_cost_text(requests: RequestFigures) -> str:
    """Return what the requests without a reply cost at most."""
    if not requests.is_price_known:
        return tr("cost unknown")
    return tr("at most {cost}", cost=run_text.money(requests.worst_micro))
