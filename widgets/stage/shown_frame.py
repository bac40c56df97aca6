"""What a view shows at one moment; all of it belongs together."""

from __future__ import annotations

from dataclasses import dataclass

from widgets.stage.pyramid import StageImage


@dataclass(frozen=True, kw_only=True, eq=False)
class ShownFrame:
    """A picture of a view.

    Attributes:
        picture: The picture itself.
        frame: Number of the frame that it is, None for a still.
        is_damaged: Whether the file is damaged where the frame was decoded, so that parts of it may be wrong.
        is_preview: Whether it stands in for the picture, which is still being decoded.
        model: What the renderer made of it, where that is shown in its place.
    """

    picture: StageImage
    frame: int | None = None
    is_damaged: bool = False
    is_preview: bool = False
    model: StageImage | None = None
