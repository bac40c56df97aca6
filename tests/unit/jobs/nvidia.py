"""A stand-in for the driver's program that lists GPUs, as NVIDIA's prints them."""

from __future__ import annotations

import os
from pathlib import Path


def install(folder: Path, *names: str, status: int = 0) -> dict[str, str]:
    """Lay ``nvidia-smi`` into a folder, and return our environment with it at the head of the path.

    Args:
        folder: Made where it is not there.
        names: Of GPUs; those that begin with ``MIG`` are instances of the GPU before them.
        status: It ends with this.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, name in enumerate(names):
        is_part = name.startswith("MIG")
        head = "  MIG 1g.10gb     Device " if is_part else "GPU "
        model = "" if is_part else " NVIDIA H100 80GB HBM3"
        lines.append(f"{head}{number}:{model} (UUID: {name})")
    program = folder / "nvidia-smi"
    program.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + f"\nEND\nexit {status}\n")
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("CUDA_VISIBLE_DEVICES", None)
    return environment
