"""Answers the prompts of an annotation tool with outlines; runs in a process of its own, beside the window.

One request a line, as JSON, and one reply a line. A crash of the runtime ends this process and no edit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from annotator.errors import VantageError
from annotator.jobs.request_key import digest
from annotator.media.content_hash import DigestCache
from annotator.media.embedding_cache import EmbeddingCache
from annotator.media.image_decoder import decode_image
from annotator.media.mask_outline import TOLERANCE_PX, outline_of
from annotator.media.video.frames import Rgb
from annotator.media.video.video import Video
from annotator.model_api import ImageEmbedding, Segmenter
from annotator.progress import Progress
from annotator.segment_prompt import SegmentPrompt, SegmentReply, SegmentRequest

log = logging.getLogger(__name__)


class SegmentServer:
    """Answers requests one after the other; the embedding of the last image stays in memory.

    Args:
        model: The segmenter.
        cache: Embeddings of earlier images.
    """

    def __init__(self, model: Segmenter, *, cache: EmbeddingCache) -> None:
        self._model, self._cache = model, cache
        self._digests = DigestCache()
        self._latest: tuple[str, ImageEmbedding] | None = None

    def serve(self, lines: Iterable[bytes], *, write: Callable[[bytes], None]) -> None:
        """Answer requests until there are no more."""
        for line in lines:
            for reply in self._replies_to_line(line):
                write(msgspec.json.encode(reply) + b"\n")

    def _replies_to_line(self, line: bytes) -> Iterator[SegmentReply]:
        try:
            request = msgspec.json.decode(line, type=SegmentRequest)
        except msgspec.MsgspecError as error:
            message = f"The request is not valid: {error}."
            yield SegmentReply(number=0, error=message)
            return
        yield from self.replies(request)

    def replies(self, request: SegmentRequest) -> Iterator[SegmentReply]:
        """Yield the replies to a request; the last one has the outline, or the reason why there is none."""
        try:
            key = self._key(request)
            if self._latest is None or self._latest[0] != key:
                yield SegmentReply(number=request.number, phase="embedding")
                self._latest = key, self._embedding(request, key=key)
            yield self._reply(request, self._latest[1])
        except VantageError as error:
            yield SegmentReply(number=request.number, error=error.message, hint=error.hint)
        except Exception as error:
            # The process goes on: the embedding stays in memory, and the next request may succeed.
            log.exception("A prompt cannot be answered")
            message = f"The segmenter failed: {type(error).__name__}: {error}."
            hint = "Check the files of the segmenter under Models."
            yield SegmentReply(number=request.number, error=message, hint=hint)

    def _reply(self, request: SegmentRequest, embedding: ImageEmbedding) -> SegmentReply:
        mask = self._model.segment(embedding, request.prompt)
        prompt, identity = request.prompt, self._model.identity
        corners = outline_of(
            mask.values,
            size_px=embedding.size_px,
            points=_points_inside(prompt),
            tolerance_px=float(identity.parameters.get("tolerance_px", TOLERANCE_PX)),
        )
        return SegmentReply(
            number=request.number,
            corners=corners,
            score=mask.score,
            model=f"{identity.name} {identity.revision}".strip(),
        )

    def _embedding(self, request: SegmentRequest, *, key: str) -> ImageEmbedding:
        known = self._cache.get(key)
        if known is not None:
            return known
        embedding = self._model.embed(_picture(request))
        self._cache.keep(key, embedding)
        return embedding

    def _key(self, request: SegmentRequest) -> str:
        """Return the key of an image's embedding: the content of file, encoder and decoder, and the frame.

        The decoder decides how the image is scaled and which outputs of the encoder are kept.
        """
        identity = self._model.identity
        content = self._digests.digest(Path(request.file), progress=Progress())
        options = {name: identity.parameters.get(name) for name in ("size", "decoder_sha256")}
        return digest({"image": content, "frame": request.frame, "encoder": identity.sha256, **options})


def _points_inside(prompt: SegmentPrompt) -> list[tuple[float, float]]:
    """Return the points that lie on the object: the positive ones, and the centre of the box."""
    inside = [point for point, label in zip(prompt.points, prompt.labels, strict=True) if label]
    if prompt.box is not None:
        x1, y1, x2, y2 = prompt.box
        inside.append(((x1 + x2) / 2, (y1 + y2) / 2))
    return inside


def _picture(request: SegmentRequest) -> Rgb:
    path = Path(request.file)
    if request.frame is not None:
        # Closed at once: a decoder refers to itself, and would stay in memory for long.
        with closing(Video.open(path)) as video:
            return video.frame(request.frame).rgb()
    return decode_image(path)
