from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from annotator import __version__
from annotator.commands.release_gates import RequireGates, WaiveGate
from annotator.domain.actor import Actor
from annotator.domain.item import Provenance
from annotator.domain.source import Source
from annotator.progress import Progress
from annotator.release.document import DocumentTable, shown_text
from annotator.release.manifest import CARD, canary_of, read_manifest, verify_release
from annotator.release.markdown import escape
from annotator.release.splits import Split, SplitSettings
from annotator.session import Session
from tests.unit.release.samples import CLIP, PLACES, aircop_item, fill, release, urbanvideo_item

SOURCE = Source(id="9" * 32, name="MCQ | new.csv", format="urbanvideo", sha256="0" * 64, licence="CC-BY-4.0")
PERSON = Actor(id="a" * 32, name="Li Na")


def _project(path: Path) -> Session:
    clip = msgspec.structs.replace(CLIP, source=SOURCE.id)
    positions = (*(location for location in PLACES if location.id != CLIP.id), clip, SOURCE)
    session = Session.create(path, actor=PERSON)
    fill(
        session,
        aircop_item(state="accepted"),
        aircop_item(name="b", question="Which?", state="rejected"),
        urbanvideo_item(provenance=Provenance(made_by="import", source=SOURCE.id)),
        positions=positions,
    )
    return session


def _card(folder: Path) -> str:
    return (folder / CARD).read_text(encoding="utf-8")


def test_card_when_a_release_is_made_then_its_numbers_are_those_of_the_manifest(tmp_path: Path) -> None:
    with _project(tmp_path / "p.vantage") as session:
        release(session, tmp_path / "out", "native")
    manifest, card = read_manifest(tmp_path / "out"), _card(tmp_path / "out")
    assert f"{manifest.records} records in the format native" in card
    assert f"Release number (SHA-256): {manifest.sha256}" in card
    assert f"Made with Vantage {__version__}." in card
    for task, n in manifest.counts["task"].items():
        assert f"| {task} | {n} | {n / manifest.records:.1%} |" in card
    assert "| state:rejected | 1 |" in card
    assert "| MCQ \\| new.csv | CC-BY-4.0 | 1 |" in card
    assert "| Real_2_UAVs | not stated | 2 |" in card
    assert "No licence is stated for 3 media files." in card
    assert "1 of 2 items are not accepted." in card


def test_card_when_a_gate_is_waived_then_reason_and_person_are_stated(tmp_path: Path) -> None:
    with _project(tmp_path / "p.vantage") as session:
        session.execute(RequireGates(gates=("second-look",))).result()
        waiver = WaiveGate(gate="second-look", reason="Pilot | first", failing=2, person=PERSON.id)
        session.execute(waiver).result()
        release(session, tmp_path / "out", "native")
    card = _card(tmp_path / "out")
    assert "| Second look is done | waived | 2 | 2 | items | Pilot \\| first | Li Na |" in card
    assert "Waived gate: Second look is done, 2 items." in card


def test_card_when_the_release_is_divided_then_splits_and_seed_are_stated(tmp_path: Path) -> None:
    splits = SplitSettings(splits=(Split(name="dev", share=0.5), Split(name="test", share=0.5)), seed=41)
    with _project(tmp_path / "p.vantage") as session:
        release(session, tmp_path / "out", "native", splits=splits)
    card = _card(tmp_path / "out")
    assert "| dev | 1 | 50.0% |" in card
    assert "Seed 41; 2 groups of items" in card


def test_card_when_the_release_is_made_again_then_no_byte_differs(tmp_path: Path) -> None:
    with _project(tmp_path / "p.vantage") as session:
        for name in ("one", "two"):
            release(session, tmp_path / name, "urbanvideo")
    assert _card(tmp_path / "one") == _card(tmp_path / "two")
    assert release_bytes(tmp_path / "one") == release_bytes(tmp_path / "two")


def release_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_verify_when_the_card_is_changed_then_it_is_named(tmp_path: Path) -> None:
    with _project(tmp_path / "p.vantage") as session:
        release(session, tmp_path / "out", "native")
    assert verify_release(tmp_path / "out", progress=Progress()) == []
    (tmp_path / "out" / CARD).write_text("Nothing was waived.", encoding="utf-8")
    assert [(p.file, p.kind) for p in verify_release(tmp_path / "out")] == [(CARD, "changed")]


def test_canary_when_read_then_card_and_manifest_have_that_of_the_release_number(tmp_path: Path) -> None:
    with _project(tmp_path / "p.vantage") as session:
        release(session, tmp_path / "out", "native")
    manifest = read_manifest(tmp_path / "out")
    assert manifest.canary == canary_of(manifest.sha256)
    assert f"Canary: {manifest.canary}" in _card(tmp_path / "out")
    assert canary_of("0" * 64) != manifest.canary
    other = msgspec.structs.replace(manifest, canary=canary_of("0" * 64))
    (tmp_path / "out" / "manifest.json").write_bytes(other.to_bytes())
    (problem,) = verify_release(tmp_path / "out")
    assert problem.message == "The canary string is not that of the release number."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>alert(1)</script>", "\\<script\\>alert(1)\\</script\\>"),
        ("a | b", "a \\| b"),
        ("# no\n\nheading", "\\# no heading"),
        ("![x](http://x)", "\\!\\[x\\](http://x)"),
        ("snake_case", "snake_case"),
        ("_stressed_", "\\_stressed\\_"),
        ("NUL \0 and \ud800", "NUL \N{REPLACEMENT CHARACTER} and \N{REPLACEMENT CHARACTER}"),
        ("\u202etxt.exe", "txt.exe"),
    ],
)
def test_escape_when_a_text_is_hostile_then_it_stays_a_text(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_shown_text_when_a_text_is_very_long_then_its_beginning_and_length_are_shown() -> None:
    shown = shown_text("word " * 20_000)
    assert len(shown) < 330
    assert shown.endswith("… (100,000 characters)")


def test_table_when_it_has_too_many_rows_then_a_note_says_how_many_there_are() -> None:
    table = DocumentTable(title="", head=("a",), rows=tuple((str(n),) for n in range(1_234)))
    assert len(table.shown) == 200
    assert re.search("200 rows of 1,234", table.notes[-1])
