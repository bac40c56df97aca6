"""Steps of the event-level form as a whole: boxes, copied and proposed answers, and the finish of a label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.event_labels import LabelEdit
from annotator.commands.label_boxes import BOX_FIELDS
from annotator.domain.contradictions import KINDS, find_contradictions
from annotator.domain.event import Edit
from annotator.domain.event_form import ANSWERS, copy_answers, find_form_problems
from annotator.domain.event_label import EventLabel
from annotator.domain.event_proposals import ViewFacts, propose_answers
from annotator.domain.medium import Medium
from annotator.domain.record import ANY
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.edits.links import same_links
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.own_labels import visible_labels
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class CopyAnswers(LabelEdit):
    """Answer the open fields of a label as in another one: that of the previous frame, or of another view.

    Attributes:
        source: Id of the other label.
    """

    source: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("copy_answers")

    def edited(self, label: EventLabel, scene: Scene, reader: Reader, /) -> EventLabel:
        """Return the label with the copied answers, marked until they are confirmed."""
        others = [view.name for view in scene.views if view.name != label.view]
        return copy_answers(_visible_source(self, reader), label, views=others)


@dataclass(frozen=True, kw_only=True)
class ProposeAnswers(LabelEdit):
    """Answer the open fields of a label by rule, the others as in another label.

    The rules use the regions of the view, also proposed ones, and their links.

    Attributes:
        source: Id of the other label, "" for none. Its boxes are not copied: objects move.
    """

    source: str = ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("propose_answers")

    def edited(self, label: EventLabel, scene: Scene, reader: Reader, /) -> EventLabel:
        """Return the label with the proposed answers, marked until they are confirmed.

        Raises:
            UserError: No open field has a proposal.
        """
        facts, task_set = _view_facts(label, scene, reader), self._task_set(reader)
        proposed = propose_answers(label, facts, task_set=task_set)
        if self.source:
            fields = [name for name in ANSWERS if name not in BOX_FIELDS]
            source = _visible_source(self, reader)
            proposed = copy_answers(source, proposed, views=facts.others, fields=fields)
            # Of a copied need follow further answers.
            proposed = propose_answers(proposed, facts, task_set=task_set)
        if proposed == label:
            raise UserError(
                "No answer can be proposed for the open fields.",
                hint="Draw regions or run a detector on the image, or answer the previous scene first.",
            )
        return proposed


@dataclass(frozen=True, kw_only=True)
class ConfirmCopied(LabelEdit):
    """Confirm copied and proposed answers.

    Attributes:
        fields: Names of the fields, empty for all.
    """

    fields: tuple[str, ...] = ()

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("confirm_copied")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label without the marks."""
        left = tuple(name for name in label.copied if self.fields and name not in self.fields)
        return msgspec.structs.replace(label, copied=left)


@dataclass(frozen=True, kw_only=True)
class FinishLabel(LabelEdit):
    """Finish a label. Flags of an import about contradictions that no longer exist are resolved."""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("finish_label")

    def edited(self, label: EventLabel, scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label as finished.

        Raises:
            UserError: An answer is missing, not confirmed, or contradicts another one.
        """
        problems = find_form_problems(label, views=[view.name for view in scene.views])
        found = [problem for problems_of_field in problems.values() for problem in problems_of_field]
        if found:
            raise UserError(
                f"The label cannot be finished: {len(found)} open problems.",
                hint=found[0].message,
            )
        return msgspec.structs.replace(label, state="finished")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the state of the label and of the flags that its corrections have settled.

        Raises:
            UserError: The label does not exist, or is not complete and consistent.
        """
        yield from super().plan(reader, progress=progress)
        label = self._stored(reader.require(Scene, self.scene), reader)
        if label is not None:
            yield from resolved_flags(label, reader)


def _visible_source(edit: CopyAnswers | ProposeAnswers, reader: Reader) -> EventLabel:
    """Return the label that answers are copied from; one that the person may not see is refused."""
    source = reader.require(EventLabel, edit.source)
    if not visible_labels(reader, [source], person=edit.person):
        raise UserError(
            "The label to copy from belongs to another person, who labels its scene independently.",
            hint="Copy from an own label.",
        )
    return source


def resolved_flags(label: EventLabel, reader: Reader) -> Iterator[Edit]:
    """Yield the flags of a label about contradictions that it no longer has, as resolved."""
    scene = reader.require(Scene, label.scene)
    holding = {found.kind for found in find_contradictions(label, views=[view.name for view in scene.views])}
    for flag in reader.flags_of(label.id):
        if flag.state == "open" and flag.kind in KINDS - holding:
            yield Edit(entity="flag", entity_id=flag.id, field="state", value="resolved")
            yield Edit(
                entity="flag",
                entity_id=flag.id,
                field="resolution",
                value="The label was corrected and finished.",
            )


def _view_facts(label: EventLabel, scene: Scene, reader: Reader) -> ViewFacts:
    medium = reader.require(Medium, scene.medium_of(label.view) or label.medium)
    # Regions of a video belong to frames, its label to the whole view.
    known = reader.find(Region, medium=medium.id, is_proposed=ANY)
    regions = tuple(region for region in known if region.frame is None)
    return ViewFacts(
        size_px=(medium.width_px, medium.height_px),
        others=tuple(view.name for view in scene.views if view.name != label.view),
        # The rules measure shares of the image; before its file was read, its size is 0.
        regions=regions if medium.width_px and medium.height_px else (),
        seen_in=_linked_views(regions, scene, reader),
    )


def _linked_views(regions: Iterable[Region], scene: Scene, reader: Reader) -> dict[str, frozenset[str]]:
    """Return the other views in which a linked region lies, by id of region."""
    view_of = {view.medium: view.name for view in scene.views}
    found: dict[str, frozenset[str]] = {}
    own = {region.id for region in regions}
    for link in same_links(reader, scene.id):
        if here := own.intersection(link.regions):
            others = reader.records(Region, ids=[one for one in link.regions if one not in here])
            views = frozenset(view_of[region.medium] for region in others if region.medium in view_of)
            found |= {one: found.get(one, frozenset()) | views for one in here}
    return found
