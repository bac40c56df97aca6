from __future__ import annotations

import struct
from pathlib import Path

import av
import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from annotator.commands.comments import WriteComment
from annotator.commands.item_states import ChangeState
from annotator.commands.records import DecideFlags
from annotator.commands.regions import AddRegion
from annotator.domain.item import Item
from annotator.domain.item_variants import link_to
from annotator.domain.medium import Medium
from annotator.domain.record_types import record_type
from annotator.domain.region import Box
from annotator.errors import VantageError
from annotator.media.image_loader import MOST_PIXELS
from annotator.media.media_cache import MediaResult
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import packing
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.item_fields import SetItemField
from tests.unit.store.making import Write, created
from tests.windows import NO_SIZE_HINTS, make_flag, make_item
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.display_text import local_time
from widgets.library.flags_view import FlagCard, grouped
from widgets.library.history_view import history_records
from widgets.library.image_loader import ImageFrame, LoadedImage, picture_of, picture_request
from widgets.library.inspector import Inspector
from widgets.library.item_form import KeyDot, keys_of
from widgets.library.label_table import LabelTable
from widgets.library.record_details import ItemDetail, RecordDetail, SceneDetail, read_detail
from widgets.library.record_form import FoldButton
from widgets.media_loader import MediaLoader
from widgets.medium_view import MediumView

# An APP1 segment with one EXIF entry: orientation 6, "turn a quarter clockwise to see it upright".
ENTRY = struct.pack("<HHII", 0x0112, 3, 1, 6)
EXIF = b"Exif\0\0II*\0" + struct.pack("<IH", 8, 1) + ENTRY + bytes(4)
EXIF_TURNED = struct.pack(">HH", 0xFFE1, len(EXIF) + 2) + EXIF


class Bench:
    """An inspector on the screen over a session."""

    def __init__(self, inspector: Inspector, session: Session, qtbot: PatientBot) -> None:
        self.inspector, self.session, self.qtbot = inspector, session, qtbot

    def show(self, entity: str, name: str) -> RecordDetail:
        column = next(self.session.reader.find(record_type(entity), name=name))
        rows = self.session.reader.scenes.page if entity == "scene" else self.session.reader.items.page
        row = next(row for row in rows(_everything(entity)) if row.id == column.id)  # type: ignore[arg-type]
        self.inspector.show_row(row, entity=entity)
        self.settle()
        assert self.inspector.detail is not None
        return self.inspector.detail

    def settle(self) -> None:
        self.qtbot.settle(self.inspector.is_settled)

    def texts(self, widget: QWidget | None = None) -> list[str]:
        return [label.text() for label in (widget or self.inspector).findChildren(QLabel) if label.text()]


def _everything(entity: str) -> object:
    from annotator.domain.query import ItemQuery, SceneQuery

    return SceneQuery() if entity == "scene" else ItemQuery()


@pytest.fixture
def bench(
    session: Session,
    bridge: Bridge,
    registry: ActionRegistry,
    media: MediaLoader,
    qtbot: PatientBot,
    guard_messages: Messages,
) -> Bench:
    guard_messages.allow(NO_SIZE_HINTS)
    inspector = Inspector(session=session, bridge=bridge, registry=registry, media=media)
    qtbot.addWidget(inspector)
    inspector.resize(400, 800)
    inspector.show()
    return Bench(inspector, session, qtbot)


@pytest.fixture
def picture(session: Session) -> Path:
    """Write the picture of UAV1: left half red, right half blue."""
    image = QImage(640, 360, QImage.Format.Format_RGB32)
    for x in range(640):
        for y in range(360):
            image.setPixelColor(x, y, QColor("red" if x < 320 else "blue"))
    file = session.media_root / "0001-UAV1.png"
    file.parent.mkdir()
    assert image.save(str(file))
    return file


def shown(file: Path, *, kind: str = "image") -> MediumView:
    return MediumView(view="UAV1", medium=Medium(id="1", name=file.name, media_type=kind), file=file)  # type: ignore[arg-type]


def test_item_when_shown_then_all_that_matters_can_be_read(bench: Bench) -> None:
    detail = bench.show("item", "item_00001")
    texts = bench.texts(bench.inspector.record)
    item = detail.item if isinstance(detail, ItemDetail) else None
    assert item is not None
    assert item.question in texts
    assert {"A", "4", "B", "7", "Drafted", "AirCopBench", "Option letter", "0001"} <= set(texts)
    assert detail.id not in texts
    assert bench.inspector.name.text() == "item_00001"
    assert [tab.text() for tab in bench.inspector.tabs] == ["Record", "Flags 1", "History 2", "Evidence"]


