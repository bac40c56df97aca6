"""The command that adds an item by hand, with the question of a task's template."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain import answers
from annotator.domain.event import CREATED, Edit
from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.task_set import QuestionTemplate, Task
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.draft.draft_names import free_name
from annotator.draft.item_names import name_prefix
from annotator.draft.scene_rule import template_of
from annotator.draft.seeded_random import SeededRandom, keyed_seed
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

PAIRS = frozenset({"detected_pair", "clean_pair", "annotated_pair", "annotated_path_pair"})
"""Visual inputs of two views."""
ALL_VIEWS = "scene_views"
CANDIDATES = "query_candidates"
LEAST_CANDIDATES = 2
REGION_SLOT, BOX_SLOT = "region", "box"
"""Slots that are filled with a region of the stage: with its neutral name, or with its box."""
CHOOSE = "Choose images of other places."
_REGION = re.compile(r"Region (\d{1,6})")


def views_needed(task: Task, *, available: int) -> int:
    """Return how many views of a scene an item of a task shows: of candidates only the right one is of it.

    Args:
        task: The task.
        available: Number of views of the scene.

    Raises:
        UserError: The item shows more views than the scene has.
    """
    is_pair = task.visual_input in PAIRS or task.visual_input == CANDIDATES
    needed = available if task.visual_input == ALL_VIEWS else 2 if is_pair else 1
    if available < max(1, needed):
        raise UserError(
            f"{task.title.en} needs {needed} views, and the scene has {available}.",
            hint="Choose another scene or another task.",
        )
    return needed


def distractors_needed(task: Task) -> int:
    """Return how many images of other scenes an item of a task shows as wrong candidates."""
    if task.visual_input != CANDIDATES:
        return 0
    return (task.option_count.min if task.option_count is not None else LEAST_CANDIDATES) - 1


def answer_format_of(task: Task, template: QuestionTemplate) -> str:
    """Return the answer format of a template's questions."""
    return template.answer_format or task.answer_format[0]


@dataclass(frozen=True, kw_only=True)
class _ShownMedia:
    """What an item shows.

    Attributes:
        media: Ids of the media, in order.
        options: Options that stand for candidate images, empty for other questions.
        answer_key: The letter of the right candidate, "" for other questions.
    """

    media: tuple[str, ...]
    options: tuple[Option, ...] = ()
    answer_key: str = ""


