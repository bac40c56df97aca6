"""The command line as people run it: a process with its own pipes, signals and locale."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.cli import VERBS
from annotator.session import Session
from tests.patience import PATIENCE_S
from tests.unit.importers.workbooks import parquet
from tests.unit.store.making import aircop_file, events, problems, spatialuav_file, visible_state

REPO = Path(__file__).resolve().parents[3]
# Progress comes as often as it is told, so that the test knows when the work is well under way.
TALKATIVE = """
import sys
from annotator.cli import console
from main import main
console.LINE_EVERY_S = 0.0
raise SystemExit(main(sys.argv[1:]))
"""


def _run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, REPO / "main.py", *map(str, arguments)],
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
        env={**os.environ, **environment},
    )


def test_main_when_run_as_a_process_then_numpy_has_one_thread_unless_the_person_says_otherwise() -> None:
    code = """
import runpy, sys
sys.argv = ["main.py", "--version"]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit:
    pass
assert "numpy" not in sys.modules
import os
print("threads", os.environ["OPENBLAS_NUM_THREADS"])
"""
    environment = {name: text for name, text in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for given, threads in (({}, b"1"), ({"OPENBLAS_NUM_THREADS": "2"}, b"2")):
        ended = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            timeout=PATIENCE_S,
            check=True,
            cwd=REPO,
            env={**environment, **given},
        )
        assert ended.stdout.split()[-2:] == [b"threads", threads]


def test_import_when_run_as_a_process_then_json_is_alone_on_standard_output(tmp_path: Path) -> None:
    path = tmp_path / "p.vantage"
    Session.create(path).close()
    ended = _run("import", path, aircop_file(tmp_path, name="23", records=4), "--json")
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["added"] == 4
    assert ended.stdout.count(b"\n") == 1
    assert ended.stderr.startswith(b"Reading 23.json")
    assert problems(path) == []


def test_verb_when_it_runs_then_no_module_of_another_one_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "p.vantage"
    Session.create(path).close()
    program = "import sys\nfrom main import main\nmain(sys.argv[1:])\nprint(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", program, "stats", path, "--json"],
        cwd=REPO,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    stats, imported = ended.stdout.splitlines()
    assert json.loads(stats)["items"] == 0
    modules = {f"annotator.cli.{module}" for module in VERBS.values()}
    assert modules & set(imported.split()) == {f"annotator.cli.{VERBS['stats']}"}


def test_new_when_the_locale_knows_ascii_only_then_json_is_utf_8_all_the_same(tmp_path: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    ended = _run("new", tmp_path / "p.vantage", "--title", "Town", "--json", **plain)
    assert (ended.returncode, ended.stderr) == (0, b"")
    with Session.open(tmp_path / "p.vantage") as session:
        assert session.title == json.loads(ended.stdout.decode())["title"] == "Town"


def test_verb_when_it_fails_as_a_process_then_tells_status_and_words_and_no_traceback(tmp_path: Path) -> None:
    ended = _run("verify", tmp_path / "no.vantage", "--json")
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b" does not exist. " in ended.stderr
    assert b"Traceback" not in ended.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["words", "json"])
def test_verb_when_its_result_cannot_be_written_then_ends_with_three_and_words(
    tmp_path: Path, form: list[str]
) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, REPO / "main.py", "new", tmp_path / "p.vantage", *form]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False)
    assert ended.returncode == 3
    assert ended.stderr.startswith(b"Cannot read or write a file: ")
    assert ended.stderr.count(b"\n") == 1


@pytest.fixture
def importing(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Give a process in the middle of a long import into a project that holds something."""
    path = tmp_path / "p.vantage"
    Session.create(path).close()
    assert _run("import", path, spatialuav_file(tmp_path, name="few", rows=3)).returncode == 0
    big = spatialuav_file(tmp_path, name="big", rows=40_000)
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", TALKATIVE, "import", path, big, "--json"],
        cwd=REPO,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    yield process
    process.kill()
    process.communicate(timeout=PATIENCE_S)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal that stands for Ctrl+C in another process")
def test_import_when_interrupted_then_ends_with_130_and_the_project_is_as_before(
    tmp_path: Path, importing: subprocess.Popen[bytes]
) -> None:
    path = tmp_path / "p.vantage"
    before = visible_state(path), events(path)
    while not re.search(rb"big\.jsonl: (\d\d,|[6-9],)\d{3} of", line := importing.stderr.readline()):
        assert b"big.jsonl" in line
    importing.send_signal(signal.SIGINT)
    out, err = importing.communicate(timeout=PATIENCE_S)
    assert (importing.returncode, out) == (130, b"")
    assert err.endswith(b"Cancelled; the project is unchanged.\n")
    assert b"Traceback" not in err
    assert not path.with_name("p.vantage-wal").exists()
    assert (visible_state(path), events(path)) == before
    assert problems(path) == []


def test_main_when_files_in_the_current_folder_are_named_like_modules_then_neither_it_nor_children_read_them(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "questions.parquet").write_bytes(parquet({"question": ["How many cars?"], "answer": ["3"]}))
    # Of the interpreter, of what a child process reads first, and of packages.
    for name in ("random", "pickle", "threading", "selectors", "json", "numpy", "h11", "msgspec", "arro3"):
        (folder / f"{name}.py").write_text("raise SystemExit('a file of the folder was imported')\n")
    for environment in ({}, {"PYTHONSAFEPATH": "1"}):
        project = tmp_path / f"{len(environment)}.vantage"
        for arguments in (
            ("new", project),
            ("import", project, folder / "questions.parquet", "--format", "table"),
            ("agreement", project),
        ):
            ended = subprocess.run(
                [sys.executable, REPO / "main.py", *map(str, arguments)],
                cwd=folder, capture_output=True, timeout=PATIENCE_S, check=False,
                env={**os.environ, **environment},
            )  # fmt: skip
            assert ended.returncode == 0, ended.stderr.decode()
