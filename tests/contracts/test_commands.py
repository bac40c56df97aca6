"""The package of commands: what else is in it hides them from who looks for one."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from annotator import commands
from annotator.commands.command import Command

ANNOTATOR = Path(commands.__file__).parents[1]


class DefinedHere(Command):
    """A command that this module defines."""


def commandless(modules: list[ModuleType]) -> list[str]:
    """Return the names of modules that define no command; one that a module only imports does not count."""
    return [
        module.__name__
        for module in modules
        if not any(
            isinstance(found, type) and issubclass(found, Command) and found.__module__ == module.__name__
            for found in vars(module).values()
        )
    ]


def command_classes(module: ast.Module, names: set[str]) -> Iterator[str]:
    """Yield the classes of a module that a command of these names is a base of."""
    for found in ast.walk(module):
        if isinstance(found, ast.ClassDef):
            bases = {
                base.id if isinstance(base, ast.Name) else getattr(base, "attr", "") for base in found.bases
            }
            if bases & names:
                yield found.name


def known_commands() -> set[str]:
    """Return the names of the commands of the package, and of their base classes."""
    names, before = {"Command"}, 0
    modules = [ast.parse(file.read_text(encoding="utf-8")) for file in (ANNOTATOR / "commands").glob("*.py")]
    while len(names) > before:
        before = len(names)
        names.update(name for module in modules for name in command_classes(module, names))
    return names


def test_commands_when_the_product_is_read_then_all_are_in_their_package() -> None:
    names = known_commands()
    assert {"PreparedCommand", "StagedCommand", "EnterTruth", "ImportFiles"} <= names
    texts = {
        file.relative_to(ANNOTATOR): file.read_text(encoding="utf-8")
        for file in sorted(ANNOTATOR.rglob("*.py"))
        if file.parent.name != "commands"
    }
    elsewhere = [
        f"{file}: {name}"
        for file, text in texts.items()
        # Only these can name one as a base; parsing all files takes seconds.
        if "annotator.commands" in text
        for name in command_classes(ast.parse(text), names)
    ]
    assert elsewhere == []


def test_commands_when_one_is_planted_elsewhere_then_it_is_found() -> None:
    planted = "class A(Command): pass\nclass B(command.PreparedCommand): pass\nclass C(Reader): pass"
    assert list(command_classes(ast.parse(planted), known_commands())) == ["A", "B"]


def test_commands_when_a_module_is_read_then_it_defines_a_command() -> None:
    names = [f"{commands.__name__}.{found.name}" for found in pkgutil.walk_packages(commands.__path__)]
    assert len(names) > 40
    assert commandless([importlib.import_module(name) for name in names]) == []


def test_commands_when_a_module_only_imports_one_then_it_is_found() -> None:
    planted = ModuleType("planted")
    vars(planted)["Command"] = Command
    assert commandless([planted, importlib.import_module(__name__)]) == ["planted"]
