"""One scored prediction as the error browser shows it: item, reply and other models, read in one query."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from annotator.domain.changes import Changes
from annotator.domain.error_label import ErrorLabel
from annotator.domain.item import Item
from annotator.domain.latest_decision import latest_decisions
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.media.media_roots import MediaRoots
from annotator.media.render import Overlay, Rendering
from annotator.queries.reader import Reader
from annotator.scoring.scored_row import ScoredRow, ShownItem
from annotator.scoring.scored_rows import ScoredRows
from annotator.scoring.shown_flight import ShownFlight
from widgets.medium_view import MediumView
from widgets.record_loader import StageRecord
from widgets.refine.item_view import ON_STAGE, ItemView, read_item_view
from widgets.stage.scene import StageScene
from widgets.translation import tr

MOST_OTHERS = 50
"""Replies of other models that are shown to one item."""


@dataclass(frozen=True, kw_only=True)
class ErrorView(StageRecord):
    """A scored prediction with what explains it.

    Attributes:
        row: The prediction.
        item: Its item, None if neither the project nor the file of predictions has it.
        is_of_project: Whether the item is that of this project; otherwise it is shown as it was released.
        rendering: What is drawn into its images for a model.
        others: The predictions of other models about the item.
        label: The label of its error, None before it is labelled.
        has_other_label: Whether another reply under the same name is labelled.
        flight: The flight of the model beside the recorded one, None for another reply.
    """

    row: ScoredRow
    item: Item | None
    is_of_project: bool
    rendering: Rendering
    others: tuple[ScoredRow, ...]
    label: ErrorLabel | None
    has_other_label: bool
    flight: ShownFlight | None

    @property
    def key(self) -> str:
        """Number of the row in its file."""
        return str(self.row.n)


def read_error_view(reader: Reader, *, number: int, rows: ScoredRows, roots: MediaRoots) -> ErrorView:
    """Read a prediction with its item.

    Args:
        reader: The project.
        number: Number of the row.
        rows: The file of predictions.
        roots: Media folders.
    """
    of_item = rows.of_item(number)
    row = next(one for one in of_item if one.n == number)
    released = rows.shown_item(number)
    own = _own_view(reader, row, released, roots=roots)
    item = own.item if own is not None else released.item if released is not None else None
    label = _label_of(reader, row, release=rows.release_id)
    is_own = label is not None and label.is_about(row.text)
    return ErrorView(
        row=row,
        item=item,
        is_of_project=own is not None,
        rendering=own.rendering if own is not None else "clean",
        shown=_shown_scene(own, released, folder=rows.release_folder) or _empty(row.item),
        others=tuple(one for one in of_item if one.n != number)[:MOST_OTHERS],
        label=label if is_own else None,
        has_other_label=label is not None and not is_own,
        flight=rows.flight(row, released),
    )


def _label_of(reader: Reader, row: ScoredRow, *, release: str) -> ErrorLabel | None:
    """Return the label that counts under the name of a model, of whichever reply."""
    labels = reader.find(ErrorLabel, release=release, item=row.item, model=row.model)
    return next(iter(latest_decisions(labels)), None)


def _shown_scene(
    own: ItemView | None, released: ShownItem | None, *, folder: Path | None
) -> StageScene | None:
    """Return the images of an item: those of the project, or of the release where it has no files."""
    shown = own.shown if own is not None else None
    if released is None or (shown is not None and _has_files(shown)):
        return shown
    pictures = released_scene(released, folder=folder)
    # A project without its media still has the annotations; the release has what the models saw.
    return pictures if pictures.media or shown is None else shown


def is_error_view_concerned(view: ErrorView, changes: Changes) -> bool:
    """Return whether a change can affect what is shown of a prediction."""
    if view.is_of_project and view.item is not None and changes.concerns("item", view.item.id):
        return True
    return any(changes.concerns(entity) for entity in ("error_label", *ON_STAGE))


def released_scene(released: ShownItem, *, folder: Path | None) -> StageScene:
    """Return the pictures of an item in a release, as the models got them."""
    views, media = [], []
    for at, picture in enumerate(released.pictures if folder is not None else ()):
        # A release can be a published file of questions; its images are beside it.
        base = folder if folder is not None and folder.is_dir() else Path(folder or ".").parent
        name = picture.name if picture.frame is None else f"{picture.name} · {picture.frame}"
        medium = Medium(id=f"{at}:{picture.file}", name=name, path=picture.file)
        view = picture.view or (tr("Frame {number}", number=picture.frame) if picture.frame else "")
        views.append(SceneView(name=view, medium=medium.id))
        media.append(MediumView(view=view, medium=medium, file=base / picture.file))
    item = released.item
    scene = Scene(id=f"released:{item.name}", name=item.name, views=tuple(views))
    shown = StageScene(scene=scene, media=tuple(media), marks=Overlay())
    shown.prepare()
    return shown


def _own_view(
    reader: Reader, row: ScoredRow, released: ShownItem | None, *, roots: MediaRoots
) -> ItemView | None:
    """Return the item of the project that a row is about, None if the project does not have it."""
    found = reader.get(Item, row.project_item) if row.project_item else None
    if found is None:
        named = [one for one in reader.find(Item, name=row.item) if _is_same(one, released)]
        found = named[0] if len(named) == 1 else None
    return read_item_view(reader, item_id=found.id, roots=roots) if found is not None else None


def _is_same(item: Item, released: ShownItem | None) -> bool:
    """Return whether an item of the project is the released one: other datasets use the same names."""
    return released is None or (item.task_set, item.task) == (released.item.task_set, released.item.task)


def _has_files(shown: StageScene) -> bool:
    return any(one.file is not None and one.file.exists() for one in shown.media)


def _empty(name: str) -> StageScene:
    return StageScene(scene=Scene(id=f"released:{name}", name=name), media=(), marks=Overlay())
