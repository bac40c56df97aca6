"""The commands that make variants of items, and that make one again after its source has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import StagedCommand, StalePreparationError
from annotator.commands.comments import comment_edit
from annotator.commands.item_edits import ItemEdit, reopened
from annotator.domain.event import CREATED, Edit, edit_differences
from annotator.domain.item import LETTERS, Item, VariantKind
from annotator.domain.item_options import reletter
from annotator.domain.item_variants import SUFFIXES, link_to, stale_reason
from annotator.domain.predictable_letters import needs_other_options
from annotator.domain.record import new_id
from annotator.draft.rule_result import SkippedItem
from annotator.draft.variants import VARIANT_RULES
from annotator.draft.variants.variant_rule import (
    KnownVariant,
    MadeVariant,
    VariantInput,
    VariantResult,
    VariantSettings,
)
from annotator.errors import UserError
from annotator.media.media_roots import MediaRoots
from annotator.progress import Progress
from annotator.quality.context import CheckContext, answer_context
from annotator.queries.reader import Reader

FEWEST_OPTIONS = 2
READ = frozenset({"item", "medium", "scene", "region", "path", "project"})
"""Types of the records that variants are made from."""
TAKEN = ("question", "options", "answer_format", "answer_key", "scene", "view", "media")
"""Fields that a variant gets again when its source has changed; state, name and task stay."""
IS_VARIANT = "the item is a variant itself"
IS_REJECTED = "the item is rejected"
ARE_TWO = "people have worked on two variants of the item: reject one"
UNTOUCHED = frozenset({"drafted", "filtered"})
"""States of variants that nobody has worked on."""


@dataclass(kw_only=True)
class VariantReport:
    """The result of a command.

    Attributes:
        made: New variants, each with its source.
        updated: Variants made again, since their sources had changed, each with its source.
        linked: Items of the project that were found to be variants of each other: source and variant.
        rejected: Variants that the project had twice, after a merge: the one that stays, and the other.
        known: Variants that existed and are up to date.
        short: New variants with fewer options than wanted.
        skipped: Items without a variant by reason.
    """

    made: list[tuple[Item, Item]] = field(default_factory=list)
    updated: list[tuple[Item, Item]] = field(default_factory=list)
    linked: list[tuple[Item, Item]] = field(default_factory=list)
    rejected: list[tuple[Item, Item]] = field(default_factory=list)
    known: int = 0
    short: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def changes(self) -> int:
        """Number of items that are made, made again, linked or rejected."""
        return len(self.made) + len(self.updated) + len(self.linked) + len(self.rejected)


@dataclass(kw_only=True)
class MakeVariants(StagedCommand):
    """Make variants of items as new drafts, each linked to its source.

    No variant is made twice: one of the same kind of the same item is left as it is, or made again where its
    source has changed. Of two that a merge brought together, the younger one that nobody has worked on is
    rejected. Variants and rejected items have no variants.

    Attributes:
        items: Ids of the items.
        settings: Kind of the variants, and how they are made.
        roots: The media folders of the project on this machine.
        report: The result, set by ``plan``.
    """

    items: tuple[str, ...]
    settings: VariantSettings
    roots: MediaRoots
    report: VariantReport = field(default_factory=VariantReport, init=False, compare=False)
    _names: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("make_variants", count=len(self.items))

    @property
    def details(self) -> dict[str, Any]:
        """The values with which the variants can be made again."""
        return {
            "kind": self.settings.kind,
            "seed": self.settings.seed,
            "options": self.settings.options,
            "originals": self.settings.originals,
        }

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new variants with the records that they refer to, and the fields of those made again.

        Raises:
            UserError: An item is unknown, or the number of options is not possible.
            EnvironmentFailure: A media file cannot be read.
            Cancelled: The user cancelled the operation.
        """
        self.report, self._names = VariantReport(), set()
        require_settings(self.settings)
        rule = VARIANT_RULES[self.settings.kind](
            variant_input(reader, settings=self.settings, roots=self.roots, progress=progress)
        )
        progress.begin(self.summary, total=len(self.items))
        for source in self._sources(reader):
            progress.step()
            existing = variants_of(reader, source, kind=self.settings.kind)
            if existing:
                kept = _kept_of(existing)
                yield from self._duplicates_rejected(kept, existing)
                yield from self._made_again(kept, source, rule.variant)
            else:
                yield from self._new(source, rule.variant(source), reader)
        progress.end()

    def require_current(self, reader: Reader, *, since: int) -> None:
        """Check that nothing has changed from which variants are made.

        Raises:
            StalePreparationError: Something has changed; nothing is written.
        """
        for changed in reader.log.fields_changed_since(since):
            if changed.entity in READ:
                raise StalePreparationError(
                    f"A {changed.entity} was changed while the variants were made.",
                    hint="Make the variants again.",
                )

    def _sources(self, reader: Reader) -> list[Item]:
        """Return the items in the order of their public ids, which is the same in every project."""
        found = []
        for item in (reader.require(Item, item_id) for item_id in dict.fromkeys(self.items)):
            reason = IS_VARIANT if item.variant else IS_REJECTED if item.state == "rejected" else ""
            if reason:
                self.report.skipped[reason] += 1
            else:
                found.append(item)
        # The realistic half of a pair of maps before the semantic one: it is the source.
        return sorted(found, key=lambda item: (item.task_set, item.task, item.name, item.id))

    def _duplicates_rejected(self, kept: Item, existing: list[Item]) -> Iterator[Edit]:
        """Reject further variants, as come from a merge, unless people have worked on them."""
        for item in existing:
            if item.id == kept.id or item.state == "rejected":
                continue
            if item.state not in UNTOUCHED:
                self.report.skipped[ARE_TWO] += 1
                continue
            self.report.rejected.append((kept, item))
            yield Edit(entity="item", entity_id=item.id, field="state", value="rejected")
            yield comment_edit("item", item.id, f"{kept.name} is the same variant of the same item.")

    def _made_again(
        self, variant: Item, source: Item, rule: Callable[[Item], VariantResult]
    ) -> Iterator[Edit]:
        is_current = variant.variant is None or not stale_reason(variant.variant, source)
        if is_current and not needs_other_options(variant):
            self.report.known += 1
            return
        result = rule(source)
        if not isinstance(result, MadeVariant):
            self._skip(result)
            return
        self.report.updated.append((source, variant))
        yield from _created_records(result)
        yield from edit_differences(variant, reopened(variant, renewed(variant, result.item)))

    def _new(self, source: Item, result: VariantResult, reader: Reader) -> Iterator[Edit]:
        if isinstance(result, SkippedItem):
            self._skip(result)
        elif isinstance(result, KnownVariant):
            yield from self._linked(result)
        else:
            item = msgspec.structs.replace(
                result.item, id=new_id(), name=self._free_name(reader, source, wanted=result.name)
            )
            self.report.made.append((source, item))
            self.report.short += result.is_short
            yield from _created_records(result)
            yield Edit(entity="item", entity_id=item.id, field=CREATED, value=item)

    def _linked(self, pair: KnownVariant) -> Iterator[Edit]:
        done = {variant.id for _, variant in self.report.linked}
        if pair.variant.variant is not None or pair.variant.id in done:
            self.report.known += 1
            return
        self.report.linked.append((pair.source, pair.variant))
        link = link_to(pair.source, self.settings.kind)
        yield Edit(entity="item", entity_id=pair.variant.id, field="variant", value=link)

    def _skip(self, result: VariantResult) -> None:
        reason = result.reason if isinstance(result, SkippedItem) else "the source has another variant now"
        self.report.skipped[reason] += 1

    def _free_name(self, reader: Reader, source: Item, *, wanted: str) -> str:
        """Return the public id of a variant: the wanted one, or that of the source with a suffix."""
        usual = f"{wanted or source.name}-{SUFFIXES[self.settings.kind]}"
        names = chain(filter(None, (wanted,)), (usual,), (f"{usual}-{number}" for number in count(2)))
        name = next(each for each in names if not self._is_taken(reader, each))
        self._names.add(name)
        return name

    def _is_taken(self, reader: Reader, name: str) -> bool:
        return name in self._names or next(reader.find(Item, name=name), None) is not None


