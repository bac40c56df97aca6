"""The command ``key``: the own signing key, and keys of others that are trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import json_option
from annotator.cli.verb_group import VerbGroup
from annotator.domain.signature import Signature, TrustedKey, fingerprint, is_signed, public_key
from annotator.errors import UserError
from annotator.release.manifest import SIGNATURE, verify_release
from annotator.release.release_signature import sign_release, valid_signature
from annotator.signing_keys import make_key, private_key_of, signer_for, trust_key, trusted_keys
from annotator.store.bundles.bundle_file import read_manifest
from annotator.user_profile import current_actor


@click.group(cls=VerbGroup)
def key() -> None:
    """Prove who made a bundle or release: make your key, show it, and trust the keys of others."""


@key.command()
@json_option
def make(*, console: Console) -> None:
    """Make the signing key of the person who works at this computer."""
    made = make_key(current_actor())
    result = {"key": made, "fingerprint": fingerprint(made)}
    console.result(result, print_text=lambda: console.print(f"Fingerprint of your key: {fingerprint(made)}"))


@key.command()
@json_option
def show(*, console: Console) -> None:
    """Show your key, and the keys that are trusted here."""
    actor = current_actor()
    private = private_key_of(actor.id)
    own = fingerprint(public_key(private)) if private is not None else ""
    trusted = [one for one in trusted_keys() if one.actor != actor.id]
    result: dict[str, Any] = {"fingerprint": own, "trusted": msgspec.to_builtins(trusted)}
    rows = [(actor.name, own or "no key: vantage key make")]
    rows += [(one.name, fingerprint(one.key)) for one in trusted]
    console.result(
        result, print_text=lambda: console.table("Signing keys", head=("person", "fingerprint"), rows=rows)
    )


@key.command()
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.option("--fingerprint", "told", default="", help="The fingerprint that the author has told you.")
@json_option
def trust(file: Path, *, told: str, console: Console) -> int:
    """Trust the key that signed FILE, a bundle or release folder, once its author tells you the fingerprint.

    Without a fingerprint, the one of the file is shown and nothing is trusted; ends with 1 then.
    """
    name, signature = _signature_of(file)
    found = fingerprint(signature.key)
    is_trusted = told.replace(" ", "").lower() == found.replace(" ", "")
    if told and not is_trusted:
        raise UserError(
            f"The key of {file.name} has another fingerprint: {found}.",
            hint="It is not by the person who told you the fingerprint. Do not use it.",
        )
    if is_trusted:
        trust_key(TrustedKey(actor=signature.actor, name=name, key=signature.key))
    words = (
        f"The key {found} of {name} is trusted."
        if is_trusted
        else f"{file.name} says that it is by {name}; its key has the fingerprint {found}. Ask {name} by "
        f'another way than it came, then: vantage key trust {file.name} --fingerprint "{found}"'
    )
    result = {"author": name, "fingerprint": found, "trusted": is_trusted}
    console.result(result, print_text=lambda: console.print(words))
    return 0 if is_trusted else 1


@key.command()
@click.argument("release", type=click.Path(exists=True, file_okay=False, path_type=Path))
@json_option
def sign(release: Path, *, console: Console) -> None:
    """Sign the folder RELEASE with your key, once it is verified; its signature.json is replaced."""
    actor = current_actor()
    signer = signer_for(actor)
    with console.progress() as progress:
        problems = verify_release(release, progress=progress)
    if problems:
        raise UserError(
            f"{release} is not signed: {problems[0].message}",
            hint="Sign a release as it was made: vantage verify RELEASE",
        )
    sign_release(release, actor=actor, sign=signer)
    result = {"file": str(release / SIGNATURE), "name": actor.name}
    console.result(result, print_text=lambda: console.print(f"{release} is signed by {actor.name}."))


def _signature_of(file: Path) -> tuple[str, Signature]:
    """Return who says to have signed a bundle or release, and the signature, which fits it.

    Raises:
        UserError: There is none that fits.
    """
    if file.is_dir():
        found = valid_signature(file)
        if found is not None:
            return found.name, found.signature
    else:
        manifest = read_manifest(file)
        if manifest.signature is not None and is_signed(manifest.signed_content, manifest.signature):
            return manifest.author, manifest.signature
    raise UserError(
        f"{file.name} has no valid signature.",
        hint="Ask its author to sign it: vantage bundle PROJECT FILE --sign, or vantage key sign RELEASE.",
    )


VERBS = (key,)
