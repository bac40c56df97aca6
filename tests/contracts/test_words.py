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
# PRODUCT.md's glossary: the words that are not ours, where they would name something.
NOT_OURS = {"asset", "bbox", "alert", "dump"}


def text_files() -> list[Path]:
    """List the project's own text files, and no tool's or build's."""
    found: list[Path] = []
    for folder, folders, names in os.walk(REPO):
        folders[:] = [name for name in folders if name == ".ci" or not name.startswith(".")]
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        # In a second working tree .git is a file that says where the repository is.
        paths = [Path(folder, name) for name in names if name != ".git"]
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


def words_of(name: str) -> set[str]:
    """Split a name in snake_case or CamelCase into its words, in small letters."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def test_names_when_defined_then_use_the_words_of_the_glossary() -> None:
    defined = [
        (node.name, f"{path.relative_to(REPO)}:{node.lineno}")
        for path in layers.product_files(REPO)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    assert defined
    assert [f"{where} {name}" for name, where in defined if NOT_OURS & words_of(name)] == []


@pytest.mark.parametrize(
    ("name", "words"), [("BboxList", {"bbox", "list"}), ("read_asset", {"read", "asset"})]
)
def test_words_of_when_given_a_name_then_splits_it(name: str, words: set[str]) -> None:
    assert words_of(name) == words


def test_ignored_files_when_listed_then_no_tracked_file_is_among_them() -> None:
    if not (REPO / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this copy of the project is no git checkout, or git is not installed")
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout == ""
