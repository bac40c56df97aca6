from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts import layers

REPO = Path(__file__).resolve().parents[2]

PLANTED = {
    "annotator/domain/item.py": "from annotator.store import log",
    "annotator/draft/rules.py": "from annotator.quality.check import Check",
    "annotator/media/frames.py": "import PySide6.QtGui",
    "annotator/jobs/queue.py": "import sqlite3",
    "annotator/quality/blind.py": "def ask():\n    import openai",
    "annotator/errors.py": "from annotator.progress import Progress",
    "annotator/release/build.py": "from annotator import session",
    "annotator/session.py": "from widgets.nav_rail import NavRail",
    "widgets/nav_rail.py": "from annotator.store.log import EventLog",
    "widgets/stage.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import models.detector",
    "widgets/undo.py": "from annotator.writing.undo import undoing_edits",
    "annotator/store/undo.py": "from annotator.queries.reader import Reader",
    "models/reader.py": "from annotator.queries.reader import Reader",
    "models/detector.py": "from PySide6.QtCore import QObject",
    "models/chat.py": "import annotator.store.log as log",
    "resources/__init__.py": "from annotator.errors import UserError",
    "annotator/importers/csv.py": "from tests.guards import Messages",
}
ALLOWED = {
    "main.py": "import widgets, models, annotator.cli",
    "widgets/nav_rail.py": "from annotator.session import Session\nimport annotator.queries.reader, PySide6",
    "models/chat.py": "import openai\nfrom annotator.model_api import ChatModel",
    "annotator/session.py": "from annotator import backup_scheduler\nfrom annotator.store.log import Log",
    "annotator/store/log.py": "import sqlite_utils\nfrom annotator.domain.item import Item",
    "annotator/domain/item.py": "import resources, sqlite3_of_others\nfrom annotator.domain import view",
}


def plant(root: Path, files: dict[str, str]) -> None:
    for name, source in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")


def test_layers_when_the_product_is_read_then_every_import_points_down() -> None:
    assert layers.product_files(REPO)
    assert layers.breaches(REPO) == []


@pytest.mark.parametrize(("name", "source"), PLANTED.items(), ids=PLANTED)
def test_layers_when_a_wrong_import_is_planted_then_is_found(tmp_path: Path, name: str, source: str) -> None:
    plant(tmp_path, {name: source})
    assert [line.split(":")[0] for line in layers.breaches(tmp_path)] == [name]


def test_layers_when_the_product_is_read_then_nothing_crosses_through_a_module_between() -> None:
    assert layers.crossings(REPO) == []


PASSED_ON = {
    "a name": {"annotator/session.py": "from annotator.store.log import Log"},
    "an alias": {"annotator/session.py": "from annotator.store import log\nLog = log.Log"},
    "for types": {
        "annotator/session.py": "import typing\nif typing.TYPE_CHECKING:\n    import annotator.store\n"
        "    Log = annotator.store.log.Log",
    },
    "two modules": {
        "annotator/session.py": "from annotator.exchange import Journal as Log",
        "annotator/exchange/__init__.py": "from annotator.store.log import Log as Journal",
    },
}
TAKEN = {
    "by name": "from annotator.session import Log",
    "in a function": "def show():\n    from annotator.session import Log as Shown",
    "by module": "from annotator import session\nLog = session.Log",
    "by whole name": "import annotator.session\nprint(annotator.session.Log.open)",
}


@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("files", PASSED_ON.values(), ids=PASSED_ON)
def test_layers_when_a_module_passes_on_a_name_of_the_store_then_its_way_to_widgets_is_found(
    tmp_path: Path, files: dict[str, str], taken: str
) -> None:
    plant(tmp_path, {**files, "annotator/store/log.py": "class Log: ...", "widgets/nav_rail.py": taken})
    found = layers.crossings(tmp_path)
    assert {line.split(":")[0] for line in found} == {"widgets/nav_rail.py"}
    assert "annotator.store.log.Log" in found[0]


