"""Variants in releases: their links, their counts, and that splits and hidden keys keep them with sources."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.commands.imports import ImportFiles
from annotator.commands.variants import MakeVariants
from annotator.domain.item import Item
from annotator.domain.item_variants import link_to
from annotator.domain.medium import Medium
from annotator.draft.variants.variant_rule import VariantSettings
from annotator.release.manifest import CARD
from annotator.release.released_splits import SPLIT_LIST
from annotator.release.splits import Split, SplitSettings
from annotator.session import Session
from tests.unit.release.samples import PICTURE, aircop_item, fill, release, spatialuav_item, urbanvideo_item
from tests.unit.scoring.released import evaluated, write_lines

HALVES = (Split(name="dev", share=0.5), Split(name="test", share=0.5))
SOURCES = 12


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Give a project with items on images of their own, each with a multiple-choice variant."""
    media = [Medium(id=f"{n:032x}", name=f"{n}.jpg", path=f"{n}.jpg") for n in range(2 * SOURCES)]
    items = [
        spatialuav_item(
            id=f"a{n:031x}",
            name=f"Region_Recognition_{n:05}",
            question=f"Which regions show sign {n * 7}?",
            media=(media[n].id,),
            answer_key=f"Region {n + 1}",
        )
        for n in range(SOURCES)
    ]
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *items, positions=tuple(media))
        command = MakeVariants(
            items=tuple(item.id for item in items),
            settings=VariantSettings(kind="choice"),
            roots=session.roots,
        )
        session.execute(command).result()
        yield session


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_native_when_released_then_links_are_lossless_and_counted(session: Session, tmp_path: Path) -> None:
    manifest = release(session, tmp_path / "out", "native").manifest
    assert manifest.counts["variant"] == {"choice": SOURCES}
    assert "| choice | 12 |" in (tmp_path / "out" / CARD).read_text(encoding="utf-8")
    kept = {item.id: item for item in session.reader.records(Item)}
    with Session.create(tmp_path / "other.vantage") as other:
        other.execute(ImportFiles(paths=(tmp_path / "out",))).result()
        assert {item.id: item for item in other.reader.records(Item)} == kept


def test_manifest_when_no_item_is_a_variant_then_counts_none(tmp_path: Path) -> None:
    with Session.create(tmp_path / "plain.vantage") as plain:
        fill(plain, spatialuav_item(extras={"variant": {"kind": "mine"}}))
        assert "variant" not in release(plain, tmp_path / "out", "native").manifest.counts


def test_records_when_released_then_name_the_source(session: Session, tmp_path: Path) -> None:
    manifest = release(session, tmp_path / "out", "huggingface").manifest
    assert manifest.counts["variant"] == {"choice": SOURCES}
    links = {
        row["id"]: (row["variant"], row["variant_of"])
        for row in lines(tmp_path / "out/data/spatialuav.jsonl")
    }
    assert links["Region_Recognition_00003"] == ("", "")
    assert links["Region_Recognition_00003-choice"] == ("choice", "Region_Recognition_00003")
    # Read back and released again, the records are the same.
    with Session.create(tmp_path / "other.vantage") as other:
        other.execute(ImportFiles(paths=(tmp_path / "out/data/spatialuav.jsonl",))).result()
        release(other, tmp_path / "again", "huggingface")
    assert lines(tmp_path / "again/data/spatialuav.jsonl") == lines(tmp_path / "out/data/spatialuav.jsonl")


def test_tables_when_released_then_have_columns_of_the_link_only_for_variants(tmp_path: Path) -> None:
    source = urbanvideo_item()
    variant = urbanvideo_item(name="1002", variant=link_to(source, "resolution"))
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, source, variant)
        release(session, tmp_path / "urban", "urbanvideo")
    (path,) = (tmp_path / "urban").glob("*.csv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["variant"], row["variant_of"]) for row in rows] == [("", ""), ("resolution", source.name)]
    with Session.create(tmp_path / "q.vantage") as session:
        fill(session, source)
        release(session, tmp_path / "plain", "urbanvideo")
    assert "variant" not in next((tmp_path / "plain").glob("*.csv")).read_text(encoding="utf-8-sig")


def test_splits_when_a_variant_shows_other_media_then_stays_with_its_source(
    session: Session, tmp_path: Path
) -> None:
    # As high-resolution versions do: nothing but the link joins them.
    for n, item in enumerate(session.reader.records(Item)):
        if item.variant is not None:
            moved = msgspec.structs.replace(item, id=f"b{n:031x}", name=f"{n}-moved", media=(f"{n:032x}",))
            fill(session, moved, positions=())
    for seed in range(5):
        release(session, tmp_path / f"{seed}", "native", splits=SplitSettings(splits=HALVES, seed=seed))
        split_of = {entry["name"]: entry["split"] for entry in lines(tmp_path / f"{seed}" / SPLIT_LIST)}
        assert set(split_of.values()) == {"dev", "test"}
        items = {item.id: item for item in session.reader.records(Item)}
        for item in items.values():
            if item.variant is not None:
                assert split_of[item.name] == split_of[items[item.variant.source].name]


def test_hidden_keys_when_released_then_the_digests_of_sources_are_left_out(
    session: Session, tmp_path: Path
) -> None:
    settings = SplitSettings(splits=HALVES, hidden=("dev", "test"))
    release(session, tmp_path / "out", "native", splits=settings)
    records = [row["record"] for row in lines(tmp_path / "out/records.jsonl") if row["entity"] == "item"]
    links = [record["variant"] for record in records if "variant" in record]
    assert len(links) == SOURCES
    # A digest of question and answer key would confirm a guess of the key.
    assert {link["source_digest"] for link in links} == {""}


def test_scores_when_items_are_variants_then_are_grouped_by_kind(session: Session, tmp_path: Path) -> None:
    release(session, tmp_path / "out", "native")
    items = list(session.reader.records(Item))
    said = [
        {"item": item.name, "prediction": item.answer_key if item.variant else "Region 99"} for item in items
    ]
    tables = evaluated(tmp_path / "out", write_lines(tmp_path / "p.jsonl", said)).tables
    found = {kind: (one.total, one.exact_pct) for kind, one in tables.variants.items()}
    assert found == {"choice": (SOURCES, 100.0), "none": (SOURCES, 0.0)}
    assert tables.variant_intervals.keys() == found.keys()


def test_scores_when_no_item_is_a_variant_then_have_no_such_group(tmp_path: Path) -> None:
    with Session.create(tmp_path / "plain.vantage") as plain:
        fill(plain, aircop_item(media=(PICTURE.id,)))
        release(plain, tmp_path / "out", "native")
    path = write_lines(tmp_path / "p.jsonl", [{"item": "Real2_OC_UAV1_1", "prediction": "B"}])
    assert evaluated(tmp_path / "out", path).tables.variants == {}
