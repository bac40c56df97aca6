"""Options of a model's profile, read into a record: what a user misspelt is named, not skipped."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError

O = TypeVar("O", bound=msgspec.Struct)  # noqa: E741 - options


def options_of(profile: ModelProfile, kind: type[O]) -> O:
    """Return the options of a profile.

    Args:
        profile: The profile.
        kind: What they are read into; has ``forbid_unknown_fields``.

    Raises:
        UserError: One is not known, or has a value that it cannot have.
    """
    try:
        return msgspec.convert(profile.options, kind)
    except msgspec.ValidationError as error:
        known = ", ".join(kind.__struct_fields__)
        raise UserError(
            f"The options of the model {profile.name!r} are invalid: {error}.",
            hint=f"Valid options: {known}.",
        ) from error
