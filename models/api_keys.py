"""API keys of endpoints: read from the environment or key ring when a model is opened, never displayed."""

from __future__ import annotations

import os
from typing import NoReturn

from annotator.errors import UserError
from models.key_search import KeySearch

SERVICE = "vantage"
"""Service name of the keys in a key ring."""
MASK = "***"


class ApiKey:
    """A key that prints as asterisks.

    Args:
        value: The key.
    """

    __slots__ = ("_search", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        self._search: KeySearch | None = None

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __reduce__(self) -> NoReturn:
        # Pickling would send the key to another process, or into a file.
        raise TypeError("a secret is not written anywhere")

    def reveal(self) -> str:
        """Return the key in clear text; do not store it in a variable."""
        return self._value

    def scrub(self, content: bytes) -> bytes:
        """Return content with the key, its parts and encodings of them replaced by asterisks.

        Servers repeat keys that they reject, in whole or in part, in texts, URLs and tokens.
        """
        self._search = self._search or KeySearch(self._value.encode())
        pieces, at = [], 0
        for start, end in self._search.find(content):
            pieces += [content[at:start], MASK.encode()]
            at = end
        return b"".join((*pieces, content[at:]))

    def scrub_text(self, text: str) -> str:
        """Return a text as ``scrub`` returns bytes."""
        return self.scrub(text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")


def find_key(key_from: str) -> ApiKey | None:
    """Read a key from the location in a profile; None if the profile has none.

    Args:
        key_from: ``env:NAME``, ``keyring:NAME``, or "".

    Raises:
        UserError: There is no key, or it is malformed; the message says what to do and never contains the
            value.
    """
    if not key_from:
        return None
    location, _, name = key_from.partition(":")
    if location == "env":
        secret = ApiKey(os.environ.get(name, "").strip())
        hint = f"Set the environment variable {name} before Vantage is started."
    elif location == "keyring":
        secret = ApiKey(_of_keyring(name).strip())
        hint = f"Store the API key with: keyring set {SERVICE} {name}"
    else:
        raise UserError("Give the location of the API key as env:NAME or keyring:NAME.")
    if not secret.reveal():
        raise UserError(f"There is no API key at {key_from}.", hint=hint)
    # A line end in the key would end the HTTP header and start another one.
    if not (secret.reveal().isascii() and secret.reveal().isprintable()):
        raise UserError(f"The API key at {key_from} contains invalid characters.", hint=hint)
    return secret


def _of_keyring(name: str) -> str:
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(SERVICE, name) or ""
    except (KeyringError, RuntimeError) as error:
        # The message of a key ring backend may contain anything, even the key; only the exception's type is
        # shown.
        kind = type(error).__name__
    # Outside the handler: a chained exception would bring its message along.
    raise UserError(
        f"No usable keyring was found ({kind}).",
        hint="Put the API key into an environment variable, and set env:NAME in the profile.",
    )
