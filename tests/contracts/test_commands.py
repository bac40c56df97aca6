"""The package of commands: what else is in it hides them from who looks for one."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from annotator import commands
from annotator.commands.command import Command


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


def test_commands_when_a_module_is_read_then_it_defines_a_command() -> None:
    names = [f"{commands.__name__}.{found.name}" for found in pkgutil.walk_packages(commands.__path__)]
    assert len(names) > 40
    assert commandless([importlib.import_module(name) for name in names]) == []


def test_commands_when_a_module_only_imports_one_then_it_is_found() -> None:
    planted = ModuleType("planted")
    vars(planted)["Command"] = Command
    assert commandless([planted, importlib.import_module(__name__)]) == ["planted"]