def test_layers_when_a_module_uses_the_store_for_its_own_names_then_widgets_may_import_them(
    tmp_path: Path,
) -> None:
    plant(
        tmp_path,
        {
            "annotator/store/log.py": "class Log: ...",
            "annotator/queries/reader.py": "from annotator.store.log import Log\nclass Reader: log = Log()",
            "annotator/session.py": "from annotator.store import log\nclass Session:\n    log = log.Log()",
            "widgets/nav_rail.py": "from annotator.queries.reader import Reader\nimport annotator.session\n"
            "def show(session: annotator.session.Session, reader: Reader): session.log.close(reader.log)",
        },
    )
    assert layers.crossings(tmp_path) == []


def test_layers_when_imports_are_right_then_finds_nothing(tmp_path: Path) -> None:
    plant(tmp_path, ALLOWED)
    assert layers.breaches(tmp_path) == []


def test_layers_when_a_module_has_no_layer_then_says_so(tmp_path: Path) -> None:
    plant(tmp_path, {"annotator/cellar.py": ""})
    assert layers.breaches(tmp_path) == ["annotator/cellar.py: is in no layer"]


@pytest.mark.parametrize("package", ["widgets", "models", "annotator"])
def test_parts_when_the_product_is_read_then_none_imports_itself_through_others(package: str) -> None:
    graph = layers.parts_graph(REPO, package)
    assert graph
    assert layers.cycles(graph) == []


@pytest.mark.parametrize("package", ["widgets", "models"])
def test_folders_when_one_lies_within_another_then_they_do_not_import_each_other(package: str) -> None:
    assert layers.cycles(layers.folders_graph(REPO, package)) == []


def test_folders_when_a_package_imports_its_own_part_and_is_imported_by_it_then_is_found(
    tmp_path: Path,
) -> None:
    plant(
        tmp_path,
        {
            "widgets/stage/stage.py": "from widgets.stage.tools.box import Box\nfrom widgets import theme",
            "widgets/stage/tools/box.py": "import typing\nif typing.TYPE_CHECKING:\n"
            "    from widgets.stage.stage import Stage",
            "widgets/timeline/view.py": "import widgets.stage.stage",
            "widgets/theme.py": "",
        },
    )
    found = layers.cycles(layers.folders_graph(tmp_path, "widgets"))
    assert found == ["widgets.stage", "widgets.stage.tools"]


def test_parts_when_a_cycle_is_hidden_in_a_function_or_for_types_then_is_found(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "widgets/window.py": "from widgets.stage.canvas import Canvas",
            "widgets/stage/canvas.py": "def open_help():\n    from widgets.help import Help",
            "widgets/help.py": "import typing\nif typing.TYPE_CHECKING:\n    import widgets.stage.tool",
            "widgets/stage/tool.py": "from widgets.colours import RED",
            "widgets/colours.py": "",
        },
    )
    assert layers.cycles(layers.parts_graph(tmp_path, "widgets")) == ["widgets.help", "widgets.stage"]


UNNAMED_COLUMNS = re.compile(r"(?:INSERT(?: OR [A-Z]+)?|REPLACE) INTO \S+ (?:VALUES|SELECT)\b")


def test_sql_when_it_inserts_then_names_its_columns() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in layers.product_files(REPO)}
    assert UNNAMED_COLUMNS.search("INSERT OR IGNORE INTO worker VALUES (?)")
    assert not UNNAMED_COLUMNS.search("INSERT INTO worker (id) VALUES (?)")
    assert [str(path) for path, source in sources.items() if UNNAMED_COLUMNS.search(source)] == []


STATEMENT = re.compile(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH)\b")


def sql_crossings(root: Path) -> list[str]:
    """Name what imports an SQL statement that another module keeps in a constant."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in layers.product_files(root)}
    kept = {
        (layers.module_name(path, root=root), name)
        for path, tree in trees.items()
        for name, text in constants_of(tree)
        if STATEMENT.match(text)
    }
    return [
        f"{path.relative_to(root).as_posix()}: {node.module}.{alias.name}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (node.module, alias.name) in kept
    ]


def constants_of(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names of a module's constants, each with a text that it begins with or holds."""
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            yield from ((target.id, text) for text in beginnings(node.value))


