from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from annotator.domain.profile import ModelProfile
from annotator.jobs.segment_requests import SegmentServer
from annotator.media.embedding_cache import EmbeddingCache
from annotator.media.video.video import Video
from annotator.model_api import ImageEmbedding, SegmentedMask
from annotator.segment_prompt import SegmentPrompt, SegmentReply, SegmentRequest
from models.segmenter import OnnxSegmenter, open_model
from tests.guards import Messages
from tests.onnx_writer import colour_segmenter
from tests.unit.models.test_segmenter import Rgb, picture

RED = SegmentPrompt(points=((96.0, 64.0),), labels=(1,))


class CountingSegmenter:
    """A segmenter that counts the images it was given."""

    def __init__(self, model: OnnxSegmenter) -> None:
        self._model, self.identity = model, model.identity
        self.embedded = 0

    def embed(self, image: Rgb) -> ImageEmbedding:
        self.embedded += 1
        return self._model.embed(image)

    def segment(self, embedding: ImageEmbedding, prompt: SegmentPrompt) -> SegmentedMask:
        return self._model.segment(embedding, prompt)

    def close(self) -> None:
        self._model.close()


class OfDecoder:
    """A segmenter with the same encoder, and a decoder that takes an output of another name."""

    def __init__(self, model: CountingSegmenter, *, name: str) -> None:
        self._model, self._name = model, name
        parameters = {**model.identity.parameters, "decoder_sha256": name}
        self.identity = msgspec.structs.replace(model.identity, parameters=parameters)

    def embed(self, image: Rgb) -> ImageEmbedding:
        (values,) = (found := self._model.embed(image)).arrays.values()
        return replace(found, arrays={self._name: values})

    def segment(self, embedding: ImageEmbedding, prompt: SegmentPrompt) -> SegmentedMask:
        arrays = {"image_embeddings": embedding.arrays[self._name]}
        return self._model.segment(replace(embedding, arrays=arrays), prompt)

    def close(self) -> None:
        self._model.close()


@pytest.fixture
def model(tmp_path: Path) -> CountingSegmenter:
    encoder, _ = colour_segmenter(tmp_path / "models")
    return CountingSegmenter(open_model(ModelProfile(name="tiny", adapter="sam-onnx", path=str(encoder))))


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), cv2.cvtColor(picture(), cv2.COLOR_RGB2BGR))
    return path


def answers(server: SegmentServer, *requests: SegmentRequest) -> list[SegmentReply]:
    written: list[bytes] = []
    server.serve([msgspec.json.encode(one) + b"\n" for one in requests], write=written.append)
    return [msgspec.json.decode(line, type=SegmentReply) for line in written]


def test_image_when_prompted_again_then_is_embedded_once_also_for_the_next_process(
    model: CountingSegmenter, image: Path, tmp_path: Path
) -> None:
    requests = [SegmentRequest(number=n, file=str(image), prompt=RED) for n in (1, 2)]
    for _ in range(2):
        server = SegmentServer(model, cache=EmbeddingCache(tmp_path / "cache"))
        phase, first, second = answers(server, *requests)
        assert (phase.number, phase.phase) == (1, "embedding")
        assert (first.number, second.number) == (1, 2)
        assert first.corners == second.corners
        assert (first.model, first.score) == ("tiny.encoder", 0.75)
    assert model.embedded == 1


def test_image_when_its_content_changes_then_is_embedded_again(
    model: CountingSegmenter, image: Path, tmp_path: Path
) -> None:
    server = SegmentServer(model, cache=EmbeddingCache(tmp_path / "cache"))
    before = answers(server, SegmentRequest(number=1, file=str(image), prompt=RED))[-1]
    cv2.imwrite(str(image), cv2.cvtColor(picture()[::-1, ::-1].copy(), cv2.COLOR_RGB2BGR))
    after = answers(server, SegmentRequest(number=2, file=str(image), prompt=RED))[-1]
    assert model.embedded == 2
    assert before.corners != after.corners


