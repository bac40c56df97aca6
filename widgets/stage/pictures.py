"""Whole pictures for the stage: decoded and halved off the GUI thread, the next scene's ahead of time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from annotator.domain.medium import FILM_KINDS
from annotator.errors import VantageError
from annotator.media.render import Marks, Rendering
from widgets.bridge import Bridge
from widgets.shown_medium import ShownMedium
from widgets.stage.films import Films
from widgets.stage.preview import Preview, has_preview, kept_preview, quick_preview
from widgets.stage.pyramid import Picture, Pyramid, make_pyramid
from widgets.translation import tr

KEPT_BYTES = 900_000_000
"""Of pictures with their halves: 12 of 4000 x 2250; the newest one is kept whatever it takes."""
THREADS = 2
NO_PICTURES = frozenset({"trajectory"})


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What came of loading a picture.

    Attributes:
        pyramid: The picture, None where there is none.
        problem: Why there is none, in words.
    """

    pyramid: Pyramid | None
    problem: str = ""


class StagePictures:
    """Loads pictures on threads of its own and keeps the last ones by their bytes."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._pool = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="vantage-stage")
        # One of its own: the others may be busy with pictures of the next scene.
        self._previews = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vantage-stage-preview")
        self._kept: OrderedDict[Path, Loaded] = OrderedDict()
        self._coming: dict[Path, Future[Loaded]] = {}
        self.films = Films(bridge)

    def load(
        self,
        shown: ShownMedium,
        *,
        done: Callable[[Loaded], None],
        previewed: Callable[[Preview | None], None],
    ) -> None:
        """Give a medium's picture to a method of a widget: at once where it is kept, else later.

        Args:
            shown: The medium.
            done: Takes the picture.
            previewed: Takes what stands in for a large one until then; once, twice or never.
        """
        if shown.file is None:
            done(Loaded(pyramid=None, problem=tr("File is outside the media folder")))
        elif shown.medium.kind in NO_PICTURES:
            done(Loaded(pyramid=None, problem=tr("No preview of this kind of medium")))
        elif (kept := self._kept.get(shown.file)) is not None:
            self._kept.move_to_end(shown.file)
            done(kept)
        else:
            self._bridge.wait_for(self._fetch(shown.file), done=done)
            for preview in (kept_preview, quick_preview) if has_preview(shown.medium) else ():
                future = self._previews.submit(preview, shown.medium, shown.file)
                self._bridge.wait_for(future, done=previewed)

    def prefetch(self, media: Sequence[ShownMedium]) -> None:
        """Load pictures that may be wanted next; of films the first one is prepared."""
        films = [shown for shown in media if shown.medium.kind in FILM_KINDS]
        for shown in films[:1]:
            self.films.prepare(shown)
        for shown in media:
            is_wanted = shown.medium.kind not in NO_PICTURES | FILM_KINDS
            if is_wanted and shown.file not in self._kept and shown.file is not None:
                self._fetch(shown.file)

    def render(
        self, picture: Picture, *, marks: Marks, rendering: Rendering, done: Callable[[Pyramid], None]
    ) -> None:
        """Draw a picture as the model sees it, and give it to who asked."""
        future = self._pool.submit(_render, picture, marks=marks, rendering=rendering)
        self._bridge.wait_for(future, done=done)

    def forget(self) -> None:
        """Keep nothing: files may lie elsewhere now."""
        self._kept.clear()

    def close(self) -> None:
        """Load nothing more, and show no film."""
        self.films.close()
        for pool in (self._pool, self._previews):
            pool.shutdown(wait=True, cancel_futures=True)

    def _fetch(self, file: Path) -> Future[Loaded]:
        if file not in self._coming:
            future = self._coming[file] = self._pool.submit(read_loaded, file)
            self._bridge.wait_for(future, done=partial(self._keep, file))
        return self._coming[file]

    def _keep(self, file: Path, loaded: Loaded) -> None:
        del self._coming[file]
        if loaded.pyramid is None:
            return
        self._kept[file] = loaded
        size = sum(kept.pyramid.size_bytes for kept in self._kept.values() if kept.pyramid is not None)
        while size > KEPT_BYTES and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            size -= oldest.pyramid.size_bytes if oldest.pyramid is not None else 0


def read_loaded(file: Path) -> Loaded:
    """Decode a picture and halve it; may be called on any thread."""
    # Its libraries take a tenth of a second to import, which the start of the window does not have.
    from annotator.media.pictures import decode_picture

    if not file.exists():
        return Loaded(pyramid=None, problem=tr("Medium missing"))
    try:
        return Loaded(pyramid=make_pyramid(decode_picture(file)))
    except VantageError as error:
        return Loaded(pyramid=None, problem=str(error))


def _render(picture: Picture, *, marks: Marks, rendering: Rendering) -> Pyramid:
    from annotator.media.render import render

    return make_pyramid(render(picture.pixels, marks=marks, rendering=rendering))
