"""One review case as it is shown: the record, its evidence and its visual input, read in one query."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.domain.changes import Changes
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.record_types import record_type
from annotator.domain.review import ReviewCase
from annotator.domain.rows import Fork
from annotator.domain.scene import Scene, SceneView
from annotator.media.media_roots import MediaRoots
from annotator.media.render import Overlay, Rendering
from annotator.session import Reader
from widgets.library.record_details import ItemDetail, RecordDetail, read_detail
from widgets.record_loader import StageRecord
from widgets.refine.item_view import ON_STAGE, read_item_view
from widgets.review.case_answers import AnswerGroup, CaseAnswer, group_answers, read_answers
from widgets.stage.scene import StageScene, read_views

EVIDENCE = ("flag", "response", "comment", "prediction")
"""Kinds of records that a decision is made on."""
NO_SCENE = Scene(id="", name="")
"""Stands for the visual input of a record that has none."""
WITH_DETAIL = frozenset({"item", "scene", "medium"})
"""Kinds of records whose history and comments are shown; others show those of their scene."""


@dataclass(frozen=True, kw_only=True)
class CaseView(StageRecord):
    """A record that waits for a decision, with all that speaks for one.

    Attributes:
        case: The case.
        flags: Open flags of the record, the strongest first.
        rendering: What is drawn into its images for a model.
        item: The item, None for another record.
        detail: History, comments and evidence of the record, or of its scene; None for a task.
        answers: Answers of people and models to the item.
        groups: The different answers to the present form of the item.
        forks: Fields that workstations changed independently, with their values.
        phrases: The project's own reasons for decisions, () for the usual ones.
    """

    case: ReviewCase
    flags: tuple[Flag, ...]
    rendering: Rendering = "annotated"
    item: Item | None = None
    detail: RecordDetail | None = None
    answers: tuple[CaseAnswer, ...] = ()
    groups: tuple[AnswerGroup, ...] = ()
    forks: tuple[Fork, ...] = ()
    phrases: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Id of the record."""
        return self.case.target


def read_case_view(reader: Reader, *, case: ReviewCase, roots: MediaRoots) -> CaseView | None:
    """Read a case with its evidence; None if the record was removed."""
    with reader.snapshot():
        flags = tuple(flag for flag in reader.flags_of(case.target) if flag.state == "open")
        found = (reader.fork(one.entity_id, field=one.field) for one in case.forks)
        forks = tuple(fork for fork in found if fork is not None)
        if case.entity == "item":
            return _item_case(reader, case, flags=flags, forks=forks, roots=roots)
        record = _record(reader, case)
        if record is None and case.entity != "task":
            return None
        scene = _scene_of(reader, case, record)
        shown = read_views(reader, scene, roots=roots) if scene is not None else _nothing()
        subject = (case.entity, case.target) if case.entity in WITH_DETAIL else ("scene", shown.scene.id)
        detail = (
            read_detail(reader, entity=subject[0], record_id=subject[1], roots=roots) if subject[1] else None
        )
    shown.prepare()
    phrases = reader.project.review_phrases
    return CaseView(case=case, flags=flags, shown=shown, detail=detail, forks=forks, phrases=phrases)


def is_case_concerned(view: CaseView, changes: Changes) -> bool:
    """Return whether a change can affect what is shown of a case."""
    if changes.concerns(view.case.entity, view.case.target) or changes.concerns("project"):
        return True
    return any(changes.concerns(entity) for entity in (*ON_STAGE, *EVIDENCE))


def _item_case(
    reader: Reader, case: ReviewCase, *, flags: tuple[Flag, ...], forks: tuple[Fork, ...], roots: MediaRoots
) -> CaseView | None:
    view = read_item_view(reader, item_id=case.target, roots=roots)
    detail = read_detail(reader, entity="item", record_id=case.target, roots=roots)
    if view is None or not isinstance(detail, ItemDetail):
        return None
    answers = read_answers(reader, view.item, detail.evidence)
    return CaseView(
        case=case,
        flags=flags,
        shown=view.shown,
        rendering=view.rendering,
        item=view.item,
        detail=detail,
        answers=answers,
        groups=group_answers(view.item, answers),
        forks=forks,
        phrases=reader.project.review_phrases,
    )


def _record(reader: Reader, case: ReviewCase) -> Record | None:
    return reader.get(record_type(case.entity), case.target) if case.entity != "task" else None


def _scene_of(reader: Reader, case: ReviewCase, record: Record | None) -> Scene | None:
    """Return the scene of a record, for a medium the medium alone; None for neither."""
    if isinstance(record, Scene):
        return record
    if isinstance(record, Medium):
        return Scene(id=record.id, name=record.name, views=(SceneView(name="", medium=record.id),))
    return reader.get(Scene, case.scene) if case.scene else None


def _nothing() -> StageScene:
    return StageScene(scene=NO_SCENE, media=(), marks=Overlay())
