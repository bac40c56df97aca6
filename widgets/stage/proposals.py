"""Decisions on proposed regions by key: accept, refuse, and go to the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from annotator.commands.ground_proposals import ProposeInOtherViews
from annotator.commands.proposals import AcceptProposals, RefuseProposals
from annotator.domain.tracks import frame_of
from widgets.stage.canvas import StageCanvas
from widgets.stage.region_navigator import reveal
from widgets.stage.selection import selected_regions

if TYPE_CHECKING:
    from widgets.stage.stage import Stage

ProposalKey = tuple[StageCanvas, str]


class Proposals(QObject):
    """Accepts and refuses the proposals that a stage displays."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage

    def accept(self) -> None:
        """Accept the selected proposals and select the next one; without any, select the first."""
        chosen = self._chosen()
        # A display of model inputs is only left: no proposal was visible in it.
        if chosen and not self._stage.leave_model():
            # First: the next one is found from the chosen ones, which are no proposals once it is done.
            self._go_on(chosen)
            self._stage.send(AcceptProposals(regions=chosen, scene=self._stage.scene))
        elif not chosen:
            self._select_first(or_else=AcceptProposals(regions=()))

    def refuse(self) -> None:
        """Refuse the selected proposals and select the next one; without any, select the first."""
        chosen = self._chosen()
        if chosen and not self._stage.leave_model():
            self._go_on(chosen)
            self._stage.send(RefuseProposals(regions=chosen))
        elif not chosen:
            self._select_first(or_else=RefuseProposals(regions=()))

    def accept_in_view(self) -> None:
        """Accept all proposals in view; of a video, go to the next frame with proposals."""
        if self._stage.leave_model():
            return
        ids = tuple(one for _, one in self._in_view())
        following = self._next_frame()
        # Without any proposal the command says so.
        if ids or following is None:
            self._stage.send(AcceptProposals(regions=ids, scene=self._stage.scene))
        video = self._stage.player.leader()
        if following is not None and video is not None:
            self._stage.player.pause()
            self._stage.player.seek(video.time_of(following))

    def accept_all(self) -> None:
        """Accept all proposals of the scene, on all frames of its videos."""
        shown = self._stage.shown
        if shown is not None and not self._stage.leave_model():
            self._stage.send(
                AcceptProposals(
                    regions=tuple(region.id for region in shown.proposals), scene=self._stage.scene
                )
            )

    def propose_in_other_views(self) -> None:
        """Propose the selected regions of the front view, or all, in the views that share its ground."""
        front = self._stage.front
        if front is None or self._stage.leave_model():
            return
        here = [region.id for region in front.marks.marks.regions if not region.is_proposed]
        chosen = [one for one in here if one in self._stage.selected]
        frames = {canvas.medium: canvas.frame for canvas in self._stage.canvases}
        self._stage.send(
            ProposeInOtherViews(scene=self._stage.scene, regions=tuple(chosen or here), frames=frames)
        )

    def step(self, step: str) -> None:
        """Select the next ("1") or previous ("-1") proposal, across the views in order."""
        positions = self._in_view()
        if not positions:
            self._select_first(or_else=AcceptProposals(regions=()))
            return
        chosen = set(self._stage.selected)
        at = next((at for at, location in enumerate(positions) if location[1] in chosen), None)
        start = (-1 if int(step) > 0 else 0) if at is None else at
        self._select(positions[(start + int(step)) % len(positions)])

    def _chosen(self) -> tuple[str, ...]:
        return tuple(region.id for region in selected_regions(self._stage) if region.is_proposed)

    def _in_view(self) -> list[ProposalKey]:
        """Return the proposals in view, across the views from the front one on."""
        canvases, front = list(self._stage.canvases), self._stage.front
        at = canvases.index(front) if front in canvases else 0
        return [
            (canvas, region.id)
            for canvas in canvases[at:] + canvases[:at]
            if canvas.isVisible()
            for region in canvas.marks.marks.regions
            if region.is_proposed and region.id not in canvas.hidden_by_user
        ]

    def _go_on(self, chosen: tuple[str, ...]) -> None:
        """Select the proposal after the chosen ones, so that the next key decides on it."""
        positions = self._in_view()
        last = max((at for at, location in enumerate(positions) if location[1] in chosen), default=-1)
        following = [
            location
            for location in positions[last + 1 :] + positions[: last + 1]
            if location[1] not in chosen
        ]
        if following:
            self._select(following[0])

    def _select_first(self, *, or_else: AcceptProposals | RefuseProposals) -> None:
        positions = self._in_view()
        if positions:
            self._select(positions[0])
        else:
            # There is nothing to decide on, and the command says so.
            self._stage.send(or_else)

    def _select(self, location: ProposalKey) -> None:
        canvas, region = location
        self._stage.viewports.bring(canvas)
        self._stage.select([region])
        self._stage.focus_view()
        reveal(canvas, region)

    def _next_frame(self) -> int | None:
        """Return the next frame of the leading video that has proposals, or None."""
        video, shown = self._stage.player.leader(), self._stage.shown
        canvas = next((one for one in self._stage.canvases if one.video is video), None)
        if video is None or shown is None or canvas is None:
            return None
        frames = (frame_of(region) for region in shown.proposals if region.medium == canvas.medium)
        return min((frame for frame in frames if frame > (canvas.frame or 0)), default=None)
