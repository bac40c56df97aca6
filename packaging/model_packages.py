"""Install what local models are tested with into an environment of its own, for ``make test-models``.

python packaging/model_packages.py FOLDER
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
USUAL, BARE = "models", "models-bare"


def make_environment(folder: Path) -> None:
    """Make the environment, which has the packages of this one, too; in a complete one nothing changes."""
    groups = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["dependency-groups"]
    scheme = {"base": str(folder), "platbase": str(folder)}
    python = Path(sysconfig.get_path("scripts", "venv", scheme)) / "python"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)  # noqa: S603 - no words of others
    packages = Path(sysconfig.get_path("purelib", "venv", scheme))
    (packages / "product.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # The second ones ask for another build of torch, and for a program that must be compiled.
    for words in (groups[USUAL], ["--no-deps", *groups[BARE]]):
        subprocess.run([*install, *words], check=True)  # noqa: S603 - the words are those of pyproject.toml


if __name__ == "__main__":
    make_environment(Path(sys.argv[1]))
