"""The command ``key``: the own signing key, and keys of others that are trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import json_option
from annotator.cli.verb_group import VerbGroup
from annotator.domain.signature import TrustedKey, fingerprint, is_signed, public_key
from annotator.errors import UserError
from annotator.signing_keys import make_key, private_key_of, trust_key, trusted_keys
from annotator.store.bundles.bundle_file import read_manifest
from annotator.user_profile import current_actor


@click.group(cls=VerbGroup)
def key() -> None:
    """Prove who wrote a bundle: make your key, show it, and trust the keys of others."""


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
@click.argument("bundle", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--fingerprint", "told", default="", help="The fingerprint that the author has told you.")
@json_option
def trust(bundle: Path, *, told: str, console: Console) -> int:
    """Trust the key with which BUNDLE is signed, once its author has told you the fingerprint.

    Without a fingerprint, the one of the bundle is shown and nothing is trusted; ends with 1 then.
    """
    manifest = read_manifest(bundle)
    signature = manifest.signature
    if signature is None or not is_signed(manifest.signed_content, signature):
        raise UserError(
            f"{bundle.name} has no valid signature.",
            hint="Ask its author to sign it: vantage bundle PROJECT FILE --sign",
        )
    found = fingerprint(signature.key)
    is_trusted = told.replace(" ", "").lower() == found.replace(" ", "")
    if told and not is_trusted:
        raise UserError(
            f"The key of {bundle.name} has another fingerprint: {found}.",
            hint="The bundle is not by the person who told you the fingerprint. Do not merge it.",
        )
    if is_trusted:
        trust_key(TrustedKey(actor=signature.actor, name=manifest.author, key=signature.key))
    words = (
        f"The key {found} of {manifest.author} is trusted."
        if is_trusted
        else f"The bundle says that it is by {manifest.author}; its key has the fingerprint {found}. Ask "
        f"{manifest.author} by another way than the bundle came, then: "
        f'vantage key trust {bundle.name} --fingerprint "{found}"'
    )
    result = {"author": manifest.author, "fingerprint": found, "trusted": is_trusted}
    console.result(result, print_text=lambda: console.print(words))
    return 0 if is_trusted else 1


VERBS = (key,)
