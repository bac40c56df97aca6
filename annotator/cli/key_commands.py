"""The command ``key``: the own signing key, and keys of others that are trusted."""

from __future__ import annotations

from dataclasses import dataclass
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
from annotator.store.bundles.bundle_file import Manifest, read_manifest
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
    result: dict[str, Any] = {"id": actor.id, "fingerprint": own, "trusted": msgspec.to_builtins(trusted)}
    rows = [(actor.name, actor.id, own or "no key: vantage key make")]
    rows += [(one.name, one.actor, fingerprint(one.key)) for one in trusted]
    console.result(
        result,
        print_text=lambda: console.table("Signing keys", head=("person", "id", "fingerprint"), rows=rows),
    )


@key.command()
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.option("--fingerprint", default="", help="The fingerprint that the author has told you.")
@click.option(
    "--replace", is_flag=True, help="The person's keys that are trusted so far are no longer trusted."
)
@click.option("--add-key", is_flag=True, help="The person has several keys, for instance one per computer.")
@json_option
def trust(file: Path, *, fingerprint: str, replace: bool, add_key: bool, console: Console) -> int:
    """Trust the key that signed FILE, a bundle or release folder, once its author tells you the fingerprint.

    Without a fingerprint, the one of the file and the person in whose name it is signed are shown and nothing
    is trusted; ends with 1 then.
    """
    if replace and add_key:
        raise UserError(
            "--replace and --add-key exclude each other.", hint="Say what becomes of the other key."
        )
    claim = _claim_of(file)
    is_trusted = fingerprint.replace(" ", "").lower() == claim.fingerprint.replace(" ", "")
    if fingerprint and not is_trusted:
        raise UserError(
            f"The key of {file.name} has another fingerprint: {claim.fingerprint}.",
            hint="It is not by the person who told you the fingerprint. Do not use it.",
        )
    if is_trusted:
        _require_choice(claim, is_chosen=replace or add_key)
        trust_key(claim.key, is_replacing=replace)
    text = (
        f"The key {claim.fingerprint} of {claim.person} is trusted." if is_trusted else _question(claim, file)
    )
    result = {
        "author": claim.key.name,
        "actor": claim.key.actor,
        "fingerprint": claim.fingerprint,
        "trusted": is_trusted,
    }
    console.result(result, print_text=lambda: console.print(text))
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


@dataclass(frozen=True)
class _Claim:
    """In whose name a file is signed, and what is known of that person here.

    Attributes:
        key: The key of the signature, and the person whose it would be.
        others: Fingerprints of other keys of that person that are trusted here.
    """

    key: TrustedKey
    others: tuple[str, ...]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key."""
        return fingerprint(self.key.key)

    @property
    def person(self) -> str:
        """Name and id: anybody can have the name."""
        return f"{self.key.name} (id {self.key.actor})"


def _claim_of(file: Path) -> _Claim:
    name, signature = _signature_of(file)
    known = [one for one in trusted_keys() if one.actor == signature.actor]
    key = TrustedKey(actor=signature.actor, name=known[0].name if known else name, key=signature.key)
    is_known = signature.key in {one.key for one in known}
    return _Claim(key, others=() if is_known else tuple(fingerprint(one.key) for one in known))


def _require_choice(claim: _Claim, *, is_chosen: bool) -> None:
    if claim.others and not is_chosen:
        name = claim.key.name
        raise UserError(
            f"Another key of {claim.person} is trusted here: {', '.join(claim.others)}.",
            hint=f"Nothing was changed. Ask {name} whether the key is a new one: add --replace if {name} no "
            f"longer uses the other key, --add-key if {name} uses both.",
        )


def _question(claim: _Claim, file: Path) -> str:
    name = claim.key.name
    text = (
        f"{file.name} is signed in the name of {claim.person}; the key has the fingerprint "
        f"{claim.fingerprint}. Ask {name} by another way than it came for the fingerprint and the id "
        "(vantage key show), then: "
        f'vantage key trust {file.name} --fingerprint "{claim.fingerprint}"'
    )
    if not claim.others:
        return text
    return (
        f"{text} --replace. Another key of {name} is trusted here: {', '.join(claim.others)}; it is no "
        f"longer trusted then. With --add-key, both are."
    )


def _signature_of(file: Path) -> tuple[str, Signature]:
    """Return the name of the person who says to have signed a bundle or release, and the valid signature.

    Raises:
        UserError: There is none that fits, or a bundle names another author than its signature.
    """
    if file.is_dir():
        found = valid_signature(file)
        if found is not None:
            return found.name, found.signature
    else:
        manifest = read_manifest(file)
        if manifest.signature is not None and is_signed(manifest.signed_content, manifest.signature):
            _require_author(manifest, actor=manifest.signature.actor, file=file)
            return manifest.author, manifest.signature
    raise UserError(
        f"{file.name} has no valid signature.",
        hint="Ask its author to sign it: vantage bundle PROJECT FILE --sign, or vantage key sign RELEASE.",
    )


def _require_author(manifest: Manifest, *, actor: str, file: Path) -> None:
    """Refuse a bundle that is signed in the name of another person than the author that it names.

    Raises:
        UserError: It is one.
    """
    people = manifest.people
    authors = {one for one, name in people.items() if name == manifest.author}
    # Who only reads is not recorded in the project; neither is a new name before the next edit.
    if actor not in authors and (authors or actor in people):
        signer = people.get(actor, "somebody else")
        raise UserError(
            f"{file.name} says that it is by {manifest.author}, and is signed in the name of {signer} "
            f"(id {actor}).",
            hint=f"Its key was not trusted. If {manifest.author} has this id and the name is new, ask for a "
            "bundle that is signed after a further edit; otherwise do not use it.",
        )


VERBS = (key,)
