"""The layers of the house (docs/architecture.md) as data, and the reader of imports that holds them."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path

# From the roof down; a place may import only what stands on a lower line, and itself. Places on one line
# do not know each other. A place is a module or package, named from the root of the repository.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("main",),
    ("widgets",),
    ("models",),
    ("annotator.cli",),
    ("annotator.demo",),
    ("annotator.doctor", "annotator.verification", "annotator.project_recovery", "annotator.exchange"),
    ("annotator.release_verification",),
    ("annotator.session",),
    ("annotator.importing", "annotator.spreadsheets"),
    ("annotator.commands",),
    ("annotator.edits",),
    ("annotator.jobs",),
    ("annotator.release_difference", "annotator.release_examination"),
    ("annotator.report", "annotator.scoring"),
    ("annotator.draft", "annotator.quality", "annotator.release", "annotator.importers"),
    ("annotator.writing",),
    ("annotator.queries",),
    ("annotator.store",),
    ("annotator.media",),
    ("annotator.domain",),
    ("annotator.model_api",),
    ("annotator.segment_prompt",),
    ("annotator.file_lock",),
    ("annotator.process_call",),
    ("annotator.progress",),
    ("annotator.command_summary",),
    ("annotator.database_files",),
    ("annotator.errors",),
    ("annotator.diagnostics",),
    ("resources",),
)
# Modules that are part of another place: what the session keeps to itself.
PARTS = {
    "annotator.backup_scheduler": "annotator.session",
    "annotator.change_listeners": "annotator.session",
    "annotator.command_runner": "annotator.session",
    "annotator.judged_scoring": "annotator.session",
    "annotator.file_watch": "annotator.session",
    "annotator.staged_entry": "annotator.session",
    "annotator.unsaved_edits": "annotator.session",
    "annotator.writing_thread": "annotator.session",
    "annotator.comment_read_state": "annotator.session",
    "annotator.signing_keys": "annotator.session",
    "annotator.user_profile": "annotator.session",
}

SQLITE = ("sqlite3", "pysqlite3", "sqlite_utils")
QT = ("PySide6", "shiboken6", "pyqtgraph")
ENGINES = ("torch", "torchvision", "ultralytics", "openai")
STORE = "annotator.store"
WRITING = "annotator.writing"
# What a place may not import although it lies below, or is no part of the house at all; neither itself nor by
# way of a module that passes it on.
FORBIDDEN: dict[str, tuple[str, ...]] = {
    "widgets": (
        *SQLITE,
        *ENGINES,
        "onnxruntime",
        "models",
        STORE,
        WRITING,
        "annotator.cli",
        "annotator.jobs",
    ),
    "models": (
        *SQLITE,
        *QT,
        STORE,
        WRITING,
        "annotator.queries",
        "annotator.cli",
        "annotator.session",
        "annotator.commands",
        "annotator.edits",
        "annotator.importing",
        "annotator.spreadsheets",
        "annotator.jobs",
    ),
    "annotator": (*QT, *ENGINES, "onnxruntime"),
    "resources": (*SQLITE, *QT, *ENGINES, "onnxruntime"),
}
ONLY_IMPORTER = dict.fromkeys(SQLITE, STORE)
PRODUCT = ("main", "widgets", "models", "annotator", "resources")
# They help to build the house and are not in it.
SCAFFOLD = ("tests", "packaging")


@dataclass(frozen=True)
class Import:
    """One name that a module imports."""

    module: str
    target: str
    where: str

    def __str__(self) -> str:
        return f"{self.where}: {self.module} imports {self.target}"


def product_files(root: Path) -> list[Path]:
    """List the Python files of the product under a root."""
    found: list[Path] = []
    for name in PRODUCT:
        single = root / f"{name}.py"
        found += [single] if single.is_file() else sorted((root / name).rglob("*.py"))
    return found


def module_name(path: Path, *, root: Path) -> str:
    """Return the dotted name under which a file is imported."""
    parts = list(path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@dataclass(frozen=True)
class Names:
    """The names of others in one file.

    Attributes:
        imports: What the file imports, wherever it does so: at the top, in a function, or for types alone.
        bindings: What its names stand for that it imports, or gives to something imported.
        reached: What it reaches through an imported module.
    """

    imports: list[Import]
    bindings: dict[str, str]
    reached: list[Import]


@functools.cache
def names_of(path: Path, *, root: Path) -> Names:
    """Read the names of others in a file; once, because parsing all files takes seconds."""
    module, name = module_name(path, root=root), str(path.relative_to(root))
    found = Names([], {}, [])
    chains: list[ast.Attribute] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for known, meant, target in _imported(node):
                found.bindings[known] = meant
                found.imports.append(Import(module, target, f"{name}:{node.lineno}"))
        elif isinstance(node, ast.Assign) and (source := _meant(node.value, found.bindings)):
            known_names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            found.bindings.update(dict.fromkeys(known_names, source))
        elif isinstance(node, ast.Attribute):
            chains.append(node)
    reached = [(_meant(node, found.bindings), node.lineno) for node in chains]
    found.reached.extend(Import(module, target, f"{name}:{line}") for target, line in reached if target)
    return found


def _imported(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str, str]]:
    """List the names that an import makes known, what each stands for, and what is imported."""
    if isinstance(node, ast.ImportFrom):
        named = [(alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names]
        return [(known, target, target) for known, target in named if node.module]
    names = [(alias, alias.name.partition(".")[0]) for alias in node.names]
    return [
        (alias.asname or first, alias.name if alias.asname else first, alias.name) for alias, first in names
    ]


def _meant(node: ast.expr, bindings: dict[str, str]) -> str | None:
    """Return the whole dotted name of an expression that begins with an imported name, None for others."""
    if isinstance(node, ast.Name):
        return bindings.get(node.id)
    if isinstance(node, ast.Attribute) and (owner := _meant(node.value, bindings)):
        return f"{owner}.{node.attr}"
    return None


def origin(name: str, *, root: Path) -> str:
    """Follow a dotted name through the modules that pass it on, to the place that defines it."""
    passed: set[str] = set()
    while name not in passed:
        passed.add(name)
        words = name.split(".")
        for length in range(len(words) - 1, 0, -1):
            path = _file_of(tuple(words[:length]), root=root)
            if path is not None:
                meant = names_of(path, root=root).bindings.get(words[length], name)
                name = ".".join([meant, *words[length + 1 :]]) if meant != name else name
                break
    return name


@functools.cache
def _file_of(words: tuple[str, ...], *, root: Path) -> Path | None:
    path = root.joinpath(*words)
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def crossings(root: Path) -> list[str]:
    """List every name that reaches a place through a module which it may import, from one that it may not."""
    found: dict[str, None] = {}
    for path in product_files(root):
        for location, targets in FORBIDDEN.items():
            if not is_in(module_name(path, root=root), location):
                continue
            names = names_of(path, root=root)
            for wanted in (*names.imports, *names.reached):
                source = origin(wanted.target, root=root)
                if source != wanted.target and any(is_in(source, target) for target in targets):
                    found[f"{wanted}, which is {source}: {location} may not"] = None
    return list(found)


def is_in(name: str, location: str) -> bool:
    """Tell whether a dotted name is a place or lies within it."""
    return name == location or name.startswith(f"{location}.")


def layer_part_of(name: str) -> str | None:
    """Return the place of a dotted name, None outside the house."""
    for part, location in PARTS.items():
        if is_in(name, part):
            return location
    return next((location for layer in LAYERS for location in layer if is_in(name, location)), None)


def height(location: str) -> int:
    """Return how many layers lie below a place."""
    return next(len(LAYERS) - 1 - level for level, layer in enumerate(LAYERS) if location in layer)


def complaint(wanted: Import) -> str | None:
    """Say what is wrong with an import, None if nothing is."""
    for location, targets in FORBIDDEN.items():
        if is_in(wanted.module, location) and any(is_in(wanted.target, target) for target in targets):
            return f"{wanted}, which {location} may not"
    for target, owner in ONLY_IMPORTER.items():
        if is_in(wanted.target, target) and not is_in(wanted.module, owner):
            return f"{wanted}, which only {owner} may"
    if any(is_in(wanted.target, name) for name in SCAFFOLD):
        return f"{wanted}, which is no part of the product"
    here, there = layer_part_of(wanted.module), layer_part_of(wanted.target)
    if here and there and here != there and height(there) >= height(here):
        return f"{wanted}, which does not stand below it"
    return None


def breaches(root: Path) -> list[str]:
    """List every import under a root that the layers do not allow, and every module without a layer."""
    found: list[str] = []
    for path in product_files(root):
        module = module_name(path, root=root)
        if layer_part_of(module) is None and module != "annotator":
            found.append(f"{path.relative_to(root)}: is in no layer")
        found += [text for wanted in names_of(path, root=root).imports if (text := complaint(wanted))]
    return found


def parts_graph(root: Path, package: str) -> dict[str, set[str]]:
    """Return which parts of a package import which others, wherever they do so.

    A part is a module or package directly within the package, under its whole name.
    """
    graph: dict[str, set[str]] = {}
    for path in product_files(root):
        module = module_name(path, root=root)
        if is_in(module, package) and module != package:
            targets = {part_of(wanted.target) for wanted in names_of(path, root=root).imports}
            graph.setdefault(part_of(module), set()).update(
                target for target in targets if is_in(target, package) and target != package
            )
    return {part: (targets & graph.keys()) - {part} for part, targets in graph.items()}


def folders_graph(root: Path, package: str) -> dict[str, set[str]]:
    """Return which folders of a package, at any depth, import which others, wherever they do so.

    The folder of the package itself is left out: its modules are parts of their own, see ``parts_graph``.
    """
    graph: dict[str, set[str]] = {}
    for path in product_files(root):
        folder = path.parent.relative_to(root).as_posix().replace("/", ".")
        if is_in(folder, package) and folder != package:
            wanted = names_of(path, root=root).imports
            graph.setdefault(folder, set()).update(_folder_of(one.target, root=root) for one in wanted)
    return {folder: (targets & graph.keys()) - {folder} for folder, targets in graph.items()}


def _folder_of(name: str, *, root: Path) -> str:
    """Return the folder of the module that a dotted name leads to, "" outside the house."""
    words = name.split(".")
    lengths = range(len(words), 0, -1)
    known = (
        ".".join(words[: length - 1]) for length in lengths if _file_of(tuple(words[:length]), root=root)
    )
    return next(known, "")


def part_of(name: str) -> str:
    """Return the first two names of a dotted name."""
    return ".".join(name.split(".")[:2])


def cycles(graph: dict[str, set[str]]) -> list[str]:
    """List the nodes that lie on a cycle: what cannot be taken away as a leaf or as a root."""
    left = {node: set(targets) for node, targets in graph.items()}
    while True:
        wanted = {target for targets in left.values() for target in targets}
        ends = {node for node, targets in left.items() if not targets or node not in wanted}
        if not ends:
            return sorted(left)
        left = {node: targets - ends for node, targets in left.items() if node not in ends}
