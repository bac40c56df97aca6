"""An item: one question with visual input, answer format, key and provenance."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from annotator.domain.record import Column, FieldCorrection, Record, Table, ValueObject
from annotator.domain.text_search import searchable, text_digest

ItemState = Literal["drafted", "filtered", "in_refinement", "refined", "flagged", "accepted", "rejected"]
IssueClass = Literal["question", "hallucination", "direction", "options"]
"""What was wrong with a draft: an invalid or ambiguous question, an urban element that is not there, a
direction, options with insufficient differentiation or errors. Source: UrbanVideo-Bench, human refinement."""
VariantKind = Literal["choice", "resolution", "map"]
"""How a variant differs from its source: lettered options in place of another answer format, larger images,
the other kind of top-view map."""
LETTERS = "ABCDEFGHI"
"""Letters of options. Source: UrbanVideo-Bench has up to 7 options, its converter reserves 8."""


class Option(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """One choice: its letter as shown, and its text."""

    letter: str
    text: str


class Provenance(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """The origin of an item, so that every answer key can be traced.

    Attributes:
        made_by: ``import``, ``rule``, ``template``, ``llm`` or ``hand``.
        maker: Rule or prompt id with version, or the importer's format id.
        source: Id of the imported file, "" for none.
        locator: Position in that file: "line 12", "record 17".
        labels: Ids of the records (event labels, regions, links) from which the answer key was computed.
        subject: What a rule asks about, for instance ``Region 3``; within scene, view and task it identifies
            an item that has a numbered public id. "" for an item whose public id names its subject.
        seed: Seed of shuffles and choices.
        wording: Template of the question, and after a slash the number of the wording of its options.
        run: Id of the run that drafted it, "" for none.
        predictions: Hex request keys of the predictions that it was made from, the newest first.
        is_keyed: Whether its options were drawn, or dealt anew, with a key that only the project has. Earlier
            versions drew them by the seed alone, from which anybody computes the letter of the answer key.
    """

    made_by: Literal["import", "rule", "template", "llm", "hand"] = "hand"
    maker: str = ""
    source: str = ""
    locator: str = ""
    labels: tuple[str, ...] = ()
    subject: str = ""
    seed: int | None = None
    wording: str = ""
    run: str = ""
    predictions: tuple[str, ...] = ()
    is_keyed: bool = False


class ItemVariant(ValueObject, frozen=True, kw_only=True):
    """The link of an item to the item that it is a version of.

    Attributes:
        kind: How it differs.
        source: Id of the other item.
        source_digest: Digest of what was taken from it (``domain.item_variants``); with another digest of the
            source, the variant is out of date.
    """

    kind: VariantKind
    source: str
    source_digest: str


def _search_text(item: Item) -> str:
    """Return the searchable text of an item."""
    return searchable(" ".join([item.name.replace("_", " "), item.question, *[o.text for o in item.options]]))


def _answer_shape(item: Item) -> str | None:
    """Return key letter, number of options, and where the longest option is: ``B4+``; None without letters.

    ``+``: the longest option is the key; ``-``: it is another; ``=``: there is no single longest, or the
    options are numbers.
    """
    if item.answer_format != "option_letter":
        return None
    letters = "".join([option.letter for option in item.options])
    is_lettered = len(letters) >= 2 and letters == LETTERS[: len(letters)]
    if not is_lettered or item.answer_key not in {*letters}:
        return None
    texts = [option.text.strip() for option in item.options]
    lengths = list(map(len, texts))
    longest = max(lengths)
    has_longest = lengths.count(longest) == 1 and not all(map(str.isdecimal, texts))
    sign = "=" if not has_longest else "+" if letters[lengths.index(longest)] == item.answer_key else "-"
    return f"{item.answer_key}{len(letters)}{sign}"


class Item(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One question of a benchmark.

    Attributes:
        name: Public id, for instance ``A2A_Object_Matching_00041``.
        task_set: Id of the task set.
        task: Id of the task in the set, "" if the source's task is not in the set.
        state: State of work; being released is not a state but membership of a release.
        question: The question without options.
        options: The choices in the order shown, empty for other formats.
        answer_format: Id of a format in ``domain/answers``.
        answer_key: The correct answer as canonical text, or the original text if it cannot be parsed.
        scene: Id of the scene, "" if the item does not concern a single scene.
        view: Name of the view that the question concerns, "" for none or all.
        media: Ids of the media shown, in order.
        issue_classes: What was wrong with the draft, in the order of ``IssueClass``; empty for nothing.
        provenance: Origin of the item.
        variant: Link to the item that this one is a version of, None for an item of its own.
        original: The original record as unchanged JSON; null for a record created here.
        corrections: Changes made by the importer.
        extras: Fields of the source that have no field of their own here.
        import_key: Digest of the original record, by which a second import recognises it.
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
    variant: ItemVariant | None = None
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
            Column(name="question_digest", type=int, value=lambda r: text_digest(r.question)),
            Column(name="answer_shape", value=_answer_shape),
            Column(name="variant_of", value=lambda r: r.variant.source if r.variant else None),
        ),
        indexes=(
            ("name",),
            ("import_key",),
            ("question_digest", "scene"),
            ("variant_of",),
            # Letters and lengths of a task are counted from this index alone.
            ("task_set", "task", "answer_shape", "state", "removed"),
        ),
        search_text=_search_text,
    )

    @property
    def family(self) -> str:
        """Id of the item that it is a version of, its own id for an item of its own."""
        return self.variant.source if self.variant is not None else self.id
