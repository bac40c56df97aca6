"""How often facts occur in the labels of a project, for rules that choose wrong options by that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from annotator.domain.event_label import EventLabel
from annotator.draft.rule import DraftRule, LabelRule
from annotator.draft.rule_settings import RuleSettings

Order = tuple[DraftRule, RuleSettings]


def with_counts(orders: Sequence[Order], labels: Iterable[tuple[str, EventLabel]]) -> list[Order]:
    """Return rules with their settings, completed with the counts of what each rule counts.

    Args:
        orders: Rules with their settings.
        labels: The labels, each with the dataset of its scene.
    """
    counts: list[dict[str, Counter[Hashable]]] = [{} for _ in orders]
    for dataset, label in labels if any(isinstance(rule, LabelRule) for rule, _ in orders) else ():
        for (rule, order), counted in zip(orders, counts, strict=True):
            if isinstance(rule, LabelRule):
                found = rule.counted(label, order.task_set)
                counted.setdefault(dataset, Counter()).update(found)
    return [
        (rule, replace(order, counts=counted)) for (rule, order), counted in zip(orders, counts, strict=True)
    ]