def beginnings(value: ast.expr) -> Iterator[str]:
    """Yield the first literal text of an expression, or of each value of a tuple, list or dictionary."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    parts = (
        value.values[:1] if isinstance(value, ast.JoinedStr)
        else [value.left] if isinstance(value, ast.BinOp)
        else value.values if isinstance(value, ast.Dict)
        else value.elts if isinstance(value, ast.Tuple | ast.List)
        else []
    )  # fmt: skip
    for part in parts:
        yield from beginnings(part)


def test_sql_when_a_module_keeps_a_statement_then_no_other_one_imports_it() -> None:
    assert sql_crossings(REPO) == []


def test_sql_when_a_statement_is_imported_then_is_found(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "annotator/store/log.py": 'ROW = "n, id"\nLAST = f"SELECT n FROM {1}"\n'
            'BY_KIND = {"a": "\\nDELETE FROM a"}',
            "annotator/queries/reader.py": "from annotator.store.log import BY_KIND, LAST, ROW",
        },
    )
    assert sql_crossings(tmp_path) == [
        "annotator/queries/reader.py: annotator.store.log.BY_KIND",
        "annotator/queries/reader.py: annotator.store.log.LAST",
    ]


def loaded_after(statement: str) -> set[str]:
    """Name the top-level modules that a fresh Python has loaded after a statement."""
    script = f"{statement}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return {name.split(".")[0] for name in json.loads(done.stdout)}


def import_all(package: str) -> str:
    """Write the statement that imports every module of a package."""
    names = [
        layers.module_name(path, root=REPO)
        for path in layers.product_files(REPO)
        if layers.is_in(layers.module_name(path, root=REPO), package)
    ]
    assert names
    return "import " + ", ".join(names)


def test_widgets_when_imported_then_leave_engines_and_store_alone() -> None:
    heavy = {*layers.ENGINES, "onnxruntime", "av"}
    assert not heavy & loaded_after(import_all("widgets"))


def test_annotator_when_imported_then_leaves_qt_and_engines_alone() -> None:
    heavy = {*layers.QT, *layers.ENGINES, "onnxruntime"}
    assert not heavy & loaded_after(import_all("annotator"))


def test_loaded_after_when_an_engine_is_imported_then_sees_it() -> None:
    assert {"onnxruntime", "numpy"} <= loaded_after("import onnxruntime")


def test_architecture_page_when_compared_then_names_every_place_there_is() -> None:
    page = (REPO / "docs" / "architecture.md").read_text(encoding="utf-8")
    (drawing,) = re.findall(r"## Layers\n.*?```\n(.*?)```", page, re.DOTALL)
    locations = {
        layers.layer_part_of(layers.module_name(path, root=REPO)) for path in layers.product_files(REPO)
    } - {None}
    drawn = set(re.findall(r"\w+", drawing))
    assert {location for location in locations if location.split(".")[-1] not in drawn} == set()


def test_unit_tests_when_read_then_import_no_qt() -> None:
    files = sorted((REPO / "tests" / "unit").rglob("*.py"))
    wanted = [found for path in files for found in layers.names_of(path, root=REPO).imports]
    assert wanted
    assert [
        str(found) for found in wanted if any(layers.is_in(found.target, name) for name in layers.QT)
    ] == []


def test_queries_when_a_type_of_record_is_asked_for_then_it_is_the_class_and_no_text() -> None:
    queries = REPO / "annotator" / "queries"
    parts = set(re.findall(r"\w+", (queries / "reader.py").read_text(encoding="utf-8")))
    assert {"Reader", "CommentQueries", "ReviewQueries", "RecordOrder", "RelatedScenes"} <= parts
    asked = [
        f"{file.name}: {found.name}.{method.name}"
        for file in sorted(queries.glob("*.py"))
        for found in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(found, ast.ClassDef) and found.name in parts
        for method in found.body
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_")
        if any(argument.arg == "entity" for argument in (*method.args.args, *method.args.kwonlyargs))
    ]
    assert asked == []
