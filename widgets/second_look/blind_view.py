"""An item as a person sees it who must not know its answer key, author or other answers.

What must not be seen is removed here, on the reading thread: no widget of the second look ever has it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from annotator.domain import answers
from annotator.domain.changes import Changes
from annotator.domain.eval_settings import CANDIDATES, item_for_model, prompt_digest
from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.link import Link
from annotator.domain.response import Response
from annotator.domain.response_queue import ResponseQueue
from annotator.media.media_roots import MediaRoots
from annotator.media.render import Overlay, Rendering
from annotator.quality.context import CheckContext, answer_context
from annotator.queries.reader import Reader
from widgets.medium_view import MediumView
from widgets.record_loader import StageRecord
from widgets.refine.item_view import ON_STAGE, ItemView, read_item_view
from widgets.stage.scene import StageScene
from widgets.translation import tr

Phase = Literal["answering", "key_shown", "handed_in", "key_seen"]
"""What the person does with the item: answers it, decides on the key, is done with it, or may not answer."""
HIDDEN_FIELDS = {
    "answer_key": "",
    "state": "refined",
    "issue_classes": (),
    "provenance": Provenance(),
    "original": msgspec.Raw(b"null"),
    "corrections": (),
    "extras": {},
    "import_key": "",
    # The item that it is a version of has the same key, and may be known.
    "variant": None,
}
"""Fields that show the key, the author or earlier work, with the values that hide them."""


@dataclass(frozen=True, kw_only=True)
class KeyComparison:
    """The answer key beside the person's answer.

    Attributes:
        answer_key: The answer key.
        is_equal: Whether the key counts the answer as right.
        score: Score of the answer under the metric of its format, 0 to 1.
        problem: Why the two cannot be compared, "" if they can.
    """

    answer_key: str
    is_equal: bool
    score: float
    problem: str


@dataclass(frozen=True, kw_only=True)
class BlindView(StageRecord):
    """An item of the queue.

    Attributes:
        number: Row number of the item.
        item: The item without what must not be seen.
        rendering: What is drawn into its images for a model.
        phase: What the person does with the item.
        response: The person's own answer to its present form, None before.
        comparison: The key beside the answer, None until it is shown.
    """

    number: int
    item: Item
    rendering: Rendering
    phase: Phase
    response: Response | None = None
    comparison: KeyComparison | None = None

    @property
    def key(self) -> str:
        """Row number of the item."""
        return str(self.number)


def read_blind_view(
    reader: Reader, *, number: int, queue: ResponseQueue, roots: MediaRoots
) -> BlindView | None:
    """Read an item of a queue; None if it was removed.

    Args:
        reader: The project.
        number: Row number of the item.
        queue: Names the person, and whether the key is shown after the answer.
        roots: Media folders.
    """
    rows = reader.responses.queued_items([number])
    view = read_item_view(reader, item_id=rows[0].id, roots=roots) if rows else None
    if view is None:
        return None
    item = view.item
    digest = prompt_digest(item)
    own = [one for one in reader.responses.of(item.id, person=queue.person) if one.shown == digest]
    response = own[-1] if own else None
    is_key_shown = response is not None and response.is_key_shown and queue.shows_key
    return BlindView(
        number=number,
        shown=_blind_scene(view),
        item=blind_item(view),
        rendering=view.rendering,
        phase=_phase(reader, item, response, person=queue.person, is_key_shown=is_key_shown),
        response=response,
        comparison=_compare(reader, item, response.answer) if response is not None and is_key_shown else None,
    )


def is_blind_view_concerned(view: BlindView, changes: Changes) -> bool:
    """Return whether a change can affect what is shown of an item."""
    is_own = changes.concerns("item", view.item.id) or changes.concerns("response")
    return is_own or any(changes.concerns(entity) for entity in ON_STAGE)


def blind_item(view: ItemView) -> Item:
    """Return an item without what must not be seen; options that are images have neutral names."""
    item = msgspec.structs.replace(view.item, **HIDDEN_FIELDS)
    if not _has_candidates(view):
        return item_for_model(item, view.task)
    options = tuple(Option(letter=one.letter, text=_candidate(one.letter)) for one in item.options)
    return msgspec.structs.replace(item, options=options)


def _has_candidates(view: ItemView) -> bool:
    is_candidates = view.task is not None and view.task.visual_input == CANDIDATES
    return is_candidates and len(view.item.media) > 1


def _candidate(letter: str) -> str:
    return tr("Candidate {letter}", letter=letter)


def _name_candidates(view: ItemView) -> StageScene:
    """Return the visual input with neutral names: of all candidates, only the right one is a named view."""
    indices = {medium: index for index, medium in reversed(list(enumerate(view.item.media)))}
    names = {
        medium: _candidate(LETTERS[index - 1]) if index else tr("Query")
        for medium, index in indices.items()
        if index <= len(LETTERS)
    }
    shown = view.shown
    views = tuple(msgspec.structs.replace(one, name=names.get(one.medium, "")) for one in shown.scene.views)
    return replace(
        shown,
        scene=msgspec.structs.replace(shown.scene, views=views),
        media=tuple(_renamed(one, name=names.get(one.medium.id, "")) for one in shown.media),
    )


def _renamed(shown: MediumView, *, name: str) -> MediumView:
    # The name of a file tells its scene; its place stays, for the images.
    medium = msgspec.structs.replace(shown.medium, name=name, path=shown.medium.path or shown.medium.name)
    return replace(shown, view=name, medium=medium)


def _blind_scene(view: ItemView) -> StageScene:
    """Return the visual input with those annotations that belong to the question.

    Regions lose their categories, which models do not see either. Links are the answer of many tasks: they
    stay only where they are drawn into the released images.
    """
    shown = _name_candidates(view) if _has_candidates(view) else view.shown
    marks = shown.marks
    is_clean = view.rendering == "clean" and not answers.names_regions(view.item.answer_format)
    links: tuple[Link, ...] = marks.links if view.rendering == "annotated" else ()
    blind = replace(
        shown,
        marks=Overlay(
            regions=()
            if is_clean
            else tuple(msgspec.structs.replace(one, category="") for one in marks.regions),
            links=links,
            paths=marks.paths if view.rendering == "annotated" else (),
            is_map=marks.is_map,
        ),
        labels=(),
        trajectories=(),
        flags=(),
    )
    blind.prepare()
    return blind


def _phase(
    reader: Reader, item: Item, response: Response | None, *, person: str, is_key_shown: bool
) -> Phase:
    if response is not None:
        return "key_shown" if is_key_shown else "handed_in"
    return "key_seen" if reader.responses.has_seen_key(item.id, person=person) else "answering"


def _compare(reader: Reader, item: Item, answer: str) -> KeyComparison:
    if not answers.is_known(item.answer_format):
        is_equal = answer == item.answer_key.strip()
        return KeyComparison(answer_key=item.answer_key, is_equal=is_equal, score=float(is_equal), problem="")
    context = answer_context(item, CheckContext.of(reader))
    score = answers.get(item.answer_format).score(answer, item.answer_key, context=context)
    return KeyComparison(
        answer_key=item.answer_key,
        is_equal=score.is_correct,
        score=score.score,
        problem="" if score.is_key_parsed and score.is_parsed else score.reason,
    )
