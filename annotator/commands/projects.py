"""Commands on the project's own record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit, edit_fields
from annotator.domain.project import SeparateAcceptance
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

MAX_PHRASES = 9
"""Reasons that the digits 1 to 9 choose."""


@dataclass(frozen=True, kw_only=True)
class ChooseTaskSet(Command):
    """Choose the task set of a project.

    Attributes:
        task_set: Id of a task set.
    """

    task_set: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("choose_task_set", name=self.task_set)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the edit, or nothing if the task set is already chosen."""
        progress.begin(self.summary, total=1)
        project = reader.project
        if project.task_set != self.task_set:
            yield Edit(entity="project", entity_id=project.id, field="task_set", value=self.task_set)


@dataclass(frozen=True, kw_only=True)
class SetFrameSteps(Command):
    """Set which frames of a sequence are annotated, and when a frame differs from another one.

    Attributes:
        step: Every n-th frame is annotated; 1 for all.
        difference: Percent, above 0, at most 100.
    """

    step: int
    difference: float

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_frame_steps", step=self.step)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the settings that change.

        Raises:
            UserError: The step is less than 1, or the difference is no percentage above 0.
        """
        progress.begin(self.summary, total=1)
        if self.step < 1:
            raise UserError("The annotation step is less than 1.", hint="Enter 1 to annotate every frame.")
        if not 0 < self.difference <= 100:
            raise UserError(
                "The difference of frames is not between 0 and 100 percent.",
                hint="Enter a percentage, for example 3.",
            )
        yield from edit_fields(reader.project, annotation_step=self.step, frame_difference=self.difference)


@dataclass(frozen=True, kw_only=True)
class SetLinkLimit(Command):
    """Set the mismatch above which links are flagged; it applies to later edits and checks.

    Attributes:
        share: Share of the longer side of an image, above 0, at most 1.
    """

    share: float

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_link_limit")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the limit, or nothing if it is unchanged.

        Raises:
            UserError: The share is not above 0 and at most 1.
        """
        progress.begin(self.summary, total=1)
        if not 0 < self.share <= 1:
            raise UserError(
                "The limit of links is not between 0 and 100 percent.",
                hint="Enter a percentage, for example 3.",
            )
        project = reader.project
        if project.link_limit != self.share:
            yield Edit(entity="project", entity_id=project.id, field="link_limit", value=self.share)


@dataclass(frozen=True, kw_only=True)
class SetReviewRules(Command):
    """Set who may accept items, and the reasons that reviewers choose by number.

    Attributes:
        separate_acceptance: Whether nobody accepts what the same person wrote or edited last; None to leave
            it as it is.
        phrases: The reasons, () for the usual ones; None to leave them as they are.
    """

    separate_acceptance: SeparateAcceptance | None = None
    phrases: tuple[str, ...] | None = None

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_review_rules")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the settings that change.

        Raises:
            UserError: A phrase is empty, or there are more than digits choose.
        """
        progress.begin(self.summary, total=1)
        phrases = None if self.phrases is None else tuple(phrase.strip() for phrase in self.phrases)
        if "" in (phrases or ()):
            raise UserError("A phrase is empty.", hint="Enter the text of the reason, or leave the line out.")
        if len(phrases or ()) > MAX_PHRASES:
            raise UserError(
                f"There are more than {MAX_PHRASES} phrases.",
                hint="Each is chosen by a digit. Leave some out.",
            )
        project = reader.project
        wanted = (("separate_acceptance", self.separate_acceptance), ("review_phrases", phrases))
        for field, value in wanted:
            if value is not None and getattr(project, field) != value:
                yield Edit(entity="project", entity_id=project.id, field=field, value=value)
