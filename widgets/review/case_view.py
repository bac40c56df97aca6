"""One review case as it is shown: the record, its evidence and its visual input, read in one query."""

from __future__ import annotations

from dataclasses import dataclass, replace

from annotator.domain.changes import Changes
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.record_types import record_type
from annotator.domain.review import AcceptanceLimit, ReviewCase
from annotator.domain.rows import Fork
from annotator.domain.scene import Scene, SceneView
from annotator.domain.shown_record import ShownRecord
from annotator.media.media_roots import MediaRoots
from annotator.media.render import Overlay
from annotator.queries.reader import Reader
from widgets.library.record_details import ItemDetail, RecordDetail, read_detail
from widgets.record_loader import StageRecord
from widgets.refine.item_view import ON_STAGE, read_item_view
from widgets.review.case_answers import AnswerGroup, CaseAnswer, group_answers, read_answers
from widgets.review.field_versions import DifferingLabels, read_differing_labels
from widgets.stage.scene import StageScene, read_views

EVIDENCE = ("flag", "response", "comment")
"""Kinds of records that a decision is made on."""
NOTHING = StageScene(scene=Scene(id="", name=""), media=(), marks=Overlay())
"""Stands for the visual input of a record that has none."""
WITH_DETAIL = frozenset({"item", "scene", "medium"})
"""Kinds of records whose history and comments are shown; others show those of their scene."""


@dataclass(frozen=True, kw_only=True)
class CaseView(StageRecord):
    """A record that waits for a decision, with all that speaks for one.

    Attributes:
        case: The case.
        flags: Open flags of the record, the strongest first.
        item: The item, None for another record.
        detail: History, comments and evidence of the record, or of its scene; None for a task.
        answers: Answers of people and models to the item.
        groups: The different answers to the present form of the item.
        forks: Fields that workstations changed independently, with their values.
        differing: The labels that several persons gave the view of an event label, None unless they differ.
        phrases: The project's own reasons for decisions, () for the usual ones.
        limit: When the person at the window must not accept the item.
    """

    case: ReviewCase
    flags: tuple[Flag, ...]
    item: Item | None = None
    detail: RecordDetail | None = None
    answers: tuple[CaseAnswer, ...] = ()
    groups: tuple[AnswerGroup, ...] = ()
    forks: tuple[Fork, ...] = ()
    differing: DifferingLabels | None = None
    phrases: tuple[str, ...] = ()
    limit: AcceptanceLimit = "none"

    @property
    def key(self) -> str:
        """Id of the record."""
        return self.case.target

    @property
    def basis(self) -> ShownRecord:
        """What a decision on the case is made on."""
        return ShownRecord.of(self.item, self.flags)


def read_case_view(reader: Reader, *, case: ReviewCase, roots: MediaRoots, person: str) -> CaseView | None:
    """Read a case with its evidence; None if the record was removed, unless workstations differ in that.

    Args:
        reader: The project.
        case: The case.
        roots: Media folders.
        person: Id of the person who decides.
    """
    with reader.snapshot():
        found = (reader.forks.get(one.entity_id, field=one.field) for one in case.forks)
        view = CaseView(
            case=case,
            flags=tuple(flag for flag in reader.flags_of(case.target) if flag.state == "open"),
            shown=NOTHING,
            forks=tuple(fork for fork in found if fork is not None),
            phrases=reader.project.review_phrases,
        )
        record = _record(reader, case)
        if isinstance(record, Item):
            limit = reader.reviews.acceptance_limit(record.id, person=person)
            return _with_item(reader, replace(view, limit=limit), roots=roots)
        if isinstance(record, EventLabel) and not view.forks:
            view = replace(view, differing=read_differing_labels(reader, record, view.flags))
        if record is None and case.entity != "task" and not view.forks:
            return None
        return _with_scene(reader, view, _scene_of(reader, case, record), roots=roots)


def is_case_concerned(view: CaseView, changes: Changes) -> bool:
    """Return whether a change can affect what is shown of a case."""
    if changes.concerns(view.case.entity, view.case.target) or changes.concerns("project"):
        return True
    return any(changes.concerns(entity) for entity in (*ON_STAGE, *EVIDENCE, "event_label"))


def _with_item(reader: Reader, view: CaseView, *, roots: MediaRoots) -> CaseView | None:
    target = view.case.target
    item_view = read_item_view(reader, item_id=target, roots=roots)
    detail = read_detail(reader, entity="item", record_id=target, roots=roots)
    if item_view is None or not isinstance(detail, ItemDetail):
        return None
    answers = read_answers(reader, item_view.item, detail.evidence)
    return replace(
        view,
        shown=item_view.shown,
        item=item_view.item,
        detail=detail,
        answers=answers,
        groups=group_answers(item_view.item, answers),
    )


def _with_scene(reader: Reader, view: CaseView, scene: Scene | None, *, roots: MediaRoots) -> CaseView:
    shown = read_views(reader, scene, roots=roots) if scene is not None else NOTHING
    has_own = view.case.entity in WITH_DETAIL
    entity, record_id = (view.case.entity, view.case.target) if has_own else ("scene", shown.scene.id)
    detail = read_detail(reader, entity=entity, record_id=record_id, roots=roots) if record_id else None
    shown.prepare()
    return replace(view, shown=shown, detail=detail)


def _record(reader: Reader, case: ReviewCase) -> Record | None:
    return reader.get(record_type(case.entity), case.target) if case.entity != "task" else None


def _scene_of(reader: Reader, case: ReviewCase, record: Record | None) -> Scene | None:
    """Return the scene of a record, for a medium the medium alone; None for neither."""
    if isinstance(record, Scene):
        return record
    if isinstance(record, Medium):
        return Scene(id=record.id, name=record.name, views=(SceneView(name="", medium=record.id),))
    return reader.get(Scene, case.scene) if case.scene else None
