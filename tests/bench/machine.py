"""The machine in words, without which no figure means anything."""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path

from annotator.store.connection import connect


def machine_text(folder: Path) -> str:
    """Return processor, memory, disk, Python and SQLite in one line.

    Args:
        folder: A folder on the disk that is measured.
    """
    parts = [
        f"{os.cpu_count()} × {_processor()}",
        _memory(),
        f"{platform.system()} {platform.release()}",
        f"Python {platform.python_version()}",
        f"SQLite {_sqlite()}",
        _disk(folder),
    ]
    return ", ".join(part for part in parts if part)


def _sqlite() -> str:
    with tempfile.TemporaryDirectory(prefix="vantage-bench-") as folder:
        connection = connect(Path(folder) / "version.db", read_only=False)
        version = connection.execute("SELECT sqlite_version()").fetchone()[0]
        connection.close()
    return str(version)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )


def _memory() -> str:
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return ""
    return f"{pages * size / 2**30:.0f} GiB"


def _disk(folder: Path) -> str:
    """Return kind and file system of the disk that holds a folder, "" where the system does not tell."""
    device = folder.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    except OSError:
        return ""
    found = next((fields for fields in mounts if fields[2] == number), None)
    if found is None:
        return ""
    kind, source = found[found.index("-") + 1 : found.index("-") + 3]
    return f"{_spin(Path(source).name)}{kind}"


def _spin(device: str) -> str:
    # What a virtual disk says about itself is its host's choice, not the truth about the hardware.
    if device.startswith(("vd", "xvd")):
        return "virtual disk, "
    name = device.partition("p")[0] if device.startswith("nvme") else device.rstrip("0123456789")
    try:
        text = Path(f"/sys/block/{name}/queue/rotational").read_text().strip()
    except OSError:
        return ""
    return "rotating disk, " if text == "1" else "solid-state disk, "
