"""Models that a verb takes from a file of weights: a profile of the file's name, tried before it is kept."""

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
    """What a person says of a model besides its name.

    Attributes:
        file: Of weights, or a folder; None where a profile is named.
        options: ``NAME=VALUE`` each, values as JSON or plain words.
        adapters: What opens a file, by its ending; a folder by "".
    """

    file: Path | None
    options: tuple[str, ...]
    adapters: Mapping[str, Adapter]

    def profile(self, session: Session, *, named: str) -> str:
        """Return the name of the profile that is meant; one for a file of weights is made.

        A profile of the same file is taken as it is, with the options that are said now.

        Args:
            session: Knows the person's profiles.
            named: Name of a profile, "" where a file is given.

        Raises:
            UserError: Neither or both were given, or the weights cannot be opened.
            EnvironmentFailure: The driver or the disk refused.
        """
        if bool(named) == (self.file is not None):
            raise UserError(
                "Say which model: --model NAME, or --weights FILE.", hint="All are listed by: models list"
            )
        if self.file is None:
            if self.options:
                raise UserError("Options of a profile are in the profile: --set goes with --weights.")
            return named
        profiles = session.runs.profiles()
        known, made = profiles.get(self.file.stem), self._new_profile(self.file)
        if known is not None:
            made = _merge_options(known, made)
        if made != known:
            # Tried first: a file that is no model leaves neither a profile nor a run behind.
            model_catalog().open(msgspec.to_builtins(made), progress=Progress()).close()
            session.runs.save_profiles({**profiles, made.name: made})
        return made.name

    def _new_profile(self, file: Path) -> ModelProfile:
        adapter = self.adapters.get("" if file.is_dir() else file.suffix.lower())
        if adapter is None:
            known = ", ".join(filter(None, self.adapters))
            if file.is_dir():
                raise UserError(f"{file} is a folder.", hint=f"Name one file of weights: {known}.")
            raise UserError(f"{file.name} is not known by its ending.", hint=f"Known are {known}.")
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
        what = "with other weights" if known.path != made.path else f"that is opened by {known.adapter}"
        raise UserError(
            f"There is a model {made.name!r} already, {what}.",
            hint="Use it with --model, or give the file another name.",
        )
    return msgspec.structs.replace(known, options=known.options | made.options)


def _option(told: str) -> tuple[str, Any]:
    name, is_given, text = told.partition("=")
    if not is_given or not name.strip():
        raise UserError(f"'{told}' is no option.", hint="Write it as NAME=VALUE, for instance slice_px=640.")
    try:
        return name.strip(), msgspec.json.decode(text)
    except msgspec.DecodeError:
        # Words need no quotes here.
        return name.strip(), text