def test_item_when_shown_then_the_key_is_the_option_with_the_filled_dot(bench: Bench) -> None:
    bench.show("item", "item_00001")
    assert [dot.is_key for dot in bench.inspector.record.findChildren(KeyDot)] == [False, True]


def test_item_when_its_key_is_no_option_then_that_is_said(bench: Bench) -> None:
    item = next(bench.session.reader.find(Item, name="item_00001"))
    bench.session.execute(SetItemField(item=item.id, field="answer_key", value="E")).result()
    bench.show("item", "item_00001")
    assert "The answer key “E” is not one of the options." in bench.texts()


def test_item_when_another_is_shown_then_its_rows_are_kept(bench: Bench) -> None:
    bench.show("item", "item_00001")
    before = set(bench.inspector.record.findChildren(QLabel))
    bench.show("item", "item_00002")
    after = [part for part in bench.inspector.record.findChildren(QLabel) if part.isVisible()]
    assert len(after) > 10
    assert set(after) <= before


def test_record_when_shown_after_others_then_reads_as_in_a_new_inspector(
    bench: Bench, bridge: Bridge, registry: ActionRegistry, media: MediaLoader, qtbot: PatientBot
) -> None:
    records = [("item", "item_00001"), ("scene", "0001"), ("item", "item_00002"), ("item", "item_00003")]
    for entity, name in (*records, *reversed(records)):
        bench.show(entity, name)
        new = Inspector(session=bench.session, bridge=bridge, registry=registry, media=media)
        qtbot.addWidget(new)
        new.resize(bench.inspector.size())
        new.show()
        fresh = Bench(new, bench.session, qtbot)
        fresh.show(entity, name)
        # Both are laid out with the next events.
        qtbot.waitUntil(lambda record=new.record: read(bench.inspector.record) == read(record))
        new.close()


def read(form: QWidget) -> list[tuple[str, str, int]]:
    """Return the text, role and height of the visible labels of a form from top to bottom."""
    shown = [part for part in form.findChildren(QLabel) if part.isVisible()]
    positions = {part: part.mapTo(form, part.rect().topLeft()) for part in shown}
    shown.sort(key=lambda part: (positions[part].y(), positions[part].x()))
    return [(part.text(), part.property("role"), positions[part].y()) for part in shown]


def test_item_when_its_text_looks_like_markup_then_every_label_is_plain(bench: Bench) -> None:
    bench.show("item", "item_00002")
    assert "How good is <b>the picture</b>?" in bench.texts()
    formats = {label.textFormat() for label in bench.inspector.findChildren(QLabel)}
    assert formats == {Qt.TextFormat.PlainText}


def test_item_when_imported_then_source_place_and_original_can_be_seen(bench: Bench) -> None:
    bench.show("item", "item_00003")
    assert {"Imported", "questions.json", "record 3", "AirCopBench questions (JSON)"} <= set(bench.texts())
    fold = bench.inspector.record.findChild(FoldButton)
    assert fold is not None
    assert fold.findChild(QPlainTextEdit) is None
    fold.button.click()
    text = fold.findChild(QPlainTextEdit)
    assert text.toPlainText() == '{\n  "question": "Welche Region?"\n}'
    bench.qtbot.waitUntil(text.isVisible)


def test_keys_of_when_several_are_right_then_are_all() -> None:
    item = Item(name="x", task_set="t", answer_key="A, C", options=())
    assert keys_of(item) == set()


def test_scene_when_shown_then_labels_stand_in_a_table_by_view(bench: Bench) -> None:
    detail = bench.show("scene", "0001")
    assert isinstance(detail, SceneDetail)
    model = bench.inspector.record.findChild(LabelTable).model()
    answers = {
        model.headerData(row, Qt.Orientation.Vertical): model.data(model.index(row, 0))
        for row in range(model.rowCount())
    }
    assert model.headerData(0, Qt.Orientation.Horizontal) == "UAV1"
    assert answers["Quality"] == "4  Good"
    assert answers["Count"] == "about 60"
    assert answers["Object types"] == "Vehicles"
    assert answers["Degradation"] == "none"
    assert answers["Who"] == "–"
    assert "around 60  →  60" in bench.texts()


def test_record_when_another_is_wanted_meanwhile_then_only_that_is_shown(bench: Bench) -> None:
    seen: list[RecordDetail] = []
    bench.inspector.shown.connect(seen.append)
    for row in bench.session.reader.items.page(_everything("item")):  # type: ignore[arg-type]
        bench.inspector.show_row(row)
    bench.settle()
    assert [detail.name for detail in seen] == ["item_00003"]


