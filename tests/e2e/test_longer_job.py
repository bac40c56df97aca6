"""The main job, longer: the very lines of README in a shell, each verb a process of its own, models real."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.session import Session
from tests.onnx_writer import red_finder
from tests.servers.chat_server import ChatServer, texts_of
from tests.unit.store.making import aircop_file

REPO = Path(__file__).parents[2]
README = REPO / "README.md"
LABELS = REPO.parent / "shared/data/aircop/Real2_Sample.json"
PATIENCE_S = 900
LABELS_TAKEN = 30
"""Of 421 published ones: the same line over all of them takes minutes."""


def line_of(readme: str, *, verb: str, without: str = "") -> str:
    """Return the one line of shell in README that has a verb in it, and another not."""
    blocks = re.findall(r"^```sh\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    lines = [block.strip() for block in blocks if f"./vantage {verb} " in block and "&&" in block]
    (line,) = [line for line in lines if not without or f"./vantage {without} " not in line]
    return line


class Shell:
    """A folder with the starter in it, as README has it, and settings of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        starter = folder / "vantage"
        main = shlex.join([sys.executable, str(REPO / "main.py")])
        starter.write_text(f'#!/bin/sh\nexec {main} "$@"\n')
        starter.chmod(0o755)

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run a line of shell to its end."""
        settings = {
            "VANTAGE_CONFIG": str(self.folder / "settings"),
            "VANTAGE_HOME": str(self.folder / "home"),
        }
        return subprocess.run(
            ["sh", "-c", line],
            cwd=self.folder,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def records(self, project: str) -> tuple[dict[str, Item], list[Flag]]:
        """Return the items of a project by their ids, and its flags."""
        with Session.open(self.folder / project) as session:
            items = list(session.reader.records(Item))
            flags = list(session.reader.records(Flag))
        return {item.id: item for item in items}, flags


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize(("is_cut_off", "reached"), [(True, "import"), (False, "draft")])
def test_main_line_when_the_file_ends_early_then_it_stops_at_the_import(
    shell: Shell, is_cut_off: bool, reached: str
) -> None:
    text = aircop_file(shell.folder, name="23", records=6).read_text(encoding="utf-8")
    (shell.folder / LABELS.name).write_text(text[:-200] if is_cut_off else text, encoding="utf-8")

    done = shell.run(line_of(README.read_text(encoding="utf-8"), verb="import", without="blind"))

    assert "the rest was not read" in done.stdout if is_cut_off else "rejected 0" in done.stdout
    assert (done.returncode == 1) == is_cut_off
    # The import itself is kept: what could be read is in the project.
    with Session.open(shell.folder / "pairs.vantage") as session:
        assert session.reader.counts()["event_label"] == (5 if is_cut_off else 6)
        assert (session.reader.counts()["item"] > 0) == (reached == "draft")
    assert (shell.folder / "out").exists() != is_cut_off


@pytest.mark.slow
def test_labels_when_drafted_checked_filtered_and_released_then_no_guessed_item_is_in_it(
    shell: Shell,
) -> None:
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("the embedded language model is not installed: ./vantage setup local-llm")
    if not LABELS.is_file():
        pytest.skip("the published labels are not here")
    labels = json.loads(LABELS.read_text(encoding="utf-8"))[:LABELS_TAKEN]
    (shell.folder / LABELS.name).write_text(json.dumps(labels), encoding="utf-8")

    done = shell.run(line_of(README.read_text(encoding="utf-8"), verb="blind"))

    assert done.returncode == 0, done.stderr[-2000:]
    items, flags = shell.records("pairs.vantage")
    filtered = {item.id: item.name for item in items.values() if item.state == "filtered"}
    assert filtered
    reasons = {flag.target: flag for flag in flags if flag.kind == "blind_guessed"}
    assert reasons.keys() == filtered.keys()
    for flag in reasons.values():
        models = flag.evidence["models"]
        assert {"SmolLM2", "Text probe"} == models.keys()
        assert all(told["right"] == told["asked"] == 1 for told in models.values())
    # What is removed, and why, is in the output: the first of them by name, all of them as numbers.
    assert f"{len(filtered)} guessed" in done.stdout
    told = [line for line in done.stdout.splitlines() if "Correct without the images: SmolLM2 1/1" in line]
    assert {line.split()[0] for line in told} <= {*filtered.values()}
    assert len(told) == min(50, len(filtered))
    assert "good items lost (at best)" in done.stdout
    released = [
        json.loads(line)["question_id"]
        for file in (shell.folder / "out").rglob("VQA_*.jsonl")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert len(released) == len(items) - len(filtered)
    assert not {*released} & {*filtered.values()}
    withheld = (shell.folder / "out" / "withheld.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["name"] for line in withheld} == {*filtered.values()}


@pytest.mark.slow
def test_city_when_detected_drafted_and_doubted_by_two_models_then_keys_are_flagged(shell: Shell) -> None:
    red_finder(shell.folder / "detector.onnx", size_px=320)

    def always_b(body: dict[str, object]) -> str:
        assert texts_of(body)
        return "B"

    with ChatServer(answer=always_b) as one, ChatServer(answer=always_b) as two:
        for name, server in (("One", one), ("Two", two)):
            added = shell.run(f"./vantage models add {name} --url {server.base_url} --model m")
            assert added.returncode == 0, added.stderr[-2000:]
        done = shell.run(line_of(README.read_text(encoding="utf-8"), verb="consensus"))
        # 1: something was found.
        assert done.returncode == 1, done.stderr[-2000:]
        assert one.calls
        assert len(one.calls) == len(two.calls)
    items, flags = shell.records("city/demo.vantage")
    doubted = {flag.target: flag for flag in flags if flag.kind == "consensus_against_key"}
    judged = {item.id for item in items.values() if item.options and len(item.options) > 1}
    assert doubted.keys() == {item for item in judged if items[item].answer_key != "B"}
    for target, flag in doubted.items():
        assert (
            flag.message
            == f"2 of 2 models answer 'B', the answer key is {items[target].answer_key!r}: One, Two."
        )
        assert {told["said"] for told in flag.evidence["models"].values()} == {"B"}
    assert f"consensus_against_key {len(doubted)}" in done.stdout
    assert "2 of 2 models answer 'B'" in done.stdout
