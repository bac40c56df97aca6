"""Install the tools that read our releases into an environment of their own, for ``make test-readers``.

python packaging/readers.py FOLDER [--torch]
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
LIGHT, HEAVY, BARE = "readers", "readers-torch", "readers-bare"


def commands(folder: Path, *, is_heavy: bool) -> list[list[str]]:
    """Return the commands that make the environment; in a complete one they change nothing."""
    groups = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["dependency-groups"]
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    made: list[list[str]] = [[sys.executable, "-m", "venv", str(folder)]]
    # One call: pip finds versions that agree only among what it is asked for together.
    made.append([*install, *groups[LIGHT], *(groups[HEAVY] if is_heavy else ())])
    if is_heavy:
        # What they ask for beyond it are servers, audio, and versions that exclude each other's.
        made.append([*install, "--no-deps", *groups[BARE]])
    return made


if __name__ == "__main__":
    for command in commands(Path(sys.argv[1]), is_heavy="--torch" in sys.argv[2:]):
        subprocess.run(command, check=True)  # noqa: S603 - the words are those of pyproject.toml