@dataclass(kw_only=True)
class NewItem(Command):
    """Add a drafted item to a scene, with the question of a template.

    Attributes:
        scene: Id of the scene.
        task_set: Id of the task set.
        task: Id of the task.
        template: Id of its template, "" for the first.
        slots: Values of the template's slots.
        views: Names of the views that the item shows, in order; for a question with candidates the query and
            the right one.
        distractors: Ids of images of other scenes, the wrong candidates.
        answer_key: The right answer, "" to enter it later.
        evidence: Ids of the regions that were picked.
        id: Id of the new item.
        name: Its public id, set by ``plan``.
    """

    scene: str
    task_set: str
    task: str
    template: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)
    views: tuple[str, ...] = ()
    distractors: tuple[str, ...] = ()
    answer_key: str = ""
    evidence: tuple[str, ...] = ()
    id: str = field(default_factory=new_id)
    name: str = field(default="", init=False)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("new_item")

    @property
    def details(self) -> dict[str, Any]:
        """The template and its values."""
        return {"task": f"{self.task_set}/{self.task}", "template": self.template, "slots": dict(self.slots)}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new item.

        Raises:
            UserError: The scene, the task or its template is unknown; a slot is empty or names a region that
                the views do not have; the scene lacks the views; or the answer cannot be read.
        """
        progress.begin(self.summary, total=1)
        task_set = TaskSetCatalogue.of(reader.path).get(self.task_set)
        task = task_set.task(self.task)
        template = template_of(task, self.template)
        scene = reader.require(Scene, self.scene)
        media = self._media(scene, task=task)
        self._require_slots(template, reader=reader, media=media)
        answer_format = answer_format_of(task, template)
        self.name = free_name(reader, name_prefix(task, task_set=task_set))
        shown = self._with_candidates(reader, scene, media, task=task)
        item = Item(
            id=self.id,
            name=self.name,
            task_set=task_set.id,
            task=task.id,
            question=template.fill(self.slots),
            options=shown.options,
            answer_format=answer_format,
            answer_key=_canonical(shown.answer_key or self.answer_key, answer_format=answer_format),
            scene=scene.id,
            view=self.views[0] if len(self.views) == 1 or shown.options else "",
            media=shown.media,
            provenance=Provenance(made_by="hand", labels=self.evidence, wording=template.id, is_keyed=True),
        )
        progress.step()
        yield Edit(entity="item", entity_id=item.id, field=CREATED, value=item)

    def _media(self, scene: Scene, *, task: Task) -> tuple[str, ...]:
        needed = views_needed(task, available=len(scene.views))
        media = [scene.medium_of(view) for view in self.views]
        known = tuple(medium for medium in media if medium is not None)
        if len(known) < len(media) or len(set(known)) != needed or len(known) != needed:
            raise UserError(
                f"{task.title.en} shows {needed} different views of the scene.", hint="Choose the views."
            )
        return known

    def _with_candidates(
        self, reader: Reader, scene: Scene, media: tuple[str, ...], *, task: Task
    ) -> _ShownMedia:
        """Return the media of the item; the right candidate gets a letter that nobody can compute."""
        needed = distractors_needed(task)
        if not needed:
            return _ShownMedia(media=media)
        query, right = media
        self._require_distractors(reader, scene, needed=needed)
        # Not dealt in turn: the published letters of the items before and after it would tell a hidden one.
        seed = keyed_seed(0, project=reader.project.id)
        index = SeededRandom(seed, self.task_set, self.task, self.name).below(needed + 1)
        candidates = (*self.distractors[:index], right, *self.distractors[index:])
        names = [reader.require(Medium, medium).name for medium in candidates]
        options = (Option(letter=letter, text=name) for letter, name in zip(LETTERS, names, strict=False))
        return _ShownMedia(media=(query, *candidates), options=tuple(options), answer_key=LETTERS[index])

    def _require_distractors(self, reader: Reader, scene: Scene, *, needed: int) -> None:
        if len(set(self.distractors)) != needed or len(self.distractors) != needed:
            raise UserError(f"The question needs {needed} different images of other scenes.", hint=CHOOSE)
        shown = (reader.get(Medium, view.medium) for view in scene.views)
        own = {medium.clean_image for medium in shown if medium is not None}
        for medium in (reader.require(Medium, one) for one in self.distractors):
            # A degraded copy shows the same place as its source.
            if medium.clean_image in own:
                raise UserError(f"{medium.name} shows the scene itself.", hint=CHOOSE)
            if medium.media_type != "image":
                raise UserError(f"{medium.name} is not an image.", hint=CHOOSE)

    def _require_slots(self, template: QuestionTemplate, *, reader: Reader, media: tuple[str, ...]) -> None:
        if missing := [name for name in template.slots if not self.slots.get(name, "").strip()]:
            raise UserError(f"The question lacks the value of {missing[0]!r}.", hint="Fill in all values.")
        # The first image only: templates name its regions, and ask for those of the second.
        known = {region.number for region in reader.find(Region, medium=media[0])}
        for name in template.slots:
            named = _REGION.fullmatch(self.slots[name].strip())
            if name == REGION_SLOT and (named is None or int(named[1]) not in known):
                raise UserError(
                    f"The first image has no {self.slots[name]}.", hint="Select one of its regions."
                )


def _canonical(text: str, *, answer_format: str) -> str:
    """Return an answer as canonical text, "" for none.

    Raises:
        UserError: It is no answer in this format.
    """
    if not text.strip():
        return ""
    found = answers.get(answer_format)
    parsed = found.parse(text)
    if parsed.value is None:
        raise UserError(
            f"The answer cannot be read: {parsed.reason}", hint="Correct the answer, or leave it out."
        )
    return found.render(parsed.value)
