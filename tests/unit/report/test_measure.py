from __future__ import annotations

from pathlib import Path

import msgspec

from annotator.domain.comment import Comment
from annotator.domain.item import Provenance
from annotator.domain.record import Record, new_id
from annotator.domain.source import Source
from annotator.progress import Progress
from annotator.release.splits import Split, SplitSettings
from annotator.report.figures import ProjectFigures
from annotator.report.measure import measure_report
from annotator.session import Session
from tests.unit.release.samples import (
    PLACES,
    UAV1,
    UAV2,
    aircop_item,
    fill,
    flag,
    label,
    release,
    urbanvideo_item,
)

SOURCE = Source(id="9" * 32, name="MCQ.csv", format="urbanvideo", sha256="ab" * 32, records=7, rejected=2)


def _measured(
    folder: Path, *records: Record, positions: tuple[Record, ...] = PLACES, form: str = "native"
) -> ProjectFigures:
    with Session.create(folder / "p.vantage") as session:
        fill(session, *records, positions=positions)
        release(session, folder / "out", form, include_flagged=True)
    found = measure_report(folder / "out", project=folder / "p.vantage", progress=Progress())
    assert found.project is not None
    return found.project


def _comment(target: str, text: str) -> Comment:
    return Comment(id=new_id(), entity="item", target=target, text=text)


def test_reasons_when_items_were_filtered_or_rejected_then_they_are_counted_by_what_was_said(
    tmp_path: Path,
) -> None:
    kept = aircop_item()
    left = [aircop_item(name=f"r{n}", question=f"Which {n}?", state="rejected") for n in range(4)]
    guessed, other = (aircop_item(name=name, question=name, state="filtered") for name in "fg")
    comments = [_comment(left[0].id, "First thought."), *(_comment(one.id, "No  van.") for one in left[:3])]
    found = _measured(
        tmp_path,
        kept,
        *left,
        guessed,
        other,
        *comments,
        flag(guessed, kind="blind_guessed", state="resolved"),
    )
    assert found.states == {"drafted": 1, "filtered": 2, "rejected": 4}
    assert found.reasons == {
        "rejected: No van.": 3,
        "filtered: No flag of the blind filter says why": 1,
        "filtered: The blind filter found that it is guessed without the images": 1,
        "rejected: No reason is recorded": 1,
    }


def test_report_when_answer_keys_are_hidden_then_nothing_is_counted_that_tells_them(tmp_path: Path) -> None:
    item = aircop_item(media=(UAV1.id,), provenance=Provenance(source=SOURCE.id))
    splits = SplitSettings(splits=(Split(name="a", share=0.5), Split(name="b", share=0.5)), hidden=("a", "b"))
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, item, label(degradations=("noise",), quality=2), positions=(*PLACES, SOURCE))
        release(session, tmp_path / "out", "native", include_flagged=True, splits=splits)
    report = measure_report(tmp_path / "out", project=tmp_path / "p.vantage", progress=Progress())
    found = report.project
    assert found is not None
    assert (found.hidden, found.labels.labels, found.labels.degradations) == (1, 0, {})
    assert (found.blind, found.consensus, found.people.agreement) == ((), (), ())
    assert "ab" * 32 not in msgspec.json.encode(report).decode()
    assert {one.id for one in found.distributions}.isdisjoint({"regions", "path", "answers"})


def test_labels_when_the_released_items_show_an_image_then_its_degradations_are_counted(
    tmp_path: Path,
) -> None:
    item = aircop_item(media=(UAV1.id,))
    labels = [
        label(degradations=("noise", "occlusion"), quality=2, usable=False),
        label(degradations=("noise",), quality=5),
        label(medium=UAV2.id, view="UAV2", degradations=("blur",)),
    ]
    found = _measured(tmp_path, item, *labels).labels
    assert (found.labels, found.unusable) == (2, 1)
    assert found.degradations == {"noise": 2, "occlusion": 1}
    assert found.quality == {"2": 1, "5": 1}


def test_members_when_a_format_cannot_hold_an_item_then_it_is_not_counted(tmp_path: Path) -> None:
    made = Provenance(made_by="import", maker="urbanvideo", source=SOURCE.id)
    items = (urbanvideo_item(provenance=made), aircop_item(), urbanvideo_item(name="2", answer_key="Z"))
    found = _measured(tmp_path, *items, positions=(*PLACES, SOURCE), form="urbanvideo")
    assert [(line.task, line.items) for line in found.tasks] == [("urbanvideo/action_generation", 1)]
    assert found.origins == {"import urbanvideo": 1}
    assert [(line.name, line.records, line.rejected, line.items) for line in found.sources] == [
        ("MCQ.csv", 7, 2, 1)
    ]


def test_report_when_a_format_holds_labels_then_these_are_counted_and_no_items(tmp_path: Path) -> None:
    found = _measured(tmp_path, aircop_item(), label(), form="label-values")
    assert found.tasks == ()
    assert (found.labels.labels, found.labels.quality) == (1, {"5": 1})


def test_card_figures_when_measured_again_then_are_those_of_the_written_card(tmp_path: Path) -> None:
    media = [msgspec.structs.replace(one, licence="MIT") if one.id == UAV1.id else one for one in PLACES]
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, aircop_item(), positions=tuple(media))
        release(session, tmp_path / "out", "aircop", include_flagged=True)
    found = measure_report(tmp_path / "out", project=tmp_path / "p.vantage", progress=Progress())
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert [(one.source, one.licence, one.media) for one in found.card.licences] == [
        ("Real_2_UAVs", "", 1),
        ("Real_2_UAVs", "MIT", 1),
    ]
    assert "| Real_2_UAVs | MIT | 1 |" in card
    assert "| Real_2_UAVs | not stated | 1 |" in card
