"""Releases are read by the tools that they are made for, as these are installed by ``make test-readers``."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image

from annotator.session import Session
from tests.unit.release.exporters.test_coco import CORNERS, LINKS, REGIONS
from tests.unit.release.samples import (
    CLIP,
    PICTURE,
    PLACES,
    UAV1,
    UAV2,
    aircop_item,
    fill,
    label,
    options,
    release,
    spatialuav_item,
    urbanvideo_item,
)

pytestmark = pytest.mark.slow

REPO = Path(__file__).resolve().parents[2]
PYTHON = Path(os.environ.get("VANTAGE_READERS", REPO / "build" / "readers" / "bin" / "python"))
PACKAGES = (
    "mlcroissant", "pycocotools", "datumaro", "datasets", "pandas", "pyarrow", "lmms-eval", "llamafactory",
)  # fmt: skip
DATASET = "Real_2_UAVs"
QUESTION = 'He said: "yes", or\n\tno, 第 3 辆?'
TEXTS = ("(4)", '"B", yes', "第三 选项", "a\tb")
ITEMS = (
    aircop_item(),
    aircop_item(name="odd", question=QUESTION, options=options(*TEXTS), answer_key="C"),
    spatialuav_item(),
    urbanvideo_item(),
    urbanvideo_item(name="1002", question="=1+1, or 2?", extras={"Output": "Option: [B]"}),
)
SIZED = [msgspec.structs.replace(medium, width_px=1920, height_px=1080) for medium in (UAV1, UAV2)]
Read = Callable[..., Any]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Give the versions of the tools that there are."""
    if not PYTHON.is_file():
        pytest.skip(
            f"no readers of other tools are installed at {PYTHON}; install them with: make test-readers"
        )
    return _run(tmp_path_factory.mktemp("versions"), "versions", *PACKAGES)


