"""Signed bundles: who wrote them is proved to those who trust the key, and a forged one is refused."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.domain.signature import TrustedKey, make_private_key, public_key, sign
from annotator.errors import UserError
from annotator.session import Session
from annotator.signing_keys import make_key, trust_key
from annotator.store.bundles.bundle_file import EVENTS, MANIFEST, Manifest, read_manifest
from annotator.store.bundles.exchange import MergeReport
from tests.unit.store.bundles.workstations import Workstation, item, joined


class Signing:
    """Two people on machines with settings of their own; Bob receives what Ann signs."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._monkeypatch = folder, monkeypatch
        self.ann, self.bob = joined(folder, "ann", "bob")
        self.ann.add(item("a1"))
        self.at(self.ann)
        self.key = make_key(self.ann.actor)

    def at(self, station: Workstation) -> None:
        """Work at a person's machine from here on."""
        self._monkeypatch.setenv("VANTAGE_CONFIG", str(station.path.parent / "settings"))

    def bundle(self, *, of: Workstation | None = None, is_signed: bool = True) -> Path:
        station = of or self.ann
        self.at(station)
        target = self._folder / f"{len(list(self._folder.iterdir()))}.bundle"
        with station.open() as session:
            session.export_bundle(target, is_signed=is_signed)
        return target

    def receive(self, bundle: Path) -> MergeReport:
        self.at(self.bob)
        (report,) = self.bob.merge(bundle)
        return report

    def trust_ann(self) -> None:
        self.at(self.bob)
        trust_key(TrustedKey(actor=self.ann.actor.id, name="ann", key=self.key))


@pytest.fixture
def signing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Signing:
    return Signing(tmp_path, monkeypatch)


def _rewritten(bundle: Path, **fields: Any) -> Path:
    """Write the events of a bundle again, with other fields in its manifest."""
    with zipfile.ZipFile(bundle) as archive:
        events = archive.read(EVENTS)
    manifest = msgspec.structs.replace(read_manifest(bundle), **fields)
    target = bundle.with_name(f"forged-{bundle.name}")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(EVENTS, events)
        archive.writestr(MANIFEST, msgspec.json.encode(manifest))
    return target


def _signed_by(bundle: Path, *, actor: str, private: bytes) -> Manifest:
    manifest = read_manifest(bundle)
    return msgspec.structs.replace(
        manifest, signature=sign(manifest.signed_content, actor=actor, private_key=private)
    )


def test_bundle_when_signed_with_a_trusted_key_then_its_author_is_proved(signing: Signing) -> None:
    signing.trust_ann()
    report = signing.receive(signing.bundle())
    assert (report.signature, report.author, report.added > 0) == ("verified", "ann", True)
    assert report.unsigned == ()
    assert signing.receive(signing.bundle()).signature == "verified"


def test_bundle_when_nobody_has_confirmed_the_key_then_is_merged_and_proves_nothing(signing: Signing) -> None:
    report = signing.receive(signing.bundle())
    assert (report.signature, report.added > 0) == ("unknown", True)


def test_bundle_when_not_signed_then_events_of_a_trusted_person_are_named(signing: Signing) -> None:
    signing.trust_ann()
    report = signing.receive(signing.bundle(is_signed=False))
    assert (report.signature, report.unsigned) == ("", ("ann",))


@pytest.mark.parametrize("field", ["author", "title", "ends", "people"])
def test_bundle_when_changed_after_it_was_signed_then_is_refused(signing: Signing, field: str) -> None:
    bundle, before = signing.bundle(), signing.bob.content()
    value: object = "Mallory" if field in {"author", "title"} else {"x": "y"}
    with pytest.raises(UserError, match="does not fit the bundle"):
        signing.receive(_rewritten(bundle, **{field: value}))
    assert signing.bob.content() == before


def test_bundle_when_somebody_signs_in_the_name_of_another_then_is_refused(signing: Signing) -> None:
    signing.trust_ann()
    bundle, before = signing.bundle(is_signed=False), signing.bob.content()
    forged = _signed_by(bundle, actor=signing.ann.actor.id, private=make_private_key())
    with pytest.raises(UserError, match="signed in the name of ann, with a key that is not trusted"):
        signing.receive(_rewritten(bundle, signature=forged.signature))
    assert signing.bob.content() == before
    # Neither does a project come of it.
    with pytest.raises(UserError, match="not trusted"):
        Session.create_from_bundle(
            bundle.with_name("copy.vantage"), _rewritten(bundle, signature=forged.signature)
        )
    assert not bundle.with_name("copy.vantage").exists()


def test_bundle_when_the_signature_of_another_person_is_put_on_then_is_refused(signing: Signing) -> None:
    bundle = signing.bundle()
    signature = read_manifest(bundle).signature
    assert signature is not None
    claimed = msgspec.structs.replace(signature, actor=signing.bob.actor.id)
    with pytest.raises(UserError, match="does not fit the bundle"):
        signing.receive(_rewritten(bundle, signature=claimed))


def test_bundle_when_a_trusted_person_passes_on_events_of_another_then_they_are_named(
    signing: Signing, tmp_path: Path
) -> None:
    bob_bundle = signing.bundle(of=signing.bob, is_signed=False)
    signing.at(signing.ann)
    signing.ann.merge(bob_bundle)
    (tmp_path / "cid").mkdir()
    cid = Workstation(tmp_path / "cid" / "p.vantage", person="cid")
    signing.at(cid)
    Session.create_from_bundle(cid.path, bob_bundle, actor=cid.actor).close()
    for person, key in (
        (signing.ann.actor, signing.key),
        (signing.bob.actor, public_key(make_private_key())),
    ):
        trust_key(TrustedKey(actor=person.id, name=person.name, key=key))
    signing.bob.add(item("b1"))
    signing.at(signing.ann)
    signing.ann.merge(signing.bundle(of=signing.bob, is_signed=False))
    bundle = signing.bundle()
    signing.at(cid)
    (report,) = cid.merge(bundle)
    assert (report.signature, report.author, report.unsigned) == ("verified", "ann", ("bob",))


def test_key_when_made_then_only_its_owner_can_read_it_and_no_project_has_it(signing: Signing) -> None:
    signing.at(signing.ann)
    file = signing.ann.path.parent / "settings" / "signing" / f"{signing.ann.actor.id}.key"
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
    bundle = signing.bundle()
    private = file.read_bytes()
    assert private not in signing.ann.path.read_bytes()
    with zipfile.ZipFile(bundle) as archive:
        assert private not in archive.read(MANIFEST)
    with pytest.raises(UserError, match="ann has a signing key"):
        make_key(signing.ann.actor)


def test_bundle_when_its_author_has_no_key_then_signing_says_how_to_make_one(signing: Signing) -> None:
    with pytest.raises(UserError, match=r"bob has no signing key.*vantage key make"):
        signing.bundle(of=signing.bob)


@pytest.mark.skipif(os.name != "posix", reason="Windows has other permissions")
def test_key_when_others_can_read_it_then_is_not_used(signing: Signing) -> None:
    file = signing.ann.path.parent / "settings" / "signing" / f"{signing.ann.actor.id}.key"
    file.chmod(0o644)
    with pytest.raises(UserError, match="can be read by others"):
        signing.bundle()
