"""Models from a file of weights: a profile with the file's name, tested before it is saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from annotator.cli.options import model_catalog
from annotator.domain.profile import Adapter, ModelProfile
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.session import Session


@dataclass(frozen=True, kw_only=True)
class WeightsOptions:
    """The settings of a model besides its name.

    Attributes:
        file: File or folder of weights; None if a profile is named.
        options: ``NAME=VALUE`` each, values as JSON or plain text.
        adapters: The adapter by file extension; "" for a folder.
    """

    file: Path | None
    options: tuple[str, ...]
    adapters: Mapping[str, Adapter]

    def profile(self, session: Session, *, named: str) -> str:
        """Return the name of the selected profile; for a file of weights it is created.

        An existing profile of the same file is used, with the options given now.

        Args:
            session: The session with the user's profiles.
            named: Name of a profile, "" if a file is given.

        Raises:
            UserError: Neither or both were given, or the weights cannot be opened.
            EnvironmentFailure: The driver failed, or the file cannot be read.
        """
        if bool(named) == (self.file is not None):
            raise UserError(
                "Set either --model NAME or --weights FILE.", hint="List all models with: models list"
            )
        if self.file is None:
            if self.options:
                raise UserError("--set requires --weights; the options of a profile are set in the profile.")
            return named
        profiles = session.runs.profiles()
        known, made = profiles.get(self.file.stem), self._new_profile(self.file)
        if known is not None:
            made = _merge_options(known, made)
        if made != known:
            # Tested first: a file that is not a model must leave neither a profile nor a run.
            model_catalog().open(msgspec.to_builtins(made), progress=Progress()).close()
            session.runs.save_profiles({**profiles, made.name: made})
        return made.name

    def _new_profile(self, file: Path) -> ModelProfile:
        adapter = self.adapters.get("" if file.is_dir() else file.suffix.lower())
        if adapter is None:
            known = ", ".join(filter(None, self.adapters))
            if file.is_dir():
                raise UserError(f"{file} is a folder.", hint=f"Give the path of one weights file: {known}.")
            raise UserError(f"The file type of {file.name} is not supported.", hint=f"Supported: {known}.")
        return ModelProfile(
            name=file.stem,
            adapter=adapter,
            model=file.stem,
            path=str(file.resolve()),
            in_flight=1,
            options=dict(map(_option, self.options)),
        )


def _merge_options(known: ModelProfile, made: ModelProfile) -> ModelProfile:
    if (known.path, known.adapter) != (made.path, made.adapter):
        what = "with other weights" if known.path != made.path else f"with the adapter {known.adapter}"
        raise UserError(
            f"A model named {made.name!r} exists already, {what}.",
            hint="Use that model with --model, or rename the file.",
        )
    return msgspec.structs.replace(known, options=known.options | made.options)


def _option(assignment: str) -> tuple[str, Any]:
    name, is_given, text = assignment.partition("=")
    if not is_given or not name.strip():
        raise UserError(
            f"'{assignment}' is not an option.", hint="Write NAME=VALUE, for example slice_px=640."
        )
    try:
        return name.strip(), msgspec.json.decode(text)
    except msgspec.DecodeError:
        # Words need no quotes here.
        return name.strip(), text