@pytest.fixture
def read(installed: dict[str, str], tmp_path: Path) -> Read:
    """Give a function that reads files with a tool, and skips where the tool is not installed."""

    def read_with(package: str, reader: str, *arguments: object) -> Any:
        if package not in installed:
            pytest.skip(f"{package} is not installed at {PYTHON}; install it with: make test-readers")
        return _run(tmp_path, reader, *map(str, arguments))

    return read_with


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give the release of one project in a format, made once."""
    folder = tmp_path_factory.mktemp("released")
    with Session.create(folder / "p.vantage") as session:
        fill(session, *ITEMS, label(), *REGIONS, *LINKS, positions=(*SIZED, *PLACES[2:]))

    def in_format(form: str) -> Path:
        if not (folder / form).exists():
            with Session.open(folder / "p.vantage") as session:
                release(session, folder / form, form, include_flagged=True)
        return folder / form

    return in_format


@pytest.fixture
def media(tmp_path: Path) -> Path:
    """Give a media root with the files that the items show."""
    for medium in (UAV1, UAV2, PICTURE, CLIP):
        file = tmp_path / "media" / (medium.path or medium.name)
        file.parent.mkdir(parents=True, exist_ok=True)
        if medium is CLIP:
            file.write_bytes(b"a clip")
        else:
            Image.new("RGB", (4, 3)).save(file)
    return tmp_path / "media"


def _run(folder: Path, reader: str, *arguments: str) -> Any:
    out = folder / "said.json"
    # Caches and settings of the tools stay in the folder of the test.
    home = {name: str(folder / "home") for name in ("HOME", "HF_HOME", "XDG_CACHE_HOME")}
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")} | home
    if (folder / "media").exists():
        environment["MEDIA_ROOT"] = str(folder / "media")
    done = subprocess.run(
        [PYTHON, "-W", "ignore", Path(__file__).with_name("reading.py"), reader, out, *arguments],
        env=environment, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(out.read_text(encoding="utf-8"))


def _rows(out: Path, config: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "data" / f"{config}.jsonl").read_bytes().splitlines()]


def test_croissant_when_mlcroissant_reads_it_then_it_is_valid_and_yields_each_row(
    released: Callable[[str], Path], read: Read
) -> None:
    out = released("huggingface")
    said = read("mlcroissant", "croissant", out / "croissant.json")
    assert said["errors"] == []
    # A release knows neither its date nor how it is to be cited.
    unknown = ("citeAs", "datePublished", "version")
    assert [one for one in said["warnings"] if not any(f'/{name}"' in one for name in unknown)] == []
    assert said["records"] == {name: _rows(out, name) for name in ("aircop", "spatialuav", "urbanvideo")}


def test_card_when_datasets_loads_its_configurations_then_rows_and_types_are_those_of_the_files(
    released: Callable[[str], Path], read: Read
) -> None:
    out = released("huggingface")
    said = read("datasets", "datasets", out, "aircop", "spatialuav", "urbanvideo")
    assert {name: found["rows"] for name, found in said.items()} == {name: _rows(out, name) for name in said}
    # One schema: configurations can be concatenated.
    assert len({json.dumps(found["types"]) for found in said.values()}) == 1


def test_tasks_when_lmms_eval_loads_them_then_they_ask_show_and_score(
    released: Callable[[str], Path], read: Read, media: Path
) -> None:
    out = released("huggingface")
    said = read("lmms-eval", "lmms_eval", out / "lmms_eval")
    assert set(said) == {"vantage_aircop", "vantage_spatialuav", "vantage_urbanvideo"}
    for name, asked in said.items():
        rows = _rows(out, name.removeprefix("vantage_"))
        assert [(one["text"], one["target"]) for one in asked] == [(r["prompt"], r["answer"]) for r in rows]
        assert {one["score"] for one in asked} == {1.0}
    assert said["vantage_aircop"][0]["visuals"] == [[4, 3], [4, 3]]
    assert said["vantage_urbanvideo"][0]["visuals"] == [str(media / CLIP.name)]


def test_training_sets_when_llama_factory_converts_them_then_turns_and_media_are_those_of_the_items(
    released: Callable[[str], Path], read: Read, media: Path
) -> None:
    out = released("sharegpt")
    said = read("llamafactory", "llamafactory", out, media, "sft", "sft_video")
    for name, converted in said.items():
        rows = json.loads((out / f"{name}.json").read_bytes())
        turns = [[*one["_prompt"], *one["_response"]] for one in converted]
        assert turns == [row["messages"] for row in rows]
    assert said["sft"][0]["_images"] == [str(media / medium.name) for medium in (UAV1, UAV2)]
    assert said["sft_video"][0]["_videos"] == [str(media / CLIP.name)]


def test_coco_when_pycocotools_reads_it_then_boxes_masks_and_scores_are_there(
    released: Callable[[str], Path], read: Read
) -> None:
    said = read("pycocotools", "coco", released("coco") / "annotations" / f"instances_{DATASET}.json")
    assert said["images"] == [UAV1.name, UAV2.name]
    assert said["categories"] == ["bus", "car", "unlabelled"]
    boxes = [(r.box.x1, r.box.y1, r.box.x2 - r.box.x1, r.box.y2 - r.box.y1) for r in REGIONS[:4]]
    assert [tuple(box) for box in said["boxes"]] == [pytest.approx(box) for box in boxes]
    box_px, triangle_px, other_px, none_px = said["masks_px"]
    assert (box_px, none_px) == (other_px, 0)
    # A triangle is half of the box around it.
    assert triangle_px == pytest.approx(box_px / 2, rel=0.05)
    # The regions themselves as predictions, but for the box without area.
    assert said["mean_precision"] > 0.6


@pytest.mark.parametrize(("form", "reader"), [("coco", "coco_instances"), ("cvat", "cvat")])
def test_regions_when_datumaro_reads_them_as_cvat_does_then_shapes_and_labels_are_there(
    released: Callable[[str], Path], read: Read, tmp_path: Path, form: str, reader: str
) -> None:
    files = sorted(released(form).rglob(f"*{DATASET}*"))
    for file in files:
        # Both formats want the images beside the annotations; Datumaro reads each data set alone.
        placed = tmp_path / "set" / file.relative_to(released(form))
        placed.parent.mkdir(parents=True, exist_ok=True)
        placed.write_bytes(file.read_bytes())
    (tmp_path / "set" / "images").mkdir()
    for medium in (UAV1, UAV2):
        Image.new("RGB", (1920, 1080)).save(tmp_path / "set" / "images" / medium.name)
    said = read("datumaro", "datumaro", tmp_path / "set", reader)
    shapes = [(item, kind, name) for item, kind, name, *_ in said]
    stems = [Path(medium.name).stem for medium in (UAV1, UAV2)]
    first, second, third, _ = _expected(form, *stems)
    assert {first, second, third} <= set(shapes)
    triangle = next(box for _, kind, name, box, _ in said if name == "unlabelled")
    xs, ys = zip(*CORNERS, strict=True)
    assert triangle == pytest.approx([min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)], abs=0.02)


def _expected(form: str, one: str, two: str) -> list[tuple[str, str, str]]:
    box = "polygon" if form == "coco" else "bbox"
    return [(one, box, "car"), (one, "polygon", "unlabelled"), (two, box, "bus"), (two, box, "car")]


@pytest.mark.parametrize("form", ["urbanvideo", "urbanvideo-parquet"])
def test_urbanvideo_when_pandas_reads_it_then_each_question_is_a_row(
    released: Callable[[str], Path], read: Read, form: str
) -> None:
    package = "pyarrow" if form.endswith("parquet") else "pandas"
    said = read(package, "table", next(released(form).glob("MCQ.*")))
    told = [(row["Question_id"], row["video_id"], row["answer"]) for row in said]
    assert told == [(1001, CLIP.name, "C"), (1002, CLIP.name, "C")]
    assert said[1]["question"].startswith("Question: =1+1, or 2?  \nchoose:  \nA. Rise.  \n")


def test_tables_when_read_as_vlmevalkit_reads_them_then_questions_options_and_paths_are_there(
    released: Callable[[str], Path], read: Read
) -> None:
    out = released("vlmevalkit")
    said = read("pandas", "vlmevalkit", out / "aircop.tsv")
    assert [row["index"] for row in said] == [1, 2]
    assert [row["paths"] for row in said] == [[UAV1.name, UAV2.name]] * 2
    assert (said[1]["question"], said[1]["answer"]) == (QUESTION, "C")
    assert tuple(said[1]["options"].values()) == TEXTS
    (clip, _) = read("pandas", "vlmevalkit", out / "urbanvideo_video.tsv")
    assert clip["paths"] == [CLIP.name]
    assert list(clip["options"]) == list("ABCDEFG")


def test_label_values_when_pandas_reads_them_then_numbers_are_numbers(
    released: Callable[[str], Path], read: Read
) -> None:
    said = read("pandas", "table", released("label-values") / "event_labels.csv")
    assert {row["image"] for row in said} == {UAV1.name}
    assert {"field": "quality", "value": "5"}.items() <= next(
        row for row in said if row["field"] == "quality"
    ).items()


def test_release_of_lists_of_objects_when_json_reads_it_then_published_loaders_can(
    released: Callable[[str], Path],
) -> None:
    # The scripts of SpatialUAV, AirCopBench and TopViewRS have no package; all they use is ``json``.
    questions = json.loads((released("aircop") / f"VQA_{DATASET}.json").read_bytes())
    assert [row["correct_answer"] for row in questions["results"]] == ["B", "C"]
    (line,) = (released("spatialuav") / "annotations.jsonl").read_bytes().splitlines()
    assert json.loads(line)["GT"] == "Region 3, 4"