def test_outline_when_the_person_sets_a_tolerance_then_has_fewer_corners(image: Path, tmp_path: Path) -> None:
    disc = np.full((256, 256, 3), (30, 40, 220), np.uint8)
    cv2.circle(disc, (128, 128), 80, (220, 30, 30), cv2.FILLED)
    cv2.imwrite(str(image), disc[..., ::-1])
    encoder, _ = colour_segmenter(tmp_path / "models")
    counts = []
    for tolerance_px in (1.0, 8.0):
        options = {"tolerance_px": tolerance_px}
        profile = ModelProfile(name="tiny", adapter="sam-onnx", path=str(encoder), options=options)
        server = SegmentServer(open_model(profile), cache=EmbeddingCache(tmp_path / "cache"))
        prompt = SegmentPrompt(points=((128.0, 128.0),), labels=(1,))
        reply = answers(server, SegmentRequest(number=1, file=str(image), prompt=prompt))[-1]
        counts.append(len(reply.corners))
    assert 4 <= counts[1] < counts[0]


def test_request_when_its_file_is_gone_then_is_answered_with_words_and_the_next_one_as_well(
    model: CountingSegmenter, image: Path, tmp_path: Path
) -> None:
    server = SegmentServer(model, cache=EmbeddingCache(tmp_path / "cache"))
    gone = SegmentRequest(number=1, file=str(tmp_path / "gone.png"), prompt=RED)
    replies = answers(server, gone, SegmentRequest(number=2, file=str(image), prompt=RED))
    assert "gone.png" in replies[0].error
    assert replies[-1].corners


def test_prompt_when_nothing_is_there_then_the_outline_is_empty(
    model: CountingSegmenter, image: Path, tmp_path: Path
) -> None:
    server = SegmentServer(model, cache=EmbeddingCache(tmp_path / "cache"))
    nothing = SegmentPrompt(points=((96.0, 64.0),), labels=(0,))
    reply = answers(server, SegmentRequest(number=1, file=str(image), prompt=nothing))[-1]
    assert (reply.corners, reply.error) == ((), "")


def test_image_when_the_decoder_changes_then_is_embedded_for_the_new_one(
    model: CountingSegmenter, image: Path, tmp_path: Path
) -> None:
    request = SegmentRequest(number=1, file=str(image), prompt=RED)
    for name in ("one", "other", "one"):
        server = SegmentServer(OfDecoder(model, name=name), cache=EmbeddingCache(tmp_path / "cache"))
        assert answers(server, request)[-1].corners
    assert model.embedded == 2


def test_request_when_the_model_fails_unexpectedly_then_is_answered_and_the_next_one_as_well(
    model: CountingSegmenter,
    image: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    guard_messages: Messages,
) -> None:
    guard_messages.allow("A prompt cannot be answered")
    server = SegmentServer(model, cache=EmbeddingCache(tmp_path / "cache"))
    request = SegmentRequest(number=1, file=str(image), prompt=RED)
    with monkeypatch.context() as patch:
        patch.setattr(model, "segment", lambda *_: {}["high_res_feats_0"])
        reply = answers(server, request)[-1]
    assert (reply.number, reply.error) == (1, "The segmenter failed: KeyError: 'high_res_feats_0'.")
    assert answers(server, request)[-1].corners


def test_serve_when_a_line_is_no_request_then_is_answered_and_the_next_one_as_well(
    model: CountingSegmenter, image: Path, tmp_path: Path
) -> None:
    server = SegmentServer(model, cache=EmbeddingCache(tmp_path / "cache"))
    written: list[bytes] = []
    good = msgspec.json.encode(SegmentRequest(number=2, file=str(image), prompt=RED))
    server.serve([b"no request\n", good], write=written.append)
    replies = [msgspec.json.decode(line, type=SegmentReply) for line in written]
    assert "is not valid" in replies[0].error
    assert replies[-1].corners


def test_frame_when_embedded_then_its_video_is_closed(
    model: CountingSegmenter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = tmp_path / "frames"
    frames.mkdir()
    for number in range(2):
        cv2.imwrite(str(frames / f"{number}.png"), cv2.cvtColor(picture(), cv2.COLOR_RGB2BGR))
    closed: list[Path] = []
    close = Video.close

    def noted(video: Video) -> None:
        closed.append(video.path)
        close(video)

    monkeypatch.setattr(Video, "close", noted)
    server = SegmentServer(model, cache=EmbeddingCache(tmp_path / "cache"))
    *_, reply = answers(server, SegmentRequest(number=1, file=str(frames), frame=1, prompt=RED))
    assert reply.corners
    assert closed == [frames]
