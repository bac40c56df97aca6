"""Loads Python packages, to find those that are missing or damaged; needs the standard library alone.

The command ``doctor`` and the set-up run this file as a program of its own: what is damaged can end it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWN = ("annotator", "widgets", "models", "resources", "main")
SETUP = "./vantage setup"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def core_packages() -> list[str]:
    """Return the names of the packages that Vantage needs; none in a frozen build, which contains them."""
    project_file = ROOT / "pyproject.toml"
    if not project_file.is_file():
        return []
    project = tomllib.loads(project_file.read_text(encoding="utf-8"))["project"]
    return [requirement_name(line) for line in project["dependencies"]]


def requirement_name(requirement: str) -> str:
    """Return the name of the package in a line of requirements."""
    match = _NAME.match(requirement)
    return match[0] if match else requirement


def _modules_of(name: str, modules: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the modules of a distribution whose files are there."""
    known = [module for module, owners in modules.items() if name in owners and module.isidentifier()]
    return [module for module in known if find_spec(module) is not None]


def import_failures(packages: Sequence[str]) -> dict[str, str]:
    """Load packages; return why those that fail do so, by their names."""
    modules = metadata.packages_distributions()
    failures: dict[str, str] = {}
    for package in packages:
        try:
            there = _modules_of(metadata.distribution(package).metadata["Name"], modules)
            for module in there:
                import_module(module)
            if not there:
                failures[package] = "is not complete: its files are missing"
        except metadata.PackageNotFoundError:
            failures[package] = "is not installed"
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a damaged package raises anything
            failures[package] = f"cannot be loaded: {_first_line(error)}"
    return failures


def missing_package_text(error: ImportError) -> str:
    """Return what is said to a person if Vantage cannot start for want of a package, "" for other causes."""
    if (error.name or "").partition(".")[0] in OWN:
        return ""
    failures = import_failures(core_packages())
    found = "\n".join(f"  {package} {reason}" for package, reason in failures.items())
    what = f"To repair the installation, type: {SETUP}" if core_packages() else "Install Vantage again."
    lines = ("Vantage cannot start, because libraries are missing or damaged:", found or f"  {error}", what)
    return "\n".join(lines)


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


if __name__ == "__main__":
    found = import_failures(core_packages())
    sys.stdout.writelines(f"{package} {reason}\n" for package, reason in found.items())
    raise SystemExit(bool(found))