def test_record_when_changed_elsewhere_then_is_shown_anew(bench: Bench) -> None:
    detail = bench.show("item", "item_00001")
    bench.session.execute(SetItemField(item=detail.id, field="question", value="How many now?")).result()
    bench.qtbot.waitUntil(lambda: "How many now?" in bench.texts(bench.inspector.record))
    assert bench.inspector.tabs[2].text() == "History 3"


def test_nothing_when_shown_then_the_inspector_is_empty(bench: Bench) -> None:
    bench.show("item", "item_00001")
    bench.inspector.show_row(None)
    assert bench.inspector.detail is None
    assert bench.texts(bench.inspector.record) == []
    assert bench.inspector.name.text() == "No selection"


def test_flag_when_resolved_with_a_reason_then_the_card_asks_and_hands_it_over(bench: Bench) -> None:
    bench.show("item", "item_00001")
    bench.inspector.ask_about_flag("resolved")
    card = bench.inspector.flags.cards[0]
    bench.qtbot.waitUntil(card.reason.hasFocus)
    assert not card.confirm.isEnabled()
    bench.qtbot.keyClicks(card.reason, "Option B was mended")
    with bench.qtbot.waitSignal(bench.inspector.decided) as decided:
        bench.qtbot.keyClick(card.reason, Qt.Key.Key_Return)
    assert decided.args == [card.ids, "resolved", "Option B was mended"]


def test_flag_when_escape_is_pressed_then_the_question_goes_away(bench: Bench) -> None:
    bench.show("item", "item_00001")
    bench.inspector.ask_about_flag("dismissed")
    card = bench.inspector.flags.cards[0]
    bench.qtbot.waitUntil(card.reason.hasFocus)
    bench.qtbot.keyClick(card.reason, Qt.Key.Key_Escape)
    assert not card.asking.isVisible()
    assert card.buttons.isVisible()


def test_flag_when_decided_then_the_card_says_why_and_can_be_opened_again(bench: Bench) -> None:
    detail = bench.show("item", "item_00001")
    flag = detail.flags[0]
    bench.session.execute(
        DecideFlags(flags=(flag.id,), state="dismissed", resolution="Right as it is")
    ).result()
    bench.inspector.choose_tab(1)
    bench.qtbot.waitUntil(lambda: bench.inspector.tabs[1].text() == "Flags")
    card = bench.inspector.flags.cards[0]
    assert {"Dismissed", "Reason: Right as it is"} <= set(bench.texts(card))
    with bench.qtbot.waitSignal(card.decided) as decided:
        card.buttons.children()[1].click()  # type: ignore[attr-defined]
    assert decided.args == [(flag.id,), "open", ""]


def test_flags_of_a_scene_when_shown_then_name_the_label_and_the_item(bench: Bench) -> None:
    bench.show("scene", "0001")
    bench.inspector.choose_tab(1)
    texts = bench.texts(bench.inspector.flags)
    assert "label of UAV1 (record 1) · field Count · found at import" in texts
    assert "item_00001 · field Options · found at import" in texts
    assert texts.index("decision required") < texts.index("check recommended")


def test_grouped_when_flags_say_the_same_then_are_one_card() -> None:
    same = [
        make_flag("item", str(n), "missing_media", message="Files not in the project: a.jpg.")
        for n in range(3)
    ]
    other = make_flag("item", "9", "duplicate_options", severity="error")
    groups = grouped((*same, other))
    assert [len(group) for group in groups] == [1, 3]
    card = FlagCard(groups[1], about="")
    assert card.ids == tuple(flag.id for flag in same)
    card.deleteLater()


def test_history_when_shown_then_tells_who_did_what_newest_first(bench: Bench) -> None:
    detail = bench.show("item", "item_00001")
    bench.session.execute(ChangeState(items=(detail.id,), state="rejected", reason="two keys")).result()
    bench.session.execute(WriteComment(entity="item", target=detail.id, text="Look again")).result()
    bench.session.undo().result()
    bench.session.undo().result()
    bench.inspector.choose_tab(2)
    bench.qtbot.waitUntil(lambda: bench.inspector.tabs[2].text() == "History 4")
    assert bench.inspector.detail is not None
    told = history_records(bench.inspector.detail)
    assert [one.what for one in told] == [
        "Undo: Reject 1 item",
        "Reject 1 item",
        "Add 12 records",
        "Flag raised: Duplicate options",
    ]
    assert told[1].values == ("State → Rejected",)
    assert told[2].person == "Ada"


