"""The main job, longer, as README tells it: each verb a process of its own, models real."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.session import Session
from tests.onnx_writer import red_finder
from tests.servers.chat_server import ChatServer, texts_of

REPO = Path(__file__).parents[2]
LABELS = REPO.parent / "shared/data/aircop/Real2_Sample.json"
PATIENCE_S = 900


def verb(home: Path, *words: object, codes: tuple[int, ...] = (0,)) -> dict[str, object]:
    """Run a verb as a process of its own; return what it tells as JSON."""
    done = subprocess.run(
        [sys.executable, str(REPO / "main.py"), *map(str, words), "--json"],
        env={**os.environ, "VANTAGE_CONFIG": str(home / "settings"), "VANTAGE_HOME": str(home / "home")},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode in codes, done.stderr[-2000:]
    told: dict[str, object] = json.loads(done.stdout)
    return told


def items_of(project: Path) -> list[Item]:
    with Session.open(project) as session:
        return [item for item in session.reader.records("item") if isinstance(item, Item)]


@pytest.mark.slow
def test_labels_when_drafted_checked_filtered_and_released_then_no_guessed_item_is_in_it(
    tmp_path: Path,
) -> None:
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("the embedded language model is not installed: ./vantage setup local-llm")
    if not LABELS.is_file():
        pytest.skip("the published labels are not here")
    project = tmp_path / "pairs.vantage"
    verb(tmp_path, "new", project)
    verb(tmp_path, "import", project, LABELS)
    verb(tmp_path, "draft", project, "--task-set", "aircop", "--by", "rule")
    verb(tmp_path, "check", project)
    models = ("--models", "SmolLM2,Text probe", "--tasks", "object_counting")
    verb(tmp_path, "blind", project, *models, "--policy", "all", "--outcome", "filtered")
    filtered = {item.name for item in items_of(project) if item.state == "filtered"}
    assert filtered
    with Session.open(project) as session:
        reasons = [flag for flag in session.reader.records("flag") if flag.raised_by == "blind"]
    assert len(reasons) == len(filtered)
    verb(tmp_path, "release", project, tmp_path / "out", "--form", "aircop", codes=(0, 1))
    released = "".join(file.read_text() for file in (tmp_path / "out").rglob("*.jsonl"))
    assert released
    assert not [name for name in filtered if f'"{name}"' in released]


@pytest.mark.slow
def test_city_when_detected_drafted_and_doubted_by_two_models_then_keys_are_flagged(tmp_path: Path) -> None:
    verb(tmp_path, "demo", tmp_path / "city", "--size", "small")
    project = tmp_path / "city" / "demo.vantage"
    weights = red_finder(tmp_path / "detector.onnx", size_px=320)
    found = verb(tmp_path, "detect", project, "--weights", weights)
    assert found
    verb(tmp_path, "draft", project, "--task-set", "aircop", "--by", "rule")

    def always_b(body: dict[str, object]) -> str:
        assert texts_of(body)
        return "B"

    with ChatServer(answer=always_b) as one, ChatServer(answer=always_b) as two:
        for name, server in (("One", one), ("Two", two)):
            verb(tmp_path, "models", "add", name, "--url", server.base_url, "--model", "m")
        verb(tmp_path, "consensus", project, "--models", "One,Two", "--task-set", "aircop")
        assert one.calls
        assert len(one.calls) == len(two.calls)
    with Session.open(project) as session:
        flags = [flag for flag in session.reader.records("flag") if flag.raised_by == "consensus"]
        doubted = {flag.target for flag in flags}
        keys = {item.id: item.key for item in session.reader.records("item") if item.id in doubted}
    assert doubted
    assert "B" not in keys.values()
