"""The verb key, and what bundle and merge say of signatures."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.session import Session
from tests.unit.cli.conftest import Verb
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
