"""An item: one question with visual input, answer format, key and provenance."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from annotator.domain.record import Column, FieldCorrection, Record, Table, ValueObject
from annotator.domain.text_search import searchable

ItemState = Literal["drafted", "filtered", "in_refinement", "refined", "flagged", "accepted", "rejected"]
IssueClass = Literal["question", "hallucination", "direction", "options"]
"""What was wrong with a draft: an invalid or ambiguous question, an urban element that is not there, a
direction, options with insufficient differentiation or errors. Source: UrbanVideo-Bench, human refinement."""
LETTERS = "ABCDEFGHI"
"""Letters of options. Source: UrbanVideo-Bench has up to 7 options, its converter reserves 8."""


class Option(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """One choice: its letter as shown, and its text."""

    letter: str
    text: str


class Provenance(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """Where an item comes from, so that every key can be answered for.

    Attributes:
        made_by: ``import``, ``rule``, ``template``, ``llm`` or ``hand``.
        maker: Rule or prompt id with version, or the importer's format id.
        source: Id of the imported file's record, "" where there is none.
        locator: Where in that file: "line 12", "record 17".
        labels: Ids of the records (event labels, regions, links) that the key was computed from.
        seed: Seed of shuffles and choices.
        run: Id of the run whose model drafted it, "" for none.
        predictions: Hex request keys of the predictions that it was made of, the newest first.
    """

    made_by: Literal["import", "rule", "template", "llm", "hand"] = "hand"
    maker: str = ""
    source: str = ""
    locator: str = ""
    labels: tuple[str, ...] = ()
    seed: int | None = None
    run: str = ""
    predictions: tuple[str, ...] = ()


def _words_of(item: Item) -> str:
    """Return the text of an item that word search looks into."""
    return searchable(" ".join((item.name.replace("_", " "), item.question, *(o.text for o in item.options))))


class Item(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One question of a benchmark.

    Attributes:
        name: Public id, for instance ``A2A_Object_Matching_00041``.
        task_set: Id of the task set.
        task: Id of the task in it, "" where the source's task is not known to the set.
        state: Where in its life it stands; ``released`` is not a state but membership of a release.
        question: The stem, without options.
        options: The choices in the order shown, empty for other formats.
        answer_format: Id of a format in ``domain/answers``.
        answer_key: The right answer as canonical text, or as it came where it cannot be read.
        scene: Id of the scene, "" where the item is not about one scene.
        view: Name of the view that it asks about, "" for none or all.
        media: Ids of the media shown, in order.
        issue_classes: What was wrong with the draft, in the order of ``IssueClass``; empty for nothing.
        provenance: Where it comes from.
        original: The record as it came, untouched JSON; null for one made here.
        corrections: What the importer changed.
        extras: Fields of the source's record that our record has no place for.
        import_key: Digest of the record as it came, so that the same record is never taken twice.
    """

    name: str
    task_set: str
    task: str = ""
    state: ItemState = "drafted"
    question: str = ""
    options: tuple[Option, ...] = ()
    answer_format: str = "option_letter"
    answer_key: str = ""
    scene: str = ""
    view: str = ""
    media: tuple[str, ...] = ()
    issue_classes: tuple[IssueClass, ...] = ()
    provenance: Provenance = Provenance()
    original: msgspec.Raw = msgspec.Raw(b"null")
    corrections: tuple[FieldCorrection, ...] = ()
    extras: dict[str, Any] = {}
    import_key: str = ""

    table = Table(
        entity="item",
        columns=(
            Column(name="name", value=lambda r: r.name),
            Column(name="task_set", value=lambda r: r.task_set),
            Column(name="task", value=lambda r: r.task),
            Column(name="state", value=lambda r: r.state),
            Column(name="source", value=lambda r: r.provenance.source),
            Column(name="scene", value=lambda r: r.scene or None),
            Column(name="answer_format", value=lambda r: r.answer_format),
            Column(name="question", value=lambda r: r.question),
            Column(name="import_key", value=lambda r: r.import_key or None),
        ),
        indexes=(("name",), ("import_key",)),
        words=_words_of,
    )
