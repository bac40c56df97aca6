"""A task set: a benchmark's tasks, their questions, scores and checks, and its value lists.

Every field is described in ``docs/tasksets.md``; what may stand in it, in ``task_set_rules``.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from annotator.errors import UserError

Parameter = float | bool | str | list[float]
LENGTH_TOLERANCE_S = 0.05
"""A frame at 20 a second, by which marks on frames miss a length in whole seconds."""

_SLOT = re.compile(r"\{([^{}]*)\}")
_WORD = re.compile(r"[^\W_]+")
_TASK_NUMBER = re.compile(r"^\s*\d+\.\d+\s+")
# From the first blank of a run alone: sought from each of them, a name of nothing but blanks takes minutes.
_VIEWS_MARK = re.compile(r"(?<!\s)\s*+[(（]\s*(?:UAV\s*(?:\d+|n)|\d+\s*UAVs?)\s*[)）]\s*$", re.IGNORECASE)
_VIEW_NAME = re.compile(r"^UAV\d+$")


def plain_name(text: str) -> str:
    """Return the words of a name without case and punctuation: ``Start/End`` is ``start end``."""
    return " ".join(_WORD.findall(text.casefold()))


class TaskSetTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a task set's file; a field that it does not know is refused."""


class LocalizedText(TaskSetTable, frozen=True, kw_only=True):
    """A text in the languages of the product."""

    en: str
    zh: str = ""


class TaskGroup(TaskSetTable, frozen=True, kw_only=True):
    """An ability or topic that tasks belong to; tables of scores are grouped by it."""

    id: str
    title: LocalizedText


class OptionCount(TaskSetTable, frozen=True, kw_only=True):
    """How many options an item of a task has, both bounds included."""

    min: int
    max: int


class ClipLength(TaskSetTable, frozen=True, kw_only=True):
    """How long a clip of the benchmark is, both bounds included."""

    min_s: float
    max_s: float

    def contains(self, length_s: float) -> bool:
        """Return whether a clip of this length is within the bounds."""
        return self.min_s - LENGTH_TOLERANCE_S <= length_s <= self.max_s + LENGTH_TOLERANCE_S


class TaskMetric(TaskSetTable, frozen=True, kw_only=True):
    """A score of a task.

    Attributes:
        id: Id of a rule of ``task_set_rules.known_metrics``.
        answer_format: The format that it scores, "" for every format of the task.
        parameters: Thresholds and weights; units are part of the names.
    """

    id: str
    answer_format: str = ""
    parameters: dict[str, Parameter] = {}


class QuestionTemplate(TaskSetTable, frozen=True, kw_only=True):
    """A question with slots in braces.

    Attributes:
        id: Unique in its task.
        text: The question, for instance ``In which direction does {region} lie?``.
        answer_format: The format that answers it, "" for every format of the task.
    """

    id: str
    text: str
    answer_format: str = ""

    @property
    def slots(self) -> tuple[str, ...]:
        """Names of the slots in order, each once."""
        return tuple(dict.fromkeys(_SLOT.findall(self.text)))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the question with its slots filled; braces in a value stay as they are.

        Raises:
            KeyError: A slot has no value; the rule that drafts has to give them all.
        """
        # In one pass: a value with braces in it is no template of its own.
        return _SLOT.sub(lambda found: values[found[1]], self.text)


class ListValue(TaskSetTable, frozen=True, kw_only=True):
    """One entry of a closed list of values.

    Attributes:
        id: What our records keep.
        title: What people read.
        published: How the benchmark's own files spell it, slips included; "" where they do not.
        number: Score, flag or place that the value stands for.
        lowest: Smallest count that falls under the value.
        highest: Largest count that falls under the value.
        maps_to: Name of another list to the id of the value there that means the same.
    """

    id: str
    title: LocalizedText
    published: str = ""
    number: int | None = None
    lowest: int | None = None
    highest: int | None = None
    maps_to: dict[str, str] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that ``TaskSet.find_value`` knows the value by."""
        return tuple(filter(None, (self.id, self.title.en, self.title.zh, self.published)))


class IssueClass(TaskSetTable, frozen=True, kw_only=True):
    """What a person who refines an item says was wrong with it, or did to it.

    Attributes:
        id: What our records keep.
        title: What people read.
        meaning: When to choose it.
        published_count: How many items of the published benchmark fell under it, if it says so.
    """

    id: str
    title: LocalizedText
    meaning: str = ""
    published_count: int | None = None


class FormField(TaskSetTable, frozen=True, kw_only=True):
    """A field of the event-level form.

    Attributes:
        id: Field of ``EventLabel``.
        title: What people read.
        key: Letter that selects the field in the form.
        value_list: The list that its values come from, "" for numbers, views and texts. The digit of a value
            is its number.
    """

    id: str
    title: LocalizedText
    key: str
    value_list: str = ""