@dataclass(frozen=True, kw_only=True)
class UpdateVariant(ItemEdit):
    """Make a variant again from its source, which has changed; the letter of its answer key stays."""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("update_variant")

    def edited(self, item: Item, reader: Reader, /) -> Item:
        """Return the variant as it would be made now.

        Raises:
            UserError: The item is no variant, its source is gone or has no such variant any more, or regions
                have to be copied too.
        """
        if item.variant is None:
            raise UserError(f"{item.name} is no variant of another item.", hint="Choose a variant.")
        source = reader.get(Item, item.variant.source)
        if source is None or source.state == "rejected":
            raise UserError(
                f"{item.name} has no source any more: {stale_reason(item.variant, source)}",
                hint="Reject the variant too.",
            )
        settings = VariantSettings(
            kind=item.variant.kind,
            seed=item.provenance.seed or 0,
            options=max(FEWEST_OPTIONS, len(item.options)),
        )
        result = VARIANT_RULES[settings.kind](variant_input(reader, settings=settings)).variant(source)
        if isinstance(result, SkippedItem):
            raise UserError(
                f"{item.name} cannot be made again: {result.reason}.",
                hint="Select the source and make its variants again, or reject it.",
            )
        if isinstance(result, KnownVariant):
            # A pair of maps whose halves ask the same again.
            return msgspec.structs.replace(item, variant=link_to(source, settings.kind))
        if result.records:
            raise UserError(
                f"{item.name} needs regions of its source on its image.",
                hint="Select the source and make its variants again.",
            )
        return renewed(item, result.item)


