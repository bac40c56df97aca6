"""Commands on what people say of a flight: actions of segments, captions, difficulty, instructions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.flights import KEY_FRAMES_ONLY
from annotator.domain import task_set_files
from annotator.domain.event import Edit, edit_fields
from annotator.domain.flight_actions import KINDS
from annotator.domain.flight_labels import label_at, segment_bounds, with_label
from annotator.domain.flight_segments import MOST_KINDS, VLN_DIFFICULTY
from annotator.domain.trajectory import Trajectory
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

InstructionLevel = Literal["instruction_goal", "instruction_detailed"]
LONGEST_CAPTION, LONGEST_INSTRUCTION = 2_000, 20_000
"""Letters; longer texts are pasted by mistake."""
TASK_SET = "indooruav"


class FlightEdit(Command):
    """Base class of commands that set one field of a flight."""

    flight: str

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:  # noqa: ARG002 - the signature of commands
        """Yield the field if its value differs.

        Raises:
            UserError: There is no such flight, or the value does not fit it.
        """
        flight = reader.require(Trajectory, self.flight)
        field, value = self.change(flight)
        yield from edit_fields(flight, **{field: value})

    @abstractmethod
    def change(self, flight: Trajectory) -> tuple[str, object]:
        """Return the field and its new value.

        Raises:
            UserError: The value does not fit the flight.
        """


@dataclass(frozen=True, kw_only=True)
class SetSegmentActions(FlightEdit):
    """Set the kinds of action of the segment that ends at a key frame.

    Attributes:
        flight: Id of the trajectory.
        frame: Number of the pose where the segment ends, from 0.
        actions: One to three kinds in order; empty for those that the poses show.
    """

    flight: str
    frame: int
    actions: tuple[str, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_segment_actions")

    def change(self, flight: Trajectory) -> tuple[str, object]:
        """Return the labels with these actions.

        Raises:
            UserError: No segment ends there, or the kinds are unknown, repeated or too many.
        """
        if self.frame not in segment_bounds(flight)[1:]:
            raise UserError(f"No segment ends at pose {self.frame} of {flight.name}.", hint=KEY_FRAMES_ONLY)
        _require_few_kinds(self.actions)
        label = msgspec.structs.replace(label_at(flight, self.frame), actions=self.actions)
        return "key_frame_labels", with_label(flight, label)


@dataclass(frozen=True, kw_only=True)
class SetCaption(FlightEdit):
    """Set the caption of a key frame.

    Attributes:
        flight: Id of the trajectory.
        frame: Number of its pose, from 0; the first and the last pose have captions, too.
        text: What the camera sees, "" to remove the caption.
    """

    flight: str
    frame: int
    text: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_caption")

    def change(self, flight: Trajectory) -> tuple[str, object]:
        """Return the labels with this caption.

        Raises:
            UserError: The pose is not a key frame, or the text is too long.
        """
        if self.frame not in segment_bounds(flight):
            raise UserError(f"Pose {self.frame} of {flight.name} is not a key frame.", hint=KEY_FRAMES_ONLY)
        caption = _text(self.text, most=LONGEST_CAPTION)
        label = msgspec.structs.replace(label_at(flight, self.frame), caption=caption)
        return "key_frame_labels", with_label(flight, label)


@dataclass(frozen=True, kw_only=True)
class SetInstruction(FlightEdit):
    """Set an instruction of a flight.

    Attributes:
        flight: Id of the trajectory.
        level: ``instruction_goal`` for the short one, ``instruction_detailed`` for the long one.
        text: The instruction, "" to remove it.
    """

    flight: str
    level: InstructionLevel
    text: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_instruction")

    def change(self, flight: Trajectory) -> tuple[str, object]:  # noqa: ARG002 - the signature of flight edits
        """Return the instruction.

        Raises:
            UserError: The text is too long.
        """
        return self.level, _text(self.text, most=LONGEST_INSTRUCTION)


@dataclass(frozen=True, kw_only=True)
class SetFlightDifficulty(FlightEdit):
    """Set the difficulty of a flight.

    Attributes:
        flight: Id of the trajectory.
        difficulty: A value of IndoorUAV's list, "" for the one that follows from the number of actions.
    """

    flight: str
    difficulty: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_flight_difficulty")

    def change(self, flight: Trajectory) -> tuple[str, object]:  # noqa: ARG002 - the signature of flight edits
        """Return the difficulty.

        Raises:
            UserError: It is not in the list.
        """
        known = [value.id for value in task_set_files.builtin(TASK_SET).value_lists[VLN_DIFFICULTY]]
        if self.difficulty and self.difficulty not in known:
            raise UserError(
                f"'{self.difficulty}' is not a difficulty of flights.", hint=f"Values: {', '.join(known)}."
            )
        return "difficulty", self.difficulty


def _require_few_kinds(actions: tuple[str, ...]) -> None:
    unknown = [kind for kind in actions if kind not in KINDS]
    if unknown or len(set(actions)) < len(actions):
        raise UserError(
            f"{', '.join(actions)} are not different kinds of action.",
            hint=f"Kinds of action: {', '.join(KINDS)}.",
        )
    if len(actions) > MOST_KINDS:
        raise UserError(
            f"A segment has at most {MOST_KINDS} kinds of action.",
            hint="Set a key frame in it to divide it, or remove another kind first.",
        )


def _text(text: str, *, most: int) -> str:
    """Return a text without blank lines and trailing spaces.

    Raises:
        UserError: It is too long.
    """
    lines = (" ".join(line.split()) for line in text.splitlines())
    kept = "\n".join(filter(None, lines))
    if len(kept) > most:
        raise UserError(f"The text has {len(kept):,} characters.", hint=f"Shorten it to {most:,} characters.")
    return kept
