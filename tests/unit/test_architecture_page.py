"""docs/architecture.md against the code: what it names exists, and what exists is named."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
PAGE = (REPO / "docs" / "architecture.md").read_text(encoding="utf-8")
PRODUCT = ("annotator", "widgets", "models")
BLOCK = PAGE.partition("```\n")[2].partition("```")[0]
NAMED_IN_TEXT = re.compile(r"`([\w./-]+(?:/|\.py|\.toml|\.md))`|\b((?:adr|docs)/[\w.-]+)")
KNOWN = {
    path.relative_to(REPO).as_posix()
    for root in (*PRODUCT, "resources", "docs", "tests")
    for path in (REPO / root, *(REPO / root).rglob("*"))
} | {"main.py"}
PASSED_ON = "passed on"
STARTERS = {"Thread": "name", "ThreadPoolExecutor": "thread_name_prefix"}
OURS = "vantage-"
"""How the names of threads begin that a class of ours starts."""


def test_page_when_read_then_every_path_that_it_names_exists() -> None:
    named = {found[1] or found[2] for found in NAMED_IN_TEXT.finditer(PAGE)} | set(_paths_of_the_block())
    assert len(named) > 40
    assert sorted(path for path in named if not _exists(path)) == []


def test_page_when_compared_with_the_packages_then_names_them_all() -> None:
    packages = {
        file.parent.relative_to(REPO).as_posix()
        for root in PRODUCT
        for file in (REPO / root).rglob("__init__.py")
    }
    assert len(packages) > 25
    assert sorted(package for package in packages if not _is_named(package)) == []


def test_page_when_compared_with_the_modules_of_the_core_then_names_them_all() -> None:
    modules = {file.name for file in (REPO / "annotator").glob("*.py")} - {"__init__.py"}
    assert sorted(name for name in modules if name not in BLOCK) == []


def test_page_when_compared_with_the_threads_then_names_them_all_and_no_other() -> None:
    started = {name for file in _files() for name in _thread_names(file)}
    section = PAGE.partition("## Threads\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`((?:vantage|release)[\w…-]*)`", section))
    assert len(started) > 12
    assert named == started


def test_threads_when_read_from_the_code_then_each_has_a_name(tmp_path: Path) -> None:
    nameless = [
        f"{file.relative_to(REPO)}:{call.lineno}"
        for file in _files()
        for call, starter in _starters(file)
        if _name_of(call, starter) is None
    ]
    assert nameless == []
    planted = tmp_path / "planted.py"
    planted.write_text(
        "Thread(target=f, name=f'a-{n}')\nLane('vantage-b')\nThread(target=f)\nf('b')\n", encoding="utf-8"
    )
    assert list(_thread_names(planted)) == ["a-…", "vantage-b"]


def _paths_of_the_block() -> Iterator[str]:
    for line in BLOCK.splitlines():
        words = re.split(r"\s{2,}", line.strip())[0:2] if line.startswith("  ") else [line.split()[0]]
        for word in " ".join(words).split():
            if re.fullmatch(r"[\w/]+(?:/|\.py)", word):
                yield word


def _exists(path: str) -> bool:
    """Return whether a path of the page is one of the project, from its root or below a package."""
    if path.startswith("adr/"):
        return any((REPO / "docs").glob(f"{path}*.md"))
    ending = path.rstrip("/")
    return any(known == ending or known.endswith(f"/{ending}") for known in KNOWN)


def _is_named(package: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(package.rpartition('/')[2])}/", PAGE) is not None


def _files() -> Iterator[Path]:
    for root in PRODUCT:
        yield from sorted((REPO / root).rglob("*.py"))


def _starters(file: Path) -> Iterator[tuple[ast.Call, str]]:
    source = file.read_text(encoding="utf-8")
    # Most modules start no thread, and to parse them all takes seconds.
    if not any(name in source for name in (*STARTERS, OURS)):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            starter = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if starter in STARTERS or (node.args and _text_of(node.args[0]).startswith(OURS)):
                yield node, starter


def _thread_names(file: Path) -> Iterator[str]:
    for call, starter in _starters(file):
        if (name := _name_of(call, starter)) and name != PASSED_ON:
            yield name


def _name_of(call: ast.Call, starter: str) -> str | None:
    """Return a thread's name with … for what is filled in; None where the call gives it none."""
    if starter not in STARTERS:
        return _text_of(call.args[0])
    node = {keyword.arg: keyword.value for keyword in call.keywords}.get(STARTERS[starter])
    if node is None:
        return None
    # A class that starts one thread gets its name from whoever makes it.
    return _text_of(node) or PASSED_ON


def _text_of(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return ""
