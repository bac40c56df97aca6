"""What may be written nowhere in the project: promises for later, places on one machine, download hosts."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contracts import layers

REPO = Path(__file__).resolve().parents[2]
TEXT_SUFFIXES = {
    "",
    ".cfg",
    ".cmd",
    ".json",
    ".md",
    ".py",
    ".qss",
    ".sh",
    ".svg",
    ".toml",
    ".ts",
    ".txt",
    ".yml",
}
SKIPPED_FOLDERS = {"build", "dist", "__pycache__"}
# In a second working tree .git is a file that says where the repository is. A process that is made to die
# leaves a core, where the machine keeps them.
SKIPPED_FILES = {".git", "core"}
# The words stand apart here, so that this file does not break its own rule.
BANNED = {
    "a promise for later": re.compile(r"\b(" + "TO" + "DO|FIX" + "ME" + r")\b"),
    "a place on someone's machine": re.compile(r"(?<![\w.)}])/(work|root|home/\w+|Users/\w+)" + "/"),
    "a host to fetch packages from": re.compile(
        "|".join(
            ["py" + r"pi\.org", "python" + "hosted", "deb" + r"\.debian", r"mirrors?\.\w+\.(com|cn|org)"]
        )
    ),
    "where packages are to be fetched": re.compile("(index" + "-url|find" + "-links)"),
}
# Words that the project has given up for a term of the field, which stands beside each.
RETIRED = {
    "crew": "worker pool",
    "desk": "controller, context",
    "film": "video",
    "films": "videos",
    "floors": "layers",
    "ghost": "reprojected region",
    "ghosts": "reprojected regions",
    "glance": "preview",
    "hearing": "predictions",
    "incarnation": "session id",
    "incarnations": "sessions",
    "intake": "import, detected input",
    "knock": "check",
    "leash": "child process",
    "lookout": "scanner",
    "sight": "visible, visual input",
    "sights": "images, visual inputs",
    "tallies": "totals",
    "tally": "totals, collector, progress",
    "trouble": "error, fault",
    "troubles": "errors, faults",
    "verdict": "prediction",
    "verdicts": "predictions",
}
# Their SQL names a column of the log, which is never rewritten: files of every version are read by its name.
NAMING_THE_COLUMN = (
    "annotator/domain/event.py",
    "annotator/queries/history_queries.py",
    "annotator/queries/log_heads.py",
    "annotator/queries/log_queries.py",
    "annotator/store/bundles/exchange.py",
    "annotator/store/bundles/merge.py",
    "annotator/store/log.py",
    "annotator/store/log_copy.py",
    "annotator/store/schema.py",
    "annotator/store/staging_check.py",
    "docs/architecture.md",
    "docs/glossary.md",
)
# Where such a word is right, and why.
RIGHT: dict[tuple[str, str], str] = {
    **{(path, "incarnation"): "a column of stored projects" for path in NAMING_THE_COLUMN},
    ("annotator/commands/detections.py", "verdict"): "part of digests that stored projects have",
    ("annotator/demo/anomalies.py", "crew"): "firefighters of the demo city",
    ("annotator/demo/degradations.py", "ghost"): "the term for a reflection in a lens",
    ("annotator/demo/degradations.py", "ghosts"): "the term for reflections in a lens",
    ("annotator/demo/interiors/drawing.py", "desk"): "a piece of furniture",
    ("annotator/demo/interiors/drawing.py", "floors"): "what rooms have",
    ("annotator/domain/eval_settings.py", "sight"): "a field of runs that stored projects have",
    ("annotator/domain/former_fields.py", "verdicts"): "a field of earlier versions",
    ("annotator/domain/map_categories.py", "desk"): "a piece of furniture",
    ("annotator/draft/rules/topview_relations.py", "desk"): "a piece of furniture",
    (
        "annotator/jobs/job_types/drafting.py",
        "sight",
    ): "part of the keys of requests that stored projects have",
    (
        "annotator/jobs/job_types/evaluation_planner.py",
        "sight",
    ): "part of the keys of requests that stored projects have",
    ("annotator/store/work/tables.py", "verdict"): "a table of earlier versions",
    ("docs/glossary.md", "film"): "the page names the words that are not used",
    ("docs/glossary.md", "ghost"): "the page names the words that are not used",
    ("docs/glossary.md", "verdict"): "the page names the words that are not used",
    ("widgets/settings.py", "film"): "a name in settings of earlier versions",
    ("widgets/settings.py", "ghosts"): "a name in settings of earlier versions",
}


def text_files() -> list[Path]:
    """List the project's own text files, and no tool's or build's."""
    found: list[Path] = []
    for folder, folders, names in os.walk(REPO):
        folders[:] = [name for name in folders if name == ".ci" or not name.startswith(".")]
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        paths = [Path(folder, name) for name in names if name not in SKIPPED_FILES]
        found += [path for path in paths if path.suffix in TEXT_SUFFIXES]
    return sorted(found)