def require_settings(settings: VariantSettings) -> None:
    """Check how variants are to be made.

    Raises:
        UserError: There are too few or too many options.
    """
    if not FEWEST_OPTIONS <= settings.options <= len(LETTERS):
        raise UserError(
            f"A multiple-choice variant cannot have {settings.options} options.",
            hint=f"Enter a number from {FEWEST_OPTIONS} to {len(LETTERS)}.",
        )


def variants_of(reader: Reader, source: Item, *, kind: VariantKind) -> list[Item]:
    """Return the variants of one kind of an item, the oldest first."""
    found = reader.find(Item, variant_of=source.id)
    return [item for item in found if item.variant is not None and item.variant.kind == kind]


def variant_input(
    reader: Reader,
    *,
    settings: VariantSettings,
    roots: MediaRoots | None = None,
    progress: Progress | None = None,
) -> VariantInput:
    """Return what the rules of variants read of a project.

    Args:
        reader: The project.
        settings: How variants are made.
        roots: The media folders of the project, None where no files are looked for.
        progress: Checked for cancel while files are read.
    """
    context = CheckContext.of(reader)
    return VariantInput(
        reader=reader,
        settings=settings,
        answer_context=lambda item: answer_context(item, context),
        roots=roots,
        progress=progress or Progress(),
    )


def renewed(variant: Item, made: Item) -> Item:
    """Return a variant with what its source gives it now; an answer letter mostly keeps its place."""
    taken = msgspec.structs.replace(
        variant, variant=made.variant, **{name: getattr(made, name) for name in TAKEN}
    )
    if variant.provenance.made_by == made.provenance.made_by:
        # The seed of what is drawn now, with which it is made once more.
        taken = msgspec.structs.replace(taken, provenance=made.provenance)
    if needs_other_options(variant):
        # Its letter can be computed as well as its wrong options.
        return taken
    index = LETTERS.find(variant.answer_key) if variant.answer_key else -1
    if made.variant is None or made.variant.kind != "choice" or not 0 <= index < len(taken.options):
        return taken
    options, now = list(taken.options), LETTERS.index(taken.answer_key)
    options[now], options[index] = options[index], options[now]
    return reletter(taken, options)


def _kept_of(existing: list[Item]) -> Item:
    """Return the variant that stays of several: one that people have worked on, else the oldest."""
    left = [item for item in existing if item.state != "rejected"]
    return next((item for item in left if item.state not in UNTOUCHED), (left or existing)[0])


def _created_records(result: MadeVariant) -> Iterator[Edit]:
    for record in result.records:
        yield Edit(entity=record.table.entity, entity_id=record.id, field=CREATED, value=record)
