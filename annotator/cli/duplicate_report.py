"""The near-duplicates of a project as pairs, for ``items duplicates``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from annotator.cli.console import Console
from annotator.domain.item import Item
from annotator.progress import Progress
from annotator.quality.checks.duplicates import NearDuplicates
from annotator.quality.run import run_checks
from annotator.queries.reader import Reader

SHOWN = 20
"""Pairs on a terminal; JSON contains all of them."""


def find_pairs(reader: Reader, *, task_sets: Collection[str], progress: Progress) -> list[dict[str, Any]]:
    """Return each item that repeats another with its partner, each pair once.

    Args:
        reader: The project.
        task_sets: Task sets to look at, empty for all.
        progress: Counts the items.
    """
    findings = run_checks(reader, task_sets=task_sets or None, checks=[NearDuplicates.id], progress=progress)
    found = {
        tuple(sorted((finding.target, finding.evidence["item"]))): finding.message for finding in findings
    }
    return [_row(reader, ids, message) for ids, message in sorted(found.items())]


def print_pairs(pairs: list[dict[str, Any]], *, console: Console) -> None:
    """Print the pairs, one below the other."""
    if pairs:
        more = f" (first {SHOWN} of {len(pairs):,})" if len(pairs) > SHOWN else ""
        rows = [
            (item["name"], item["state"], item["question"], item["answer"])
            for pair in pairs[:SHOWN]
            for item in pair["items"]
        ]
        console.table(f"Near-duplicates{more}", head=("name", "state", "question", "answer"), rows=rows)
    console.print(f"{len(pairs):,} pairs")


def _row(reader: Reader, ids: tuple[str, ...], message: str) -> dict[str, Any]:
    items = [reader.require(Item, item) for item in ids]
    cells = [
        {
            "id": item.id,
            "name": item.name,
            "state": item.state,
            "question": item.question,
            "options": {option.letter: option.text for option in item.options},
            "answer": item.answer_key,
        }
        for item in items
    ]
    return {"items": cells, "message": message}
