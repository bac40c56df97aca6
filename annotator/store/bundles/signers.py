"""Who wrote a bundle: what its signature proves to somebody who trusts certain keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from annotator.domain.record import ValueObject
from annotator.domain.signature import TrustedKey, fingerprint, is_signed
from annotator.errors import UserError
from annotator.store.bundles.bundle_file import Manifest

SignatureState = Literal["", "verified", "unknown"]


class Signer(ValueObject, frozen=True, kw_only=True):
    """The author of a bundle.

    Attributes:
        state: ``verified``: signed with a key that is trusted here; ``unknown``: signed with one of which
            nobody here has confirmed whose it is; "": not signed.
        name: Name of the author; only of a verified one it is more than what the file says.
        actor: Id of a verified author, "" otherwise.
    """

    state: SignatureState
    name: str
    actor: str = ""


def signer_of(manifest: Manifest, *, path: Path, trusted: Sequence[TrustedKey]) -> Signer:
    """Return who wrote a bundle.

    Raises:
        UserError: The signature is not that of the bundle, or is by another key than the trusted ones of
            the same person.
    """
    signature, name = manifest.signature, manifest.author or manifest.project
    if signature is None:
        return Signer(state="", name=name)
    if not is_signed(manifest.signed_content, signature):
        raise UserError(
            f"The signature of {path.name} does not fit the bundle.",
            hint="It was changed after it was signed. Nothing was merged. Ask its author for a new one.",
        )
    keys = {one.key: one for one in trusted if one.actor == signature.actor}
    if signature.key in keys:
        return Signer(state="verified", name=keys[signature.key].name, actor=signature.actor)
    if keys:
        owner = next(iter(keys.values())).name
        raise UserError(
            f"{path.name} is signed in the name of {owner}, with a key that is not trusted: "
            f"{fingerprint(signature.key)}.",
            hint=f"Ask {owner} whether the key is a new one. If so: vantage key trust {path.name}",
        )
    return Signer(state="unknown", name=name)


def unsigned_people(
    actors: Iterable[str], *, signer: Signer, trusted: Sequence[TrustedKey]
) -> tuple[str, ...]:
    """Return the names of people whose events came without their signature, although a key is trusted."""
    came = set(actors) - {signer.actor}
    return tuple(sorted({one.name for one in trusted if one.actor in came}))
