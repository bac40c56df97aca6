"""Print what pip shall install: the core dependencies of pyproject.toml and those of the extras named."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def requirements(extras: list[str]) -> list[str]:
    """Return the requirement lines of the core and of some extras."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    lines: list[str] = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return lines


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1:])))
