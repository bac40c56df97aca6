"""Where releases lie on this computer: folders by release number, kept between starts."""

from __future__ import annotations

from pathlib import Path

from widgets.settings import Settings

GROUP = "release_folders"


def keep_release_folder(settings: Settings, *, sha256: str, folder: Path) -> None:
    """Store the folder of a release; a later one takes its place."""
    settings.keep(f"{GROUP}/{sha256}", str(folder))


def kept_release_folders(settings: Settings) -> dict[str, Path]:
    """Return the stored folders by release number; they may be gone."""
    return {name: Path(settings.text(f"{GROUP}/{name}")) for name in settings.names(GROUP)}
