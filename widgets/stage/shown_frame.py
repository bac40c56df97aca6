"""The state displayed by a view at one time."""

from __future__ import annotations

from dataclasses import dataclass

from widgets.stage.pyramid import StageImage


@dataclass(frozen=True, kw_only=True, eq=False)
class ShownFrame:
    """The displayed image of a view.

    Attributes:
        picture: The image.
        frame: Frame number, None for a still.
        is_damaged: Whether the file is damaged at the frame, so that parts of the image can be wrong.
        is_preview: Whether it is a preview of an image that is still being decoded.
        model: The model's input, if that is displayed instead.
    """

    picture: StageImage
    frame: int | None = None
    is_damaged: bool = False
    is_preview: bool = False
    model: StageImage | None = None
