"""The verb key, and what bundle and merge say of signatures."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from annotator.domain.signature import TrustedKey, fingerprint, make_private_key, public_key, sign
from annotator.progress import Progress
from annotator.session import Session
from annotator.signing_keys import trust_key, trusted_keys
from annotator.store.bundles.bundle_file import Manifest
from annotator.store.bundles.exchange import export_bundle
from tests.unit.cli.conftest import Verb
from tests.unit.store.bundles.workstations import Workstation, joined
from tests.unit.store.making import an_item, created, write


def test_key_when_a_bundle_is_signed_then_is_trusted_by_its_fingerprint_and_verified(
    tmp_path: Path, verb: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work_as(name: str) -> None:
        monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path / name))

    work_as("ann")
    verb("people", "Ann", "--rename")
    bundle, copy = tmp_path / "all.bundle", tmp_path / "copy.vantage"
    Session.create(tmp_path / "p.vantage").close()
    assert "no key" in verb("key", "show").out
    refused = verb("bundle", tmp_path / "p.vantage", bundle, "--sign")
    assert (refused.status, bundle.exists()) == (2, False)
    own = verb("key", "make", "--json").json["fingerprint"]
    assert verb("key", "show", "--json").json["fingerprint"] == own
    assert verb("bundle", tmp_path / "p.vantage", bundle, "--sign", "--json").json["signed"] is True

    work_as("bob")
    assert "nobody has confirmed" in verb("merge", copy, bundle).out
    asked = verb("key", "trust", bundle)
    assert (asked.status, own in " ".join(asked.out.split())) == (1, True)
    assert verb("key", "show", "--json").json["trusted"] == []
    other = verb("key", "trust", bundle, "--fingerprint", "0000 1111")
    assert (other.status, "another fingerprint" in other.err) == (2, True)
    assert verb("key", "trust", bundle, "--fingerprint", own).status == 0
    assert verb("merge", copy, bundle, "--json").json["bundles"][0]["signature"] == "verified"
    assert verb("key", "show", "--json").json["trusted"][0]["name"] == "Ann"


ANN = "ann".ljust(32, "0")


@pytest.fixture
def ann(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workstation:
    """Ann with a project, where Bob trusts a key of hers; the commands run at his computer."""
    (station,) = joined(tmp_path, "ann")
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path / "bob"))
    trust_key(TrustedKey(actor=station.actor.id, name="Ann", key=public_key(make_private_key())))
    return station


def _signed_as_ann(station: Workstation, *, author: str, private: bytes) -> Path:
    """Write a bundle that says to be by an author, and is signed in the name of Ann."""
    target = station.path.with_name(f"{author}.bundle")
    with station.open() as session:
        project = session.reader.project.id
    export_bundle(
        station.path,
        target,
        manifest=Manifest.of(project=project, title="p", author=author),
        since=None,
        progress=Progress(),
        sign=partial(sign, actor=ANN, private_key=private),
    )
    return target


@pytest.mark.parametrize("flags", [(), ("--replace",)])
def test_trust_when_the_author_is_not_the_person_of_the_signature_then_is_refused(
    ann: Workstation, verb: Verb, flags: tuple[str, ...]
) -> None:
    private, before = make_private_key(), trusted_keys()
    forged = _signed_as_ann(ann, author="mallory", private=private)
    told = fingerprint(public_key(private))
    for said in (verb("key", "trust", forged), verb("key", "trust", forged, "--fingerprint", told, *flags)):
        assert said.status == 2
        assert f"by mallory, and is signed in the name of ann (id {ANN})" in " ".join(said.err.split())
    assert trusted_keys() == before


def test_trust_when_a_bundle_does_not_know_the_person_of_its_signature_then_is_refused(
    tmp_path: Path, verb: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path / "bob"))
    (mallory,) = joined(tmp_path, "mallory")
    private = make_private_key()
    forged = _signed_as_ann(mallory, author="mallory", private=private)
    said = verb("key", "trust", forged, "--fingerprint", fingerprint(public_key(private)))
    assert (said.status, f"somebody else (id {ANN})" in " ".join(said.err.split())) == (2, True)
    assert trusted_keys() == ()


@pytest.mark.parametrize(("flag", "count"), [("--replace", 1), ("--add-key", 2)])
def test_trust_when_another_key_of_the_person_is_trusted_then_demands_to_say_what_becomes_of_it(
    ann: Workstation, verb: Verb, flag: str, count: int
) -> None:
    (first,) = trusted_keys()
    private = make_private_key()
    bundle, told = _signed_as_ann(ann, author="ann", private=private), fingerprint(public_key(private))
    asked = " ".join(verb("key", "trust", bundle).out.split())
    assert f"in the name of Ann (id {ANN})" in asked
    assert fingerprint(first.key) in asked
    refused = verb("key", "trust", bundle, "--fingerprint", told)
    assert (refused.status, "--replace" in refused.err, trusted_keys()) == (2, True, (first,))
    assert verb("key", "trust", bundle, "--fingerprint", told, flag).status == 0
    keys = trusted_keys()
    assert (len(keys), keys[-1].key, keys[-1].name) == (count, public_key(private), "Ann")
    # Of a trusted key there is nothing to choose.
    assert verb("key", "trust", bundle, "--fingerprint", told).status == 0
    assert len(trusted_keys()) == count


def test_key_when_a_release_is_signed_then_verify_says_by_whom(
    tmp_path: Path, verb: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path / "ann"))
    with Session.create(tmp_path / "p.vantage") as session:
        write(session, created("item", an_item(state="accepted")))
    made = verb(
        "release", tmp_path / "p.vantage", tmp_path / "out", "--format", "native", "--include-flagged"
    )
    assert made.status == 0, made.err
    assert verb("key", "sign", tmp_path / "out").status == 2
    own = verb("key", "make", "--json").json["fingerprint"]
    assert verb("key", "sign", tmp_path / "out").status == 0
    assert "the release is signed by" in verb("verify", tmp_path / "out").out
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path / "bob"))
    assert "Nobody here has confirmed it" in verb("verify", tmp_path / "out").out
    assert verb("key", "trust", tmp_path / "out", "--fingerprint", own).status == 0
    assert "the release is signed by" in verb("verify", tmp_path / "out").out
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path / "ann"))
    (file,) = (tmp_path / "out").glob("*.jsonl")
    file.write_bytes(file.read_bytes() + b" ")
    assert "is not signed: " in verb("key", "sign", tmp_path / "out").err


def test_release_when_it_is_signed_at_once_then_verify_with_its_project_says_by_whom(
    tmp_path: Path, verb: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, out = tmp_path / "p.vantage", tmp_path / "out"
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path / "ann"))
    with Session.create(project) as session:
        write(session, created("item", an_item(state="accepted")))
    release = ("release", project, out, "--format", "native", "--include-flagged")
    refused = verb(*release, "--sign")
    assert (refused.status, out.exists()) == (2, False)
    assert "has no signing key" in refused.err
    verb("key", "make")
    assert verb(*release, "--json").json["signed"] is False
    assert "signed by" not in verb("verify", project, "--release", out).out
    made = verb(*release, "--sign", "--json")
    assert (made.status, made.json["signed"], made.json["unchanged"]) == (0, True, True)
    assert "the release is signed by" in verb("verify", project, "--release", out).out
    signature = out / "signature.json"
    signature.write_text(signature.read_text().replace('"name":"', '"name":"not ', 1))
    said = verb("verify", project, "--release", out)
    assert (said.status, "signature does not fit" in said.out, "signed by" in said.out) == (1, True, False)


def test_key_when_a_bundle_is_not_signed_then_there_is_nothing_to_trust(tmp_path: Path, verb: Verb) -> None:
    Session.create(tmp_path / "p.vantage").close()
    verb("bundle", tmp_path / "p.vantage", tmp_path / "all.bundle")
    said = verb("key", "trust", tmp_path / "all.bundle")
    assert (said.status, "has no valid signature" in said.err) == (2, True)
