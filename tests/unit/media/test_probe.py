from __future__ import annotations

import hashlib
import json
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from PIL import Image

from annotator.domain.medium import Medium
from annotator.errors import Cancelled, EnvironmentFailure
from annotator.media.content_hash import CHUNK_BYTES
from annotator.media.probe import is_video_head, probe_media
from annotator.progress import Progress


def _draw(path: Path, *, shade: int = 0, size: tuple[int, int] = (8, 6)) -> str:
    """Write a picture and return its digest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = cv2.imencode(".png", np.full((size[1], size[0], 3), shade, np.uint8))[1].tobytes()
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def test_facts_of_a_picture_when_read_then_tell_digest_and_size(tmp_path: Path) -> None:
    digest = _draw(tmp_path / "a.png", size=(40, 30))
    facts = probe_media(tmp_path / "a.png")
    assert (facts.sha256, facts.width_px, facts.height_px) == (digest, 40, 30)
    assert facts.size_bytes == (tmp_path / "a.png").stat().st_size


def test_facts_of_a_video_when_read_then_tell_the_size_of_its_frames(shared_data: Path) -> None:
    facts = probe_media(shared_data / "media" / "videos" / "drone_hills_720p.mp4", kind="video")
    assert (facts.width_px, facts.height_px) == (1280, 720)


def test_facts_of_a_broken_video_when_read_then_size_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"no video at all")
    facts = probe_media(tmp_path / "a.mp4", kind="video")
    assert (facts.width_px, facts.size_bytes) == (0, 15)


def test_facts_of_a_frame_folder_when_a_frame_is_renamed_then_digest_changes(tmp_path: Path) -> None:
    for number in range(3):
        _draw(tmp_path / "clip" / f"{number}.png", shade=number)
    before = probe_media(tmp_path / "clip", kind="frames")
    (tmp_path / "clip" / "2.png").rename(tmp_path / "clip" / "3.png")
    after = probe_media(tmp_path / "clip", kind="frames")
    assert (before.width_px, before.size_bytes) == (8, after.size_bytes)
    assert before.sha256 != after.sha256


def test_facts_of_an_absent_file_when_read_then_host_error_names_it(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"gone\.png"):
        probe_media(tmp_path / "gone.png")


@pytest.mark.parametrize(
    ("name", "form", "coding"),
    [
        ("a.jpg", "JPEG", "JPEG"),
        ("lies.png", "JPEG", "JPEG"),
        ("lies.jpg", "PNG", "PNG"),
        ("a.webp", "WEBP", "WEBP"),
        ("a.bmp", "BMP", "BMP"),
        ("a.tif", "TIFF", "TIFF"),
        ("no ending", "PNG", "PNG"),
    ],
)
def test_facts_of_a_picture_when_its_name_lies_then_its_content_tells(
    tmp_path: Path, name: str, form: str, coding: str
) -> None:
    Image.new("RGB", (40, 30), (200, 10, 10)).save(tmp_path / name, format=form)
    facts = probe_media(tmp_path / name)
    assert (facts.media_type, facts.encoding, facts.width_px, facts.height_px) == ("image", coding, 40, 30)
    assert facts.damage == ""


@pytest.mark.parametrize("form", ["JPEG", "TIFF", "PNG", "WEBP"])
def test_facts_of_a_picture_when_exif_turns_it_then_size_is_that_of_the_upright_one(
    tmp_path: Path, form: str
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (40, 30)).save(tmp_path / "a", format=form, exif=exif)
    facts = probe_media(tmp_path / "a")
    assert (facts.width_px, facts.height_px) == (30, 40)


def test_facts_of_real_aerial_pictures_when_read_then_tell_time_place_and_camera(shared_data: Path) -> None:
    facts = probe_media(shared_data / "media" / "images" / "DJI_0024.JPG", is_hashed=False)
    assert (facts.encoding, facts.width_px, facts.height_px) == ("MPO", 4000, 2250)
    # The file's DateTime says 19:24:38, when it was copied; the shot itself was taken before.
    assert facts.captured_at == "2016-06-23T16:32:43"
    assert facts.latitude_deg == pytest.approx(46.8428646)
    assert facts.longitude_deg == pytest.approx(-91.9936967)
    assert facts.altitude_m == pytest.approx(198.409)
    assert facts.exif["Make"] == "DJI"
    assert facts.sha256 == ""


def test_facts_of_every_real_file_when_read_then_are_a_mediums_json(shared_data: Path) -> None:
    files = [*(shared_data / "media").glob("*/*.[JjPp][PpNn][Gg]"), *(shared_data / "media").glob("*/*.mp4")]
    assert len(files) > 15
    for file in files:
        facts = probe_media(file, is_hashed=False)
        assert bool(facts.damage) == (file.name == "damaged_truncated.mp4")
        assert json.loads(json.dumps(facts.exif)) == facts.exif
        assert Medium(name=file.name, **facts.medium_values()).size_bytes == file.stat().st_size


def test_facts_of_a_damaged_video_when_read_then_words_say_so(shared_data: Path) -> None:
    facts = probe_media(shared_data / "media" / "videos" / "damaged_truncated.mp4")
    assert facts.damage == (
        "damaged_truncated.mp4 cannot be read as a video: Invalid data found when processing input."
    )
    assert len(facts.sha256) == 64


@pytest.mark.parametrize("content", [b"", b"no picture", b"\xff\xd8\xff\xe0 cut", b"\x89PNG\r\n\x1a\n"])
def test_facts_of_what_is_no_picture_when_read_then_words_say_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.jpg").write_bytes(content)
    facts = probe_media(tmp_path / "a.jpg")
    assert facts.damage.startswith("a.jpg ")
    assert facts.damage.endswith(".")
    assert (facts.media_type, facts.width_px, facts.size_bytes) == (None, 0, len(content))


def test_facts_of_a_picture_that_claims_too_many_pixels_when_read_then_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bomb.ppm").write_bytes(b"P6\n40000 40000\n255\n" + bytes(30))
    facts = probe_media(tmp_path / "bomb.ppm")
    assert "has 40,000 x 40,000 pixels" in facts.damage


def test_facts_of_a_grey_16_bit_picture_when_it_is_meant_as_depth_then_it_is_depth(tmp_path: Path) -> None:
    values = np.arange(48, dtype=np.uint16).reshape(6, 8)
    (tmp_path / "depth").mkdir()
    cv2.imwrite(str(tmp_path / "depth" / "a.png"), values)
    cv2.imwrite(str(tmp_path / "thermal.png"), values)
    assert probe_media(tmp_path / "depth" / "a.png").media_type == "depth"
    assert probe_media(tmp_path / "thermal.png").media_type == "image"
    assert probe_media(tmp_path / "thermal.png", kind="depth").media_type == "depth"


def test_facts_of_a_numpy_file_when_read_then_tell_its_shape(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((6, 8), np.float32))
    facts = probe_media(tmp_path / "a.npy")
    assert (facts.media_type, facts.encoding, facts.width_px, facts.height_px) == ("depth", "NPY", 8, 6)


def test_facts_of_a_trajectory_when_read_then_tell_its_form(tmp_path: Path) -> None:
    (tmp_path / "posture.json").write_text("[[0, 0, 1, 90]]")
    facts = probe_media(tmp_path / "posture.json")
    assert (facts.media_type, facts.encoding, facts.damage) == ("trajectory", "JSON", "")


def test_facts_of_a_folder_without_pictures_when_read_then_words_say_so(tmp_path: Path) -> None:
    (tmp_path / "clip").mkdir()
    (tmp_path / "clip" / "notes.txt").write_text("nothing to see")
    assert probe_media(tmp_path / "clip").damage == "clip contains no images."


def test_medium_values_when_nothing_was_digested_then_no_digest_is_told(tmp_path: Path) -> None:
    _draw(tmp_path / "a.png")
    assert "sha256" not in probe_media(tmp_path / "a.png", is_hashed=False).medium_values()
    assert "sha256" in probe_media(tmp_path / "a.png").medium_values()


def test_video_head_when_it_is_a_picture_in_a_box_then_it_is_no_video() -> None:
    assert is_video_head(b"\0\0\0\x20ftypisom")
    assert not is_video_head(b"\0\0\0\x20ftypavif")
    assert is_video_head((b"G" + bytes(187)) * 3)
    assert not is_video_head(b"G" + bytes(300))


def test_video_head_when_a_gif_has_the_sync_byte_of_a_stream_in_it_then_it_is_no_video() -> None:
    assert not is_video_head(b"GIF89a" + bytes(182) + b"G" + bytes(300))


def test_facts_of_a_transport_stream_with_time_stamps_when_read_then_it_is_a_video(tmp_path: Path) -> None:
    path = tmp_path / "00001.m2ts"
    with av.open(str(path), "w", format="mpegts", options={"mpegts_m2ts_mode": "1"}) as out:
        stream = out.add_stream("mpeg2video", rate=25, options={"strict": "-2"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for shade in range(10):
            picture = av.VideoFrame.from_ndarray(np.full((48, 64, 3), shade, np.uint8), format="rgb24")
            out.mux(stream.encode(picture))
        out.mux(stream.encode())
    # A time stamp of four bytes stands before the first sync byte.
    assert path.read_bytes()[4:5] == b"G"
    facts = probe_media(path)
    assert (facts.media_type, facts.damage, facts.width_px) == ("video", "", 64)


def test_facts_of_a_frame_folder_when_a_mac_left_hidden_files_in_it_then_they_count_for_nothing(
    tmp_path: Path,
) -> None:
    _draw(tmp_path / "clip" / "1.png")
    before = probe_media(tmp_path / "clip")
    (tmp_path / "clip" / "._1.png").write_bytes(b"\0\5\x16\7 resource fork")
    (tmp_path / "clip" / ".DS_Store").write_bytes(b"Bud1")
    assert probe_media(tmp_path / "clip") == before
    assert (before.frames, before.damage) == (1, "")


def test_facts_of_a_frame_folder_when_names_count_without_zeros_then_the_first_frame_tells_the_size(
    tmp_path: Path,
) -> None:
    _draw(tmp_path / "clip" / "2.png", size=(8, 6))
    _draw(tmp_path / "clip" / "10.png", size=(4, 4))
    assert probe_media(tmp_path / "clip").width_px == 8


def test_facts_of_a_large_file_when_cancelled_then_reading_stops_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(bytes(3 * CHUNK_BYTES))
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        probe_media(path, progress=progress)
