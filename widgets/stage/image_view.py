"""A view that displays an image of any size with its annotations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent

from annotator.domain.medium import Medium
from annotator.domain.region import Region
from annotator.media.render import Rendering
from widgets import theme
from widgets.medium_view import MediumView
from widgets.overlay_kinds import OverlayKinds
from widgets.stage.comment_pins import PinsAt, no_pins, paint_pins
from widgets.stage.highlights import paint_absence, paint_focus, paint_hovered, paint_selected
from widgets.stage.image_cache import LoadedImage
from widgets.stage.image_viewport import ImageViewport
from widgets.stage.link_lines import LinkLines
from widgets.stage.overlay_painter import OverlayState, PlacedLabel, paint_marks, paint_reprojected
from widgets.stage.preview import PreviewImage
from widgets.stage.pyramid import StageImage
from widgets.stage.repaint import PaintedView, repaint_marks
from widgets.stage.reprojected_regions import ReprojectedRegion
from widgets.stage.scene import StageScene
from widgets.stage.scene_overlays import scene_overlays, selected_reprojections
from widgets.stage.shown_frame import ShownFrame
from widgets.stage.text_badges import paint_number_badge
from widgets.stage.video_playback import Phase, VideoPlayback
from widgets.stage.view_annotations import NOTHING, ViewAnnotations
from widgets.translation import mark, tr

USUAL_SIZE = QSize(1920, 1080)
LATE_MS = 300
"""Loading time after which the view displays a loading message."""
PHASES: dict[Phase, str] = {"before": mark("not started"), "during": "", "after": mark("ended")}
"""Text in the corner of a video that begins later or has ended at the clock time."""


InterpolatedAt = Callable[[str, int | None], Sequence[ReprojectedRegion]]


def no_interpolation(_medium: str, _frame: int | None, /) -> Sequence[ReprojectedRegion]:
    """Return no interpolated boxes: the default for a view outside a stage."""
    return ()


class ImageView(ImageViewport):
    """Displays one medium with its annotations.

    A video frame counts as shown when it is painted. Frame number, annotations and image change together in
    that repaint.

    Signals:
        picture_shown: The image, or the reason why it is missing, is available.
        frame_painted: Another frame of the video has been painted.

    Attributes:
        shown: The medium.
        video: Its video; None for a still.
        scene: The scene of the view.
        companions: All views of the stage, whose regions can be reprojected into this one.
        lines: Connecting lines to linked regions of other views; None for a view outside a stage.
        interpolated_at: Returns the interpolated boxes of a medium on a frame.
        pins_at: Returns the pins of comments in a medium on a frame.
        showing: The displayed frame or still, or None.
        is_turned: Whether a new frame waits for the next repaint.
    """

    picture_shown = Signal()
    frame_painted = Signal()

    def __init__(self, shown: MediumView, *, video: VideoPlayback | None = None) -> None:
        medium = shown.medium
        super().__init__(QSize(medium.width_px, medium.height_px) if medium.width_px else USUAL_SIZE)
        self.shown, self.video = shown, video
        self.scene: StageScene | None = None
        self.companions: Sequence[ImageView] = ()
        self.lines: LinkLines | None = None
        self.showing: ShownFrame | None = None
        self._next: ShownFrame | None = None
        self.is_turned = False
        self.is_loading = self.is_rendering = self.is_late = False
        self.problem = ""
        self.marks: ViewAnnotations = NOTHING
        self.rendering: Rendering = "annotated"
        self.kinds = OverlayKinds()
        self.selected: frozenset[str] = frozenset()
        self.hidden: frozenset[str] = frozenset()
        self.hidden_by_user: frozenset[str] = frozenset()
        self.interpolated_at: InterpolatedAt = no_interpolation
        self.pins_at: PinsAt = no_pins
        self.hovered: Region | None = None
        self.setAccessibleName(f"{shown.view} {medium.name}".strip())
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.timeout.connect(self._on_late_timeout)

    @property
    def medium(self) -> str:
        """Id of the medium."""
        return self.shown.medium.id

    @property
    def picture(self) -> StageImage | None:
        """The displayed image, or None."""
        return self.showing.picture if self.showing is not None else None

    @property
    def model(self) -> StageImage | None:
        """The model's input made from the image, if that is displayed instead."""
        return self.showing.model if self.showing is not None else None

    @property
    def is_model_input(self) -> bool:
        """Whether the view shows, or is about to show, a model's input, over which no overlay is painted."""
        return self.model is not None or self.is_rendering

    @property
    def frame(self) -> int | None:
        """Number of the displayed frame, 0 before the first one; None for a still."""
        if self.video is None:
            return None
        return self.showing.frame if self.showing is not None else 0

    @property
    def left_out(self) -> frozenset[str]:
        """Ids of annotations that are not painted: hidden by the user, or painted by the current tool."""
        return self.hidden | self.hidden_by_user

    def begin_loading(self) -> None:
        """Wait for a still; after a delay the view says that it is being read."""
        self.is_loading = True
        self._late.start(LATE_MS)

    def stop_waiting(self) -> None:
        """Cancel the delayed loading message because the view is being removed."""
        self._late.stop()

    def take_loaded(self, loaded: LoadedImage) -> None:
        """Display a still, or the reason why it is missing."""
        self.is_loading = self.is_late = False
        self._late.stop()
        self.problem = loaded.problem
        if loaded.pyramid is not None:
            self.show_picture(ShownFrame(picture=loaded.pyramid))
        else:
            self.refresh()
        self.picture_shown.emit()

    def take_preview(self, preview: PreviewImage | None) -> None:
        """Display a preview until the still is loaded; of several previews, the one with the most pixels."""
        before = self.picture
        # A preview can arrive after the image itself.
        if not self.is_loading or preview is None:
            return
        if before is None or before.pixels.size < preview.pixels.size:
            self.show_picture(ShownFrame(picture=preview, is_preview=True))

    def show_picture(self, showing: ShownFrame) -> None:
        """Display an image.

        The view transform is kept if the image size is unchanged. A new frame waits for the next repaint.
        """
        self.take_image_size(showing.picture.width, showing.picture.height)
        # The same frame again is its model input, or the image without it. No frame number changes, so no
        # signal must be emitted.
        if showing.frame is None or (self.showing is not None and showing.frame == self.showing.frame):
            self._turn_to(showing)
        else:
            self._next = showing
            if self.lines is not None:
                self.lines.expect(self)
        self.refresh()

    def turn(self) -> None:
        """Switch image, frame number and annotations to the pending frame, if there is one."""
        if self._next is not None:
            self._turn_to(self._next)
            self.is_turned = True

    def show_scene(self, scene: StageScene) -> None:
        """Display the annotations of this medium in a scene, on the displayed frame."""
        before, self.scene = self.scene, scene
        marks = self.marks_at(self.frame)
        # Incremental repaints cover only the view's own annotations.
        if before is None or not scene.has_same_surroundings(before) or self.kinds.reprojected:
            self.refresh()
        if marks is not self.marks:
            self.show_marks(marks)
        # Overlays can depend on the annotations of other views.
        self.update()

    def marks_at(self, frame: int | None) -> ViewAnnotations:
        """Return the annotations of this medium on a frame."""
        return self.scene.view_marks(self.medium, frame) if self.scene is not None else NOTHING

    def show_marks(self, marks: ViewAnnotations) -> None:
        """Display annotations; an update of the displayed ones repaints only the differences."""
        self.take_marks(marks)
        self.update()

    def take_marks(self, marks: ViewAnnotations) -> None:
        """Set annotations that are painted together with their image."""
        self.marks = marks

    def show_kinds(self, kinds: OverlayKinds) -> None:
        """Set the overlays to paint."""
        self.kinds = kinds
        self.refresh()

    def ground(self) -> QImage:
        """Return the view without pointer feedback: image and annotations, device pixels."""
        # Images compare by identity: comparing pixels would cost more than the cache saves.
        key = (self.transform, self.showing, self.rendering, theme.current().name, self.is_model_input)
        painted = self._painted
        if painted is None or painted.key != key or not self._repaint(painted):
            painted = self._painted = self._paint_ground(key)
        return painted.image

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the view."""
        # First, so that image, number and annotations of a new frame are painted together.
        self.turn()
        with QPainter(self) as painter:
            self._paint(painter)
        # Emit after the painter has ended: a slot may repaint this view.
        if self.is_turned:
            self.is_turned = False
            self.frame_painted.emit()

    def has_regions(self) -> bool:
        """Return whether regions are painted, so that they can be clicked."""
        return not self.is_model_input and self.rendering != "clean" and self.kinds.regions

    def paint_draft(self, painter: QPainter) -> None:
        """Paint the draft of the current tool; the painter's unit is the device pixel."""

    def _turn_to(self, showing: ShownFrame) -> None:
        is_other = self.frame != showing.frame or self.showing is None
        # The cached image belongs to the previous frame.
        self.showing, self._next, self._painted = showing, None, None
        if self.video is not None and showing.frame is not None:
            self.video.painted = showing.frame
        if is_other and self.scene is not None:
            self.take_marks(self.marks_at(showing.frame))

    def _paint(self, painter: QPainter) -> None:
        ratio = self.ratio()
        if self.showing is None:
            is_waiting = self.is_late or (self.video is not None and bool(self.video.waiting))
            icon = "progress" if is_waiting else "picture-missing"
            paint_absence(painter, self.rect(), text=self._absence(), icon=icon)
        else:
            ground = self.ground()
            ground.setDevicePixelRatio(ratio)
            painter.drawImage(0, 0, ground)
            if self.is_model_input:
                # The pixels of a model's input must not be covered, not even by the focus frame.
                paint_focus(painter, self, free=self.picture_rect())
                return
            painter.scale(1 / ratio, 1 / ratio)
            self._paint_over(painter)
            painter.resetTransform()
        # Badges are painted in device-independent pixels again.
        if text := "   ".join(filter(None, corner_texts(self))):
            paint_number_badge(painter, text, x=6, y=6, ratio=ratio)
        paint_focus(painter, self)

    def _paint_ground(self, key: object) -> PaintedView:
        image = QImage(self.transform.width, self.transform.height, QImage.Format.Format_RGB32)
        image.fill(theme.current().color("bg"))
        with QPainter(image) as painter:
            self._paint_picture(painter)
        plates: list[PlacedLabel] = []
        # A model's input already contains its annotations, drawn by the renderer.
        if not self.is_model_input:
            plates = paint_marks(
                image,
                self.marks,
                transform=self.transform,
                state=_overlay_state(self),
                overlays=scene_overlays(self),
            )
        return PaintedView(key=key, image=image, marks=self.marks, hidden=self.left_out, plates=plates)

    def _paint_picture(self, painter: QPainter) -> None:
        shown = self.model or self.picture
        if shown is not None:
            shown.paint(painter, self.transform)

    def _repaint(self, painted: PaintedView) -> bool:
        """Update the cached image incrementally; return whether that was possible."""
        if self.is_model_input or painted.is_of(self.marks, hidden=self.left_out):
            return True
        return repaint_marks(
            painted,
            self.marks,
            transform=self.transform,
            state=_overlay_state(self),
            overlays=scene_overlays(self),
            paint_picture=self._paint_picture,
        )

    def _paint_over(self, painter: QPainter) -> None:
        """Paint pointer feedback; the painter's unit is the device pixel."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ratio = self.ratio()
        if chosen := self.selected - self.left_out:
            paint_selected(painter, self.marks, chosen, transform=self.transform, ratio=ratio)
        interpolated = self.interpolated_at(self.medium, self.frame) if self.has_regions() else ()
        for region in (*selected_reprojections(self), *interpolated):
            paint_reprojected(painter, region, transform=self.transform, ratio=ratio)
        if self.lines is not None:
            self.lines.paint(painter, self)
        paint_pins(painter, self.pins_at(self.medium, self.frame), transform=self.transform, ratio=ratio)
        self.paint_draft(painter)
        if self.hovered is not None and self.hovered.id not in self.left_out:
            size = self.transform.width, self.transform.height
            paint_hovered(painter, self.hovered, rect=self.region_rect(self.hovered), size=size, ratio=ratio)

    def _on_late_timeout(self) -> None:
        self.is_late = True
        self.refresh()

    def _absence(self) -> str:
        """Return the reason why there is no image, or "" if it is unknown."""
        if self.video is not None:
            return self.video.problem or self.video.waiting
        return _reading(self.shown.medium) if self.is_late else self.problem


def has_failed(view: ImageView) -> bool:
    """Return whether a view shows the reason why there is no image."""
    problem = view.video.problem if view.video is not None else view.problem
    return bool(problem) and view.showing is None


def corner_texts(view: ImageView) -> tuple[str, ...]:
    """Return the texts in the corner of a view: view name, frame number and special states."""
    video = view.video
    has_number = video is not None and view.showing is not None
    return (
        view.shown.view,
        tr("frame {n}", n=f"{view.frame:,}") if has_number else "",
        PHASES[video.phase] and tr(PHASES[video.phase]) if video is not None else "",
        video.problem if video is not None and has_number else "",
        tr("may be damaged") if view.showing is not None and view.showing.is_damaged else "",
        _reading(view.shown.medium) if view.showing is not None and view.is_late else "",
        view.problem if view.showing is not None else "",
    )


def _overlay_state(view: ImageView) -> OverlayState:
    return OverlayState(rendering=view.rendering, ratio=view.ratio(), hidden=view.left_out, kinds=view.kinds)


def _reading(medium: Medium) -> str:
    if not medium.width_px:
        return tr("Loading the image")
    return tr("Loading the image ({n} megapixels)", n=f"{medium.width_px * medium.height_px / 1e6:.0f}")
