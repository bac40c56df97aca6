"""Assigns the sample of the human reference: asks for persons and numbers, draws, and counts in advance."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.commands.assignments import AssignRecords
from annotator.domain.actor import Actor
from annotator.edits.people import find_people
from annotator.quality.human_reference.sample import ROLE, plan_reference
from annotator.queries.reader import Reader
from widgets.bridge import Bridge
from widgets.dialog import OPENING
from widgets.project_controller import ProjectController
from widgets.reference_dialog import DrawnSample, ReferenceDialog, SampleRequest
from widgets.translation import tr


class ReferenceSample(QObject):
    """Opens the dialog, draws the sample on the reading thread, and assigns it."""

    def __init__(
        self, *, controller: ProjectController, bridge: Bridge, window: QWidget, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._controller, self._bridge, self._window = controller, bridge, window

    def ask_sample(self) -> None:
        """Ask who answers which share of the items."""
        if self._controller.session is not None:
            self._bridge.query(self._controller.session, _read_people, done=self._open, channel=OPENING)

    def _open(self, names: list[str]) -> None:
        sheet = ReferenceDialog(self._window, names=names)
        sheet.draw_requested.connect(partial(self._draw, sheet))
        sheet.submitted.connect(self._assign)
        sheet.open(sheet.people)
        sheet.request()

    def _draw(self, sheet: ReferenceDialog, request: SampleRequest) -> None:
        if self._controller.session is not None:
            self._bridge.query(
                self._controller.session,
                partial(draw_sample, request=request, executing=self._controller.session.actor),
                done=partial(sheet.show_sample, request),
                failed=sheet.show_failure,
                channel=(id(self), "sample"),
            )

    def _assign(self, drawn: DrawnSample) -> None:
        command = AssignRecords(entity="item", role=ROLE, pairs=drawn.plan.pairs, people=drawn.new)
        self._controller.execute(command, title=tr("Assigning items"))


def draw_sample(reader: Reader, *, request: SampleRequest, executing: Actor) -> DrawnSample:
    """Draw a sample for the person at the window; called on the reading thread.

    Raises:
        UserError: Several persons have a name, or there are too few of them or no items.
    """
    with reader.snapshot():
        people, new = find_people(request.names, reader, may_be_new=True, executing=executing)
        plan = plan_reference(
            reader,
            [person.id for person in people],
            share=request.share,
            per_item=request.per_item,
            seed=request.seed,
        )
    return DrawnSample(plan=plan, new=new)


def _read_people(reader: Reader) -> list[str]:
    return sorted({actor.name for actor in reader.records(Actor) if actor.role == "person"}, key=str.casefold)