def hits(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    """List the lines in which a pattern is found."""
    return [
        f"{path}:{number}: {line.strip()[:100]}"
        for path in paths
        for number, line in enumerate(
            path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1
        )
        if pattern.search(line)
    ]


@pytest.mark.parametrize(("what", "pattern"), BANNED.items(), ids=BANNED)
def test_words_when_every_text_file_is_read_then_none_is_banned(what: str, pattern: re.Pattern[str]) -> None:
    assert hits(pattern, text_files()) == [], what


@pytest.mark.parametrize(
    "line",
    [
        "# TO" + "DO later",
        "open('/ro" + "ot/x')",
        "https://py" + "pi.org/simple",
        "pip --extra-index" + "-url x",
    ],
)
def test_words_when_a_banned_one_is_planted_then_is_found(tmp_path: Path, line: str) -> None:
    path = tmp_path / "planted.py"
    path.write_text(f"x = 1\n{line}\n", encoding="utf-8")
    found = [hit for pattern in BANNED.values() for hit in hits(pattern, [path])]
    assert found == [f"{path}:2: {line}"]


def words_of(text: str) -> set[str]:
    """Split a text and the names in it, in snake_case or CamelCase, into words in small letters."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)}


def retired_words(path: Path, *, root: Path) -> set[tuple[str, str]]:
    """List the retired words in a file's name and text, each with the file."""
    name = path.relative_to(root).as_posix()
    words = words_of(path.read_text(encoding="utf-8")) | words_of(name)
    return {(name, word) for word in words & RETIRED.keys()}


def test_words_when_the_product_and_its_pages_are_read_then_none_is_retired() -> None:
    # Decision records tell of former names on purpose.
    pages = [path for path in (REPO / "docs").rglob("*.md") if path.parent.name != "adr"]
    paths = [*layers.product_files(REPO), *pages, REPO / "README.md"]
    found = set().union(*(retired_words(path, root=REPO) for path in paths))
    assert sorted(f"{path}: {word}, write: {RETIRED[word]}" for path, word in found - RIGHT.keys()) == []
    assert sorted(RIGHT.keys() - found) == [], "no longer needed"


def test_names_of_tests_when_read_then_none_has_a_retired_word() -> None:
    named = [
        (node.name, f"{path.relative_to(REPO)}:{node.lineno}")
        for path in (REPO / "tests").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    assert [f"{where} {name}" for name, where in named if RETIRED.keys() & words_of(name)] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class FilmShelf:", {"film"}),
        ("x = read_verdicts()  # a tally", {"verdicts", "tally"}),
        ("filmed", set()),
    ],
)
def test_retired_words_when_planted_then_are_found(tmp_path: Path, text: str, words: set[str]) -> None:
    path = tmp_path / "planted.py"
    path.write_text(text, encoding="utf-8")
    assert retired_words(path, root=tmp_path) == {("planted.py", word) for word in words}


def test_ignored_files_when_listed_then_no_tracked_file_is_among_them() -> None:
    if not (REPO / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this copy of the project is no git checkout, or git is not installed")
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout == ""
