"""pyproject.toml, constraints.txt, the set-up's own data and what is installed say the same."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.contracts import layers

REPO = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
SETUP = (REPO / "packaging" / "setup.sh").read_text(encoding="utf-8")


def read_pins() -> dict[str, Version]:
    lines = (REPO / "constraints.txt").read_text(encoding="utf-8").split()
    return {canonicalize_name(line.split("==")[0]): Version(line.split("==")[1]) for line in lines}


def declared(*extras: str) -> list[Requirement]:
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    return [Requirement(line) for line in lines]


def applies(requirement: Requirement, *, extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras or {""})


def closure(roots: list[Requirement]) -> set[str]:
    """Follow installed packages from some requirements to all that they bring."""
    found: set[str] = set()
    waiting = [(root, frozenset(root.extras)) for root in roots]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        requirement, extras = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found.add(name)
        lines = importlib.metadata.requires(name) or []
        needed = [child for child in map(Requirement, lines) if applies(child, extras=set(extras))]
        waiting += [(child, frozenset(child.extras)) for child in needed]
    return found


def test_constraints_when_read_then_are_plain_sorted_pins() -> None:
    lines = (REPO / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9A-Za-z.]+", line)] == []
    assert lines == sorted(lines, key=str.lower)
    assert len(lines) == len(read_pins())


@pytest.mark.parametrize("wanted", declared("test"), ids=lambda requirement: requirement.name)
def test_pin_when_compared_with_pyproject_then_lies_in_its_range(wanted: Requirement) -> None:
    assert read_pins()[canonicalize_name(wanted.name)] in wanted.specifier


def test_pins_when_compared_with_what_is_installed_then_are_the_same() -> None:
    pins = read_pins()
    # Some package asks for pip; an environment brings its own, and replacing it mid-work gains nothing.
    names = closure(declared("test")) - {"pip"}
    installed = {name: Version(importlib.metadata.version(name)) for name in names}
    assert {name: pins.get(name) for name in installed} == installed


def test_extras_when_read_then_are_the_optional_parts_of_the_notice() -> None:
    notice = (REPO / "NOTICE").read_text(encoding="utf-8")
    assert set(re.findall(r"\[([a-z-]+)\]", notice)) == set(EXTRAS) - {"test"}
    assert "AGPL-3.0" in notice
    heavy = {"torch", "torchvision", "ultralytics-opencv-headless"}
    assert heavy <= {canonicalize_name(each.name) for each in declared("detector")}
    assert not heavy & {canonicalize_name(each.name) for each in declared()}


def third_party_imports(package: str) -> dict[str, str]:
    """Name the top-level modules from outside that a part of the product imports, each with one place."""
    own = {*layers.PRODUCT, *sys.stdlib_module_names, "__future__"}
    return {
        top: found.where
        for path in layers.product_files(REPO)
        for found in layers.names_of(path, root=REPO).imports
        if layers.is_in(found.module, package) and (top := found.target.split(".")[0]) not in own
    }


OPTIONAL = {"dask": "cluster", "distributed": "cluster"}
"""Modules of an extra that are imported where they are asked for, with words where they are missing."""


@pytest.mark.parametrize("package", ["main", "widgets", "annotator", "resources"])
def test_imports_when_from_outside_then_are_declared_core_dependencies(package: str) -> None:
    providers = importlib.metadata.packages_distributions()
    core = {canonicalize_name(each.name) for each in declared()}
    # Its bindings' own helper, part of PySide6-Essentials by contract.
    core.add("shiboken6")
    undeclared = {
        top: where
        for top, where in third_party_imports(package).items()
        if not core & {canonicalize_name(name) for name in providers.get(top, [])} and top not in OPTIONAL
    }
    assert undeclared == {}
    assert set(OPTIONAL.values()) <= set(EXTRAS)


def test_python_range_when_compared_then_is_one_in_pyproject_and_setup() -> None:
    oldest = int(re.findall(r"^oldest_minor=(\d+)", SETUP, re.MULTILINE)[0])
    newest = int(re.findall(r"^newest_minor=(\d+)", SETUP, re.MULTILINE)[0])
    assert SpecifierSet(PROJECT["requires-python"]) == SpecifierSet(f">=3.{oldest},<3.{newest + 1}")
    windows = (REPO / "vantage.cmd").read_text(encoding="utf-8")
    assert f"(3, {oldest}) <= sys.version_info[:2] <= (3, {newest})" in windows


def test_system_packages_when_read_then_every_row_is_whole() -> None:
    lines = (REPO / "packaging" / "system-packages.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    assert {row[0] for row in rows} == {"app", "x11", "wayland", "font", "test", "check"}
    assert [row for row in rows if len(row) != 4] == []
    assert len({row[1] for row in rows}) == len(rows)


def test_licence_when_read_then_is_apache_2() -> None:
    assert PROJECT["license"] == "Apache-2.0"
    text = (REPO / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "9. Accepting Warranty or Additional Liability." in text


@pytest.mark.parametrize("extras", [[], ["test"], ["test", "cluster"]], ids=str)
def test_requirements_when_printed_then_are_those_of_pyproject(extras: list[str]) -> None:
    command = [sys.executable, str(REPO / "packaging" / "requirements.py"), *extras]
    done = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    assert [Requirement(line) for line in done.stdout.splitlines()] == declared(*extras)


def test_packaging_folder_when_imported_then_leaves_the_library_of_that_name_alone() -> None:
    # Without an __init__.py our folder yields to the installed package; with one it would hide it.
    done = subprocess.run([sys.executable, "-c", "import packaging.version"], cwd=REPO, check=False)
    assert done.returncode == 0