class Task(TaskSetTable, frozen=True, kw_only=True):
    """A kind of question.

    Attributes:
        id: Unique in the set.
        title: Name that people read; the English one is the paper's.
        group: Id of a group.
        visual_input: A key of ``task_set_rules.VISUAL_INPUTS``.
        answer_format: Ids of answer formats (``domain.answers``), the usual one first.
        key_from: In words, where the right answer comes from.
        drafted_by: Id of a rule, or ``llm``, ``manual``, ``template``, ``hybrid``.
        drafted_from: What the agent was given in the clips that a draft is made from: ``goal``,
            ``route``, or only ``video``.
        number: The paper's number, for instance "2.2".
        aliases: Other spellings in files.
        id_parts: Parts of public ids that tell the task; exporters write the first one.
        condition: In words, which scenes or views get such an item; "" for all.
        per_view: Whether an item asks about one view of a scene.
        option_count: How many options, None for formats without.
        choices: Name of the value list that the options are taken from, "" where they are written.
        templates: The questions.
        metrics: The scores.
        scoring_settings: What all metrics of the task share.
        checks: Ids of the checks that apply, those left out already gone.
        checks_left_out: Ids taken away from the set's default.
    """

    id: str
    title: LocalizedText
    group: str
    visual_input: str
    answer_format: tuple[str, ...]
    key_from: str
    drafted_by: str
    templates: tuple[QuestionTemplate, ...]
    drafted_from: tuple[str, ...] = ()
    number: str = ""
    aliases: tuple[str, ...] = ()
    id_parts: tuple[str, ...] = ()
    condition: str = ""
    per_view: bool = False
    option_count: OptionCount | None = None
    choices: str = ""
    metrics: tuple[TaskMetric, ...] = ()
    scoring_settings: dict[str, Parameter] = {}
    checks: tuple[str, ...] = ()
    checks_left_out: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that ``TaskSet.find`` knows the task by."""
        return tuple(filter(None, (self.id, self.title.en, self.title.zh, self.number, *self.aliases)))


class TaskSet(TaskSetTable, frozen=True, kw_only=True, dict=True):
    """A benchmark: its tasks, what they have in common, and the value lists that they use.

    Attributes:
        id: Unique among the sets of a project.
        title: Name that people read.
        version: Of this description, raised when a change alters items or scores.
        paper: Title and identifier.
        source: Addresses of code and data.
        data_licence: What the licence of the published data says, in words.
        scoring_mode: What scoring uses unless told otherwise.
        letters: Range of option letters such as "A-D", "" for a set without options.
        tasks: In the paper's order.
        groups: In the paper's order.
        slots: Every slot of the templates, explained.
        value_lists: Closed lists by name.
        issue_classes: What refinement tells apart.
        form_fields: The event-level form, in order; empty for a set without one.
        check_settings: Thresholds of checks where the benchmark has its own.
        drafting_settings: Thresholds of drafting rules where they differ from the rules' own.
        clip_length: How long a clip is; None where the benchmark has no clips or states no length.
    """

    id: str
    title: LocalizedText
    version: str
    tasks: tuple[Task, ...]
    groups: tuple[TaskGroup, ...]
    paper: str = ""
    source: tuple[str, ...] = ()
    data_licence: str = ""
    scoring_mode: Literal["strict", "compatible"] = "strict"
    letters: str = ""
    slots: dict[str, str] = {}
    value_lists: dict[str, tuple[ListValue, ...]] = {}
    issue_classes: tuple[IssueClass, ...] = ()
    form_fields: tuple[FormField, ...] = ()
    check_settings: dict[str, dict[str, float]] = {}
    drafting_settings: dict[str, float] = {}
    clip_length: ClipLength | None = None

    @property
    def option_letters(self) -> str:
        """The letters that options may have, in order: "ABCD", or "" without options."""
        first, _, last = self.letters.partition("-")
        return "".join(map(chr, range(ord(first), ord(last) + 1))) if last else ""

    def task(self, name: str) -> Task:
        """Return the task with this id, title, number or alias.

        Raises:
            UserError: There is none; the hint names what comes near.
        """
        if found := self.find(name):
            return found
        near = difflib.get_close_matches(plain_name(name), self._tasks_by_name, n=3, cutoff=0.5)
        ids = dict.fromkeys(self._tasks_by_name[key].id for key in near) or [task.id for task in self.tasks]
        raise UserError(
            f"{self.title.en} has no task {name!r}.",
            hint=f"{'Similar' if near else 'Available'}: {', '.join(ids)}.",
        )

    def find(self, name: str) -> Task | None:
        """Return the task with this id, title, number or alias, or None.

        Case, blanks and punctuation do not matter, nor do a number before and views behind the
        name: ``2.2 UAV Target Counting (UAV1)`` is object counting.
        """
        known = self._tasks_by_name
        return known.get(plain_name(name)) or known.get(
            plain_name(_VIEWS_MARK.sub("", _TASK_NUMBER.sub("", name)))
        )

    def find_by_item_name(self, name: str) -> Task | None:
        """Return the task that an item's public id tells, or None where it tells none or several.

        The longest part counts: ``A2G_Path_Planning_00001`` is not just ``Path_Planning``.
        """
        # In the parts of ids, UAV stands for any view: files number them, tasks do not.
        words = tuple("UAV" if _VIEW_NAME.match(word) else word for word in name.split("_"))
        known = self._tasks_by_id_part
        for size in sorted({len(part) for part in known}, reverse=True):
            for start in range(len(words) - size + 1):
                if tasks := known.get(words[start : start + size]):
                    return tasks[0] if len(tasks) == 1 else None
        return None

    def find_value(self, value_list: str, text: str) -> ListValue | None:
        """Return the value that a text stands for, by id, title or published spelling, or None.

        Case, blanks and punctuation do not matter, so full-width brackets do no harm.
        """
        return self._values_by_text.get((value_list, plain_name(text)))

    @functools.cached_property
    def _tasks_by_name(self) -> dict[str, Task]:
        return {plain_name(name): task for task in self.tasks for name in task.names}

    @functools.cached_property
    def _tasks_by_id_part(self) -> dict[tuple[str, ...], list[Task]]:
        found: dict[tuple[str, ...], list[Task]] = {}
        for task in self.tasks:
            for part in task.id_parts:
                found.setdefault(tuple(part.split("_")), []).append(task)
        return found

    @functools.cached_property
    def _values_by_text(self) -> dict[tuple[str, str], ListValue]:
        return {
            (name, plain_name(text)): value
            for name, values in self.value_lists.items()
            for value in values
            for text in value.names
        }
