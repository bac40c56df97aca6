"""Decisions on the selected records: reject, restore, comment, tag; decide a flag."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.commands.item_states import ChangeState
from annotator.commands.records import DecideFlags
from annotator.commands.tags import ChangeTags
from annotator.domain.flag import FlagState
from annotator.domain.medium import Medium
from annotator.domain.rows import ItemRow, MediumRow, SceneRow
from annotator.queries.reader import Reader
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.dialog import OPENING
from widgets.library.inspector import Inspector
from widgets.library.record_list import RecordList
from widgets.library.record_types import Numbers, RecordTypeView, Row
from widgets.project_controller import ProjectController
from widgets.text_prompt import TextPrompt
from widgets.translation import tr, trn

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.library.derived_images import DerivedImages

CHUNK = 2000
"""Rows per query: SQLite allows at most 32,766 parameters in a statement."""


class DecisionActions(QObject):
    """Asks for a reason, then sends the command."""

    def __init__(
        self,
        *,
        controller: ProjectController,
        bridge: Bridge,
        listings: dict[str, RecordList],
        inspector: Inspector,
        registry: ActionRegistry,
        window: QWidget,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._registry = registry
        self._controller, self._bridge, self._window = controller, bridge, window
        self._listings, self._inspector = listings, inspector
        self._derived: DerivedImages | None = None
        inspector.decided.connect(self.decide_flags)

    def ask_reject(self) -> None:
        """Ask why the selected items are to be rejected."""
        numbers = self._listings["item"].table.selected_numbers()
        sheet = TextPrompt(
            self._window,
            title=trn("Reject {n} item", "Reject {n} items", n=len(numbers)),
            explanation=tr(
                "Rejected items stay in the project and can be restored. Releases do not include them."
            ),
            placeholder=tr("Reason, for example: two options are correct"),
            button=tr("Reject"),
        )
        sheet.answered.connect(partial(self._reject, numbers))
        sheet.open(sheet.field)

    def ask_restore(self) -> None:
        """Ask why the rejected items in the selection are restored."""
        numbers = self._listings["item"].table.selected_numbers()
        sheet = TextPrompt(
            self._window,
            title=tr("Restore rejected items"),
            explanation=tr("Rejected items in the selection become drafts again."),
            placeholder=tr("Reason (optional)"),
            button=tr("Restore"),
            may_be_empty=True,
        )
        sheet.answered.connect(partial(self._restore, numbers))
        sheet.open(sheet.field)

    def ask_tag(self) -> None:
        """Ask for the tags of the selected scenes."""
        # Rows are read first: the dialog shows how many scenes have each tag.
        self._open_with_rows("scene", self._ask_tags)

    def ask_licence(self) -> None:
        """Ask for the licence of the selected media, or of all media of the selected scenes."""
        # Only one list is visible; the action registry ensures that its selection is of the right kind.
        kind = "scene" if self._registry.can_run("scene.tag") else "medium"
        self._open_with_rows(kind, self._ask_licence)

    def ask_derive(self) -> None:
        """Ask for the recipe of derived images of the selected scenes or media."""
        kind = "scene" if self._registry.can_run("scene.tag") else "medium"
        self._open_with_rows(kind, self._ask_derive)

    def resolve_flag(self) -> None:
        """Ask for the correction, then resolve the current flag."""
        self._inspector.ask_about_flag("resolved")

    def dismiss_flag(self) -> None:
        """Ask why the record is correct, then dismiss the current flag."""
        self._inspector.ask_about_flag("dismissed")

    def decide_flags(self, flags: tuple[str, ...], state: FlagState, reason: str) -> None:
        """Set the state of flags; the state ``open`` reopens them."""
        titles = {"resolved": tr("Resolving"), "dismissed": tr("Dismissing"), "open": tr("Reopening")}
        self._controller.execute(
            DecideFlags(flags=flags, state=state, resolution=reason), title=titles[state]
        )

    def _reject(self, numbers: Numbers, reason: str) -> None:
        self._with_rows("item", numbers, partial(self._reject_rows, reason))

    def _reject_rows(self, reason: str, rows: list[Row]) -> None:
        # Items that are rejected already keep their earlier reason.
        ids = tuple(row.id for row in rows if isinstance(row, ItemRow) and row.state != "rejected")
        if ids:
            self._controller.execute(
                ChangeState(items=ids, state="rejected", reason=reason), title=tr("Rejecting")
            )

    def _restore(self, numbers: Numbers, reason: str) -> None:
        # Rows are read first: 'Restore' must not return accepted items to drafts.
        self._with_rows("item", numbers, partial(self._restore_rows, reason))

    def _restore_rows(self, reason: str, rows: list[Row]) -> None:
        ids = tuple(row.id for row in rows if isinstance(row, ItemRow) and row.state == "rejected")
        if ids:
            self._controller.execute(
                ChangeState(items=ids, state="drafted", reason=reason), title=tr("Restoring")
            )

    def _ask_tags(self, rows: list[Row]) -> None:
        from widgets.library.tag_dialog import TagDialog

        scenes = [row for row in rows if isinstance(row, SceneRow)]
        tags = [row.tags for row in scenes]
        sheet = TagDialog(self._window, tags=tags, known=self._known("scene", "tag"))
        sheet.submitted.connect(partial(self._tag, tuple(row.id for row in scenes)))
        sheet.open(sheet.field)

    def _tag(self, scenes: tuple[str, ...], added: tuple[str, ...], removed: tuple[str, ...]) -> None:
        if added or removed:
            self._controller.execute(
                ChangeTags(scenes=scenes, added=added, removed=removed), title=tr("Tagging")
            )

    def _ask_licence(self, rows: list[Row]) -> None:
        shown = [row.shown for row in rows if isinstance(row, SceneRow | MediumRow)]
        media = tuple(dict.fromkeys(view.medium for views in shown for view in views))
        if self._controller.session is not None and media:
            question = partial(_read_media, media=media)
            self._bridge.query(self._controller.session, question, done=self._show_licences, channel=OPENING)

    def _show_licences(self, media: list[Medium]) -> None:
        from widgets.library.licence_dialog import LicenceDialog

        sources = tuple(dict.fromkeys(medium.source for medium in media if medium.source))
        sheet = LicenceDialog(
            self._window,
            licences={medium.licence for medium in media},
            media=len(media),
            sources=len(sources),
            known=self._known("medium", "licence"),
        )
        sheet.submitted.connect(partial(self._set_licence, tuple(medium.id for medium in media), sources))
        sheet.open(sheet.field)

    def _set_licence(
        self, media: tuple[str, ...], sources: tuple[str, ...], licence: str, is_of_source: bool
    ) -> None:
        from annotator.commands.media import SetLicence

        command = SetLicence(licence=licence, media=media, sources=sources if is_of_source else ())
        self._controller.execute(command, title=tr("Setting the licence"))

    def _ask_derive(self, rows: list[Row]) -> None:
        from widgets.library.derived_images import DerivedImages

        if self._derived is None:
            self._derived = DerivedImages(
                controller=self._controller, bridge=self._bridge, window=self._window, parent=self
            )
        scenes = tuple(row.id for row in rows if isinstance(row, SceneRow))
        self._derived.ask(scenes=scenes, media=tuple(row.id for row in rows if isinstance(row, MediumRow)))

    def _known(self, kind: str, facet: str) -> list[str]:
        answer = self._listings[kind].answer
        return [count.value for count in answer.facets[facet]] if answer else []

    def _open_with_rows(self, entity: str, call: Callable[[list[Row]], None]) -> None:
        """Read the selected rows off the GUI thread, then open a dialog about them."""
        self._with_rows(entity, self._listings[entity].table.selected_numbers(), call, channel=OPENING)

    def _with_rows(
        self, entity: str, numbers: Numbers, call: Callable[[list[Row]], None], *, channel: str | None = None
    ) -> None:
        """Read the rows of a selection of any size off the GUI thread, then call the next step."""
        if self._controller.session is not None:
            question = partial(read_rows, kind=self._listings[entity].kind, numbers=numbers)
            self._bridge.query(self._controller.session, question, done=call, channel=channel)


def _read_media(reader: Reader, *, media: tuple[str, ...]) -> list[Medium]:
    return list(reader.records(Medium, ids=list(media)))


def read_rows(reader: Reader, *, kind: RecordTypeView, numbers: Numbers) -> list[Row]:
    """Return the rows of a selection, ordered by row number; called on the reading thread."""
    starts = range(0, len(numbers), CHUNK)
    return [row for start in starts for row in kind.rows(reader, numbers[start : start + CHUNK])]
