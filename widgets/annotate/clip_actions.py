"""Makes clips of the video in front, from the marked range of the timeline."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from annotator.commands.clips import ClipRequest, MadeClip, MakeClips
from annotator.domain.changes import Changes
from annotator.media.video.clip_plan import ClipPlan, ending_of, plan_clip
from annotator.media.video.video import Video
from annotator.session import Session
from widgets import display_text
from widgets.annotate.clip_dialog import ClipDialog
from widgets.annotate.clip_facts import ClipFacts, read_clip_facts, read_name_problem
from widgets.bridge import Bridge
from widgets.dialog import OPENING
from widgets.library.reports import OperationReport
from widgets.message_text import message_text
from widgets.project_controller import ProjectController
from widgets.report_dialog import ReportSection
from widgets.stage.stage import Stage
from widgets.task import while_exists
from widgets.translation import tr


class ClipActions(QObject):
    """Opens the dialog for a clip, and cuts the clip off the GUI thread."""

    def __init__(
        self, stage: Stage, *, session: Session, controller: ProjectController, bridge: Bridge
    ) -> None:
        super().__init__(stage)
        self._stage, self._session = stage, session
        self._controller, self._bridge = controller, bridge

    def ask_clip(self) -> None:
        """Ask about a clip of the marked range; without marks, of the whole video."""
        video, shown = self._stage.player.leader(), self._stage.shown
        if video is None or video.video is None or shown is None:
            return
        self._stage.player.pause()
        question = partial(read_clip_facts, medium=video.shown.medium.id, scene=shown.scene.id)
        player = self._stage.player
        first = video.number_at(player.in_s) if player.in_s is not None else 0
        last = video.number_at(player.out_s) if player.out_s is not None else video.video.frame_count - 1
        # A mark on another video can lie beyond this one.
        show = partial(self._open, video=video.video, first=min(first, last), last=last)
        self._bridge.query(self._session, question, done=show, channel=OPENING)

    def make(self, request: ClipRequest, *, plan: ClipPlan | None = None) -> None:
        """Cut a clip.

        Args:
            request: The clip.
            plan: What the user was told about the cut; a different result is reported.
        """
        command = MakeClips(clips=(request,), roots=self._session.roots)
        work = self._controller.execute(command, title=display_text.command_summary_text(command.summary))
        work.finished.connect(while_exists(self, partial(self._on_made, command, request, plan)))

    def _open(self, facts: ClipFacts, *, video: Video, first: int, last: int) -> None:
        dialog = ClipDialog(self._stage.window(), facts=facts, video=video, first=first, last=last)
        dialog.plan_requested.connect(partial(self._plan, dialog, video))
        dialog.name_changed.connect(partial(self._check_name, dialog, facts.medium.dataset))
        dialog.submitted.connect(partial(self._on_submitted, dialog))
        dialog.ask_plan()
        dialog.open(dialog.name)

    def _plan(self, dialog: ClipDialog, video: Video, first: int, last: int) -> None:
        call = partial(plan_clip, video, first, last=last, ending=ending_of(video))
        work = self._controller.run_quietly(call)
        self._bridge.wait_for(
            work, done=dialog.show_plan, failed=dialog.show_plan_error, channel=(id(self), "plan")
        )

    def _check_name(self, dialog: ClipDialog, dataset: str, name: str) -> None:
        question = partial(read_name_problem, name=name, dataset=dataset)
        show = partial(dialog.show_name_problem, name)
        self._bridge.query(self._session, question, done=show, channel=(id(self), "name"))

    def _on_submitted(self, dialog: ClipDialog, request: ClipRequest) -> None:
        self.make(request, plan=dialog.plan)

    def _on_made(
        self, command: MakeClips, request: ClipRequest, plan: ClipPlan | None, _changes: Changes
    ) -> None:
        (made,) = command.made
        if plan is not None and not _is_as_planned(made, request, plan):
            self._report(made)

    def _report(self, made: MadeClip) -> None:
        how = (
            tr("It was cut without re-encoding.")
            if made.is_copied
            else tr("It was re-encoded: {why}.", why=message_text(made.why))
        )
        frames = tr("It shows the frames {first} to {last}.", first=f"{made.first:,}", last=f"{made.last:,}")
        section = ReportSection(title=made.name, note=f"{frames} {how}")
        title = tr("The clip was cut in another way")
        subtitle = tr("Only the cut itself showed that the planned one gives wrong frames.")
        report = OperationReport(
            self._stage.window(), title=title, subtitle=subtitle, figures=[], sections=[section]
        )
        report.open_report()


def _is_as_planned(made: MadeClip, request: ClipRequest, plan: ClipPlan) -> bool:
    if request.is_widened:
        return made.is_copied and (made.first, made.last) == plan.wider
    # Re-encoding of the very frames is announced unless they can be copied.
    return made.is_copied == (not plan.why)
