"""Imports a file into a new project: ``python -m tests.bench.probes.large_import FILE PROJECT``.

Prints the seconds that it took; its memory is watched from outside.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from annotator.commands.imports import ImportFiles
from annotator.session import Session


def main() -> None:
    """Import the file."""
    source, project = map(Path, sys.argv[1:])
    began = time.perf_counter()
    with Session.create(project) as session:
        session.execute(ImportFiles(paths=(source,))).result()
    print(f"{time.perf_counter() - began:.1f}")


if __name__ == "__main__":
    main()