def test_history_when_an_earlier_value_cannot_be_read_then_says_why_and_what_to_do(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    (item,) = bench.session.reader.find(Item, name="item_00001")
    for question in ("long" * 1000, "short"):
        bench.session.execute(SetItemField(item=item.id, field="question", value=question)).result()
    # Larger than any value that is packed, as in a project of an earlier version.
    monkeypatch.setattr(packing, "MOST_BYTES", 1000)
    told = history_records(bench.show("item", "item_00001"))
    unreadable = "this value cannot be read: it is damaged or larger than 256 MB. Verify the project"
    assert [one.values for one in told[:2]] == [("Question → short",), (f"Question → {unreadable}",)]


def test_flag_when_raised_and_decided_then_history_and_card_say_by_whom_and_when(bench: Bench) -> None:
    detail = bench.show("item", "item_00001")
    flag = detail.flags[0]
    for state, reason in (("dismissed", "Right as it is"), ("open", "")):
        bench.session.execute(DecideFlags(flags=(flag.id,), state=state, resolution=reason)).result()  # type: ignore[arg-type]
    bench.inspector.choose_tab(2)
    bench.qtbot.waitUntil(lambda: bench.inspector.tabs[2].text() == "History 4")
    texts = bench.texts(bench.inspector.history)
    for headline in ("raised", "dismissed", "reopened"):
        assert f"Flag {headline}: Duplicate options" in texts
    assert "Right as it is" in texts
    assert bench.inspector.detail is not None
    times = [
        local_time(entry.wall_time)
        for entry in bench.session.reader.history.of(flag.id)
        if entry.field in {"*", "state"}
    ]
    bench.inspector.choose_tab(1)
    card = bench.texts(bench.inspector.flags.cards[0])
    person = bench.session.actor.name
    steps = (f"Reopened by {person}", f"Dismissed by {person}", "Raised by Ada")
    for step, time in zip(steps, times, strict=True):
        assert f"{step}, {time}" in card


def test_comment_when_written_then_stands_in_the_history(bench: Bench) -> None:
    detail = bench.show("item", "item_00001")
    bench.inspector.choose_tab(2)
    bench.session.execute(WriteComment(entity="item", target=detail.id, text="Ask the pilot")).result()
    bench.qtbot.waitUntil(lambda: "Ask the pilot" in bench.texts(bench.inspector.history))


def test_tabs_when_stepped_through_then_come_round(bench: Bench) -> None:
    bench.show("item", "item_00001")
    for wanted in (1, 2, 3, 0):
        bench.inspector.choose_next_tab()
        assert [tab.isChecked() for tab in bench.inspector.tabs] == [at == wanted for at in range(4)]


def test_picture_when_there_is_one_then_is_shown_and_can_be_asked_for_large(
    bench: Bench, picture: Path
) -> None:
    bench.show("item", "item_00001")
    assert bench.inspector.pictures is not None
    frame = bench.inspector.pictures.frames[0]
    assert frame.has_picture()
    with bench.qtbot.waitSignal(bench.inspector.picture_opened) as opened:
        bench.qtbot.mouseClick(frame, Qt.MouseButton.LeftButton)
    media, position = opened.args
    assert [one.medium.name for one in media] == ["0001-UAV1.png"]
    assert position == 0


def test_picture_when_the_medium_is_missing_then_says_so(bench: Bench) -> None:
    bench.show("scene", "0001")
    assert bench.inspector.pictures is not None
    problems = [frame.picture.problem for frame in bench.inspector.pictures.frames if frame.picture]
    assert problems == ["Media file missing", "Media file missing"]


def read_shown(medium: MediumView, *, within: QSize) -> LoadedImage:
    """Load a picture as a frame does, here and now."""
    try:
        return picture_of(MediaResult(value=picture_request(medium, within=within).load(Progress())))
    except VantageError as error:
        return picture_of(MediaResult(error=error))


def test_read_picture_when_large_then_is_scaled_down_to_fit(picture: Path) -> None:
    read = read_shown(shown(picture), within=QSize(160, 160))
    assert read.image.size() == QSize(160, 90)
    assert read.image.pixelColor(10, 45).red() > 200


def test_read_picture_when_exif_turns_it_then_is_upright_and_fits(tmp_path: Path, picture: Path) -> None:
    plain = tmp_path / "plain.jpg"
    assert QImage(str(picture)).save(str(plain), "JPG", 95)  # type: ignore[call-overload]
    data = plain.read_bytes()
    turned = tmp_path / "turned.jpg"
    turned.write_bytes(data[:2] + EXIF_TURNED + data[2:])
    read = read_shown(shown(turned), within=QSize(90, 160))
    assert read.image.size() == QSize(90, 160)
    assert read.image.pixelColor(45, 10).red() > 200


def test_read_picture_when_the_ending_lies_then_the_content_decides(tmp_path: Path, picture: Path) -> None:
    lying = tmp_path / "really_a_png.jpg"
    lying.write_bytes(picture.read_bytes())
    assert not read_shown(shown(lying), within=QSize(100, 100)).image.isNull()


def test_read_picture_when_damaged_then_says_so(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    assert read_shown(shown(damaged), within=QSize(100, 100)).problem == "Image cannot be read"


def test_read_picture_when_its_header_claims_too_many_pixels_then_is_not_decoded(tmp_path: Path) -> None:
    side = int(MOST_PIXELS**0.5) + 1
    bomb = tmp_path / "bomb.pgm"
    bomb.write_bytes(f"P5\n{side} {side}\n255\n".encode() + bytes(16))
    assert read_shown(shown(bomb), within=QSize(100, 100)).problem == "Image too large to display"


def test_read_picture_when_it_is_no_picture_kind_then_says_that_there_is_no_preview(picture: Path) -> None:
    read = read_shown(shown(picture, kind="trajectory"), within=QSize(100, 100))
    assert read.problem == "No preview for this media type"


def test_read_picture_when_it_is_a_video_then_is_its_first_frame(tmp_path: Path) -> None:
    file = tmp_path / "clip.mp4"
    with av.open(file, "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 32, "yuv420p"
        for grey in (200, 20):
            frame = av.VideoFrame.from_ndarray(np.full((32, 64, 3), grey, np.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    read = read_shown(shown(file, kind="video"), within=QSize(64, 64))
    assert (read.image.width(), read.image.height()) == (64, 32)
    assert abs(read.image.pixelColor(32, 16).red() - 200) < 12


def test_frame_when_the_path_leads_out_then_is_not_read(media: MediaLoader, qtbot: PatientBot) -> None:
    medium = MediumView(view="UAV1", medium=Medium(id="1", name="x"), file=None)
    frame = ImageFrame(medium, loader=media)
    qtbot.addWidget(frame)
    qtbot.waitUntil(lambda: frame.picture is not None)
    assert frame.picture is not None
    assert frame.picture.problem == "File is outside the media folder"


def test_frame_when_the_picture_is_damaged_then_its_tool_tip_says_why(
    media: MediaLoader, tmp_path: Path, qtbot: PatientBot
) -> None:
    (tmp_path / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    frame = ImageFrame(shown(tmp_path / "torn.png"), loader=media)
    qtbot.addWidget(frame)
    qtbot.waitUntil(lambda: frame.picture is not None)
    assert frame.picture is not None
    assert frame.picture.problem == "Image cannot be read"
    assert "torn.png cannot be read as an image" in frame.toolTip()


def test_frame_when_its_picture_was_shown_before_then_it_is_there_at_once(
    media: MediaLoader, picture: Path, qtbot: PatientBot
) -> None:
    first = ImageFrame(shown(picture), loader=media)
    qtbot.addWidget(first)
    qtbot.waitUntil(first.has_picture)
    second = ImageFrame(shown(picture), loader=media)
    qtbot.addWidget(second)
    assert second.has_picture()


def test_read_detail_when_the_record_is_gone_then_is_none(session: Session) -> None:
    assert read_detail(session.reader, entity="item", record_id="0" * 32, roots=session.roots) is None


def test_scene_when_a_region_is_drawn_elsewhere_then_the_record_shows_it(bench: Bench) -> None:
    before = bench.show("scene", "0001")
    assert isinstance(before, SceneDetail)
    medium = before.media[0].medium.id
    bench.session.execute(AddRegion(medium=medium, box=Box(x1=1, y1=1, x2=9, y2=9))).result()

    def count() -> int:
        detail = bench.inspector.detail
        assert isinstance(detail, SceneDetail)
        return len(detail.regions)

    bench.qtbot.waitUntil(lambda: count() == len(before.regions) + 1)


def test_item_when_it_gets_a_variant_then_both_name_each_other(bench: Bench) -> None:
    shown = bench.show("item", "item_00001")
    assert isinstance(shown, ItemDetail)
    variant = make_item(77, variant=link_to(shown.item, "choice"))
    bench.session.execute(Write((created("item", variant),))).result()
    bench.qtbot.waitUntil(lambda: f"{variant.name}, kind: Multiple choice" in bench.texts())
    bench.show("item", variant.name)
    assert {"Variant of", f"{shown.name}, kind: Multiple choice"} <= set(bench.texts())
