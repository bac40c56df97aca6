"""What is wrong with one item while somebody edits it, in well under the time of a screen refresh."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from annotator.domain.clean_text import clean_text, find_invisible
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.domain.record import ValueObject
from annotator.quality.answer_balance import AnswerBalance, balance_of_item
from annotator.quality.blind_summary import BlindSummary, summarize_blind
from annotator.quality.check import CheckHit, ItemCheck
from annotator.quality.checks.choices import DuplicateOptions, SimilarOptions
from annotator.quality.checks.directions import AbsoluteDirection
from annotator.quality.checks.duplicates import NearDuplicates
from annotator.quality.checks.references import speaks_of_regions
from annotator.quality.completeness import NEEDED, find_answer_problem
from annotator.quality.context import CheckContext
from annotator.quality.finding import Finding
from annotator.quality.near_duplicates import NearDuplicate, duplicate_message, find_near_duplicates
from annotator.quality.object_words import UnmarkedObject, find_unmarked_objects
from annotator.quality.relative_directions import heading_of_item
from annotator.quality.run import Selection
from annotator.quality.texts import texts_of
from annotator.queries.reader import Reader

ANSWER_UNREADABLE, UNMARKED_OBJECT = "answer_unreadable", "unmarked_object"
SHOWN_DUPLICATES = 3
Topic = Literal["answer", "options", "text", "regions", "objects", "media", "duplicates"]
TOPICS: dict[Topic, frozenset[str]] = {
    "answer": frozenset({"required_fields", "key_in_options", "label_contradiction", ANSWER_UNREADABLE}),
    "options": frozenset({"option_keys", "option_similarity", "duplicate_options", "overlapping_options"}),
    "text": frozenset(
        {"unfilled_slot", "model_chatter", "question_length", "stray_characters", "absolute_direction"}
    ),
    "regions": frozenset({"unknown_region"}),
    "objects": frozenset({UNMARKED_OBJECT}),
    "media": frozenset({"missing_media"}),
    "duplicates": frozenset({NearDuplicates.id}),
}
"""What people read as one statement when nothing is wrong, by the checks behind it."""


class StrayCharacters(ItemCheck):
    """Finds blanks at the ends of texts and invisible characters; for people who type, not for imports."""

    id = "stray_characters"
    severity = "warning"
    title = "Stray characters"
    finds = "A text has spaces at its ends, several spaces in a row, or invisible characters."
    advice = "Trim the texts."

    def check_item(self, item: Item, _context: CheckContext, /) -> CheckHit | None:
        """Name the first text that has any."""
        for field, text, index in texts_of(item):
            if clean_text(text) != text:
                signs = find_invisible(text)
                message = f"Invisible characters: {', '.join(signs)}." if signs else "Superfluous spaces."
                return CheckHit(message=message, field=field, option_index=index)
        return None


class LiveChecks(ValueObject, frozen=True, kw_only=True):
    """The findings on one item in the form that it has in the editor.

    Attributes:
        item: The item that was checked.
        findings: What is wrong, errors first; at most one of each check.
        passed: Topics about which nothing is wrong; those that the item has no part in are left out.
        duplicates: Items that ask nearly the same, the most similar first.
        unmarked: Words for objects that no region of its images stands for.
        heading_deg: Where its camera looks, clockwise from north; None where that is not known or the item
            names no direction of the compass.
    """

    item: Item
    findings: tuple[Finding, ...]
    passed: tuple[Topic, ...]
    duplicates: tuple[NearDuplicate, ...] = ()
    unmarked: tuple[UnmarkedObject, ...] = ()
    heading_deg: float | None = None

    def of_field(self, field: str) -> tuple[Finding, ...]:
        """Return the findings on one field; ``options`` has those on all options, ``options[1]`` its own."""
        return tuple(finding for finding in self.findings if finding.field_path == field)


class LiveContext(ValueObject, frozen=True, kw_only=True):
    """What is known about an item besides its checks; it changes with runs and with other items.

    Attributes:
        items: Number of items of the project.
        balance: Letters and lengths of the answers of its task, None for other formats.
        blind: What models answered without the images, None where none was asked.
    """

    items: int
    balance: AnswerBalance | None
    blind: BlindSummary | None


def run_live_checks(reader: Reader, item: Item) -> LiveChecks:
    """Return what is wrong with an item as it stands in the editor, saved or not.

    Args:
        reader: The project.
        item: The item with what was typed so far.
    """
    context = CheckContext.of(reader)
    duplicates = find_near_duplicates(reader, item, task=context.task(item)) if item.question.strip() else []
    unmarked = find_unmarked_objects(reader, item)
    found = [
        *_item_findings(item, context),
        *_duplicate_findings(item, duplicates),
        *_object_findings(item, unmarked),
    ]
    has_directions = any(finding.check == AbsoluteDirection.id for finding in found)
    found.sort(key=lambda finding: finding.severity != "error")
    return LiveChecks(
        item=item,
        findings=tuple(found),
        passed=tuple(_passed(item, found)),
        duplicates=tuple(duplicates[:SHOWN_DUPLICATES]),
        unmarked=tuple(unmarked),
        heading_deg=heading_of_item(reader, item) if has_directions else None,
    )


def read_live_context(reader: Reader, item: Item) -> LiveContext:
    """Return what is known about an item and the items like it, for somebody who edits it."""
    return LiveContext(
        items=reader.items.count(ItemQuery()),
        balance=balance_of_item(reader, item),
        blind=summarize_blind(reader, item),
    )


def _passed(item: Item, found: list[Finding]) -> Iterator[Topic]:
    failed = {finding.check for finding in found}
    is_absent = {
        "options": not item.options,
        # Never said to be in order: words that the vocabulary does not know are not looked for.
        "objects": True,
        "regions": not speaks_of_regions(item),
        "media": not item.media,
    }
    for topic, checks in TOPICS.items():
        if failed.isdisjoint(checks) and not is_absent.get(topic):
            yield topic


def _item_findings(item: Item, context: CheckContext) -> Iterator[Finding]:
    found = list(_all_findings(item, context))
    checks = {finding.check for finding in found}
    # Equal options are also similar, and a key that no check has named yet would be said twice.
    yield from (
        each for each in found if each.check != SimilarOptions.id or DuplicateOptions.id not in checks
    )
    if item.answer_key.strip() and not any(finding.field == "answer_key" for finding in found):
        yield from _answer_findings(item, context)


def _all_findings(item: Item, context: CheckContext) -> Iterator[Finding]:
    selection = Selection(context)
    chosen = {check.id: check for check in selection.of(item) if isinstance(check, ItemCheck)}
    # What no finished item may fail is said while it is edited, whatever its task asks for.
    checks = chosen | {check.id: check for check in (*NEEDED, StrayCharacters())}
    for check in checks.values():
        if hit := check.check_item(item, context):
            yield check.finding(hit, entity="item", target=item.id)


def _answer_findings(item: Item, context: CheckContext) -> Iterator[Finding]:
    if problem := find_answer_problem(item, context):
        yield Finding(
            check=ANSWER_UNREADABLE,
            severity="error",
            entity="item",
            target=item.id,
            field="answer_key",
            message=problem,
            advice="Enter the answer in the form that the task asks for.",
        )


def _duplicate_findings(item: Item, duplicates: list[NearDuplicate]) -> Iterator[Finding]:
    for duplicate in duplicates[:1]:
        message = duplicate_message(duplicate.name, similarity=duplicate.similarity)
        hit = CheckHit(message=message, field="question")
        yield NearDuplicates().finding(hit, entity="item", target=item.id)


def _object_findings(item: Item, unmarked: list[UnmarkedObject]) -> Iterator[Finding]:
    for first in unmarked[:1]:
        field, _, location = first.field_path.partition("[")
        text = ", ".join(dict.fromkeys(each.word for each in unmarked if each.field_path == first.field_path))
        yield Finding(
            check=UNMARKED_OBJECT,
            severity="warning",
            entity="item",
            target=item.id,
            field=field,
            option_index=int(location.rstrip("]")) if location else None,
            message=f"No region of the images is: {text}.",
            advice="Check that the images show it, or name something else.",
        )
