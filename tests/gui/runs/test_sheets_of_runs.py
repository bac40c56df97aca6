"""The sheets that begin a run and keep the models."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from annotator.domain.eval_settings import EvalSettings
from annotator.domain.model_families import resolved_profile
from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.domain.query import ItemQuery
from annotator.domain.work import RunOrder
from annotator.quality.policy import DEFAULT_POLICY
from tests.gui.runs.conftest import Person, Work
from widgets.runs.models_dialog import ModelsDialog
from widgets.runs.new_run_dialog import NewRunDialog
from widgets.runs.profile_form import ProfileForm, profile_texts
from widgets.translation import set_language


def opened(person: Person, action: str) -> NewRunDialog:
    person.window.registry.run(action)
    person.qtbot.waitUntil(lambda: person.window.findChild(NewRunDialog) is not None)
    person.settle()
    sheet = person.window.findChild(NewRunDialog)
    assert sheet is not None
    return sheet


def estimated(person: Person, sheet: NewRunDialog) -> str:
    person.qtbot.settle(sheet.is_settled)
    return sheet.estimate.text()


def taken(sheet: NewRunDialog) -> RunOrder:
    orders: list[RunOrder] = []
    # The window's own slot would start a process.
    sheet.submitted.disconnect()
    sheet.submitted.connect(orders.append)
    sheet.main.click()
    (order,) = orders
    return order


def test_sheet_when_models_cannot_do_it_then_they_are_dim_with_the_reason(person: Person, work: Work) -> None:
    sheet = opened(person, "runs.new_consensus")
    able = {name: box.isEnabled() for name, box in sheet.models.boxes.items()}
    assert able == {"SmolLM2": False, "Text probe": False, "One": True, "Two": True, "Finder": False}
    assert sheet.models._notes["SmolLM2"].text() == "does not accept images"
    sheet.kind.setCurrentIndex(sheet.kind.findData("detect"))
    assert sheet.models.chosen() == ("Finder",)
    assert not sheet.policy.isVisible()


def test_sheet_when_nothing_is_chosen_then_cannot_start(person: Person, work: Work) -> None:
    sheet = opened(person, "runs.new_blind")
    assert estimated(person, sheet) == "Select at least one model."
    assert not sheet.main.isEnabled()


def test_sheet_when_it_becomes_invalid_while_requests_are_counted_then_cannot_start(
    person: Person, work: Work
) -> None:
    sheet = opened(person, "runs.new_blind")
    sheet.models.boxes["One"].setChecked(True)
    assert estimated(person, sheet).startswith("5 requests")
    sheet._ask_estimate()
    sheet.limit.setText("much")
    person.settle()
    assert estimated(person, sheet) == "A number is missing or invalid."
    assert not sheet.main.isEnabled()


def test_sheet_when_models_are_chosen_then_says_requests_and_cost(person: Person, work: Work) -> None:
    work.answer(work.begin("One"), count=2)
    sheet = opened(person, "runs.new_blind")
    sheet.models.boxes["One"].setChecked(True)
    told = estimated(person, sheet)
    assert told == (
        "3 requests for 5 records: One 3. 2 more have answers from earlier runs and are not sent again. "
        "The price of One is unknown, and cost limits do not cover it. Enter it under Models; 0 is free."
    )
    sheet.models.boxes["Two"].setChecked(True)
    sheet.limit.setText("0.0001")
    told = estimated(person, sheet)
    assert told.startswith("8 requests for 5 records: One 3, Two 5.")
    assert "The run stops at the limit of 0.0001" in told
    order = taken(sheet)
    assert (order.kind, order.models, order.limit_micro) == ("blind", ("One", "Two"), 100)
    assert order.settings["policy"] == DEFAULT_POLICY.text


def test_sheet_when_no_model_is_chosen_then_nothing_is_lost_by_guessing(person: Person, work: Work) -> None:
    sheet = opened(person, "runs.new_blind")
    assert not any(box.isChecked() for box in sheet.models.boxes.values())
    assert {loss.text() for loss in sheet.policy.losses.values()} == {""}
    assert not sheet.policy._loss_head.isVisibleTo(sheet)
    sheet.models.boxes["One"].setChecked(True)
    assert sheet.policy.losses["all"].text() == "25.0 %"
    assert sheet.policy._loss_head.isVisibleTo(sheet)
    sheet.models.boxes["One"].setChecked(False)
    assert {loss.text() + loss.toolTip() for loss in sheet.policy.losses.values()} == {""}


def test_sheet_when_policy_and_orders_are_set_then_the_order_has_them(person: Person, work: Work) -> None:
    sheet = opened(person, "runs.new_blind")
    sheet.models.boxes["One"].setChecked(True)
    sheet.models.boxes["Two"].setChecked(True)
    assert sheet.policy.losses["any"].text() == "43.8 %"
    assert sheet.policy.losses["all"].text() == "6.3 %"
    sheet.asking.rotations.setCurrentIndex(sheet.asking.rotations.findData(2))
    sheet.policy.buttons["any"].setChecked(True)
    sheet.filtered.setChecked(True)
    sheet.title.setText("Second look")
    assert "20 requests" in estimated(person, sheet)
    order = taken(sheet)
    settings = msgspec.convert(order.settings, EvalSettings)
    assert (settings.rotations, settings.policy, settings.outcome) == (2, "any", "filtered")
    assert order.title == "Second look"


def test_sheet_when_the_list_is_filtered_then_can_ask_about_those(person: Person, work: Work) -> None:
    library = person.window.library
    assert library is not None
    library.listings["item"].find(ItemQuery(text="picture 3"))
    person.settle()
    sheet = opened(person, "runs.new_blind")
    assert sheet.scope.items.buttons["list"].text() == "Filtered Library list: 1 item"
    assert sheet.scope.items.buttons["all"].text() == "The whole project: 5 open items"
    sheet.scope.items.buttons["list"].setChecked(True)
    sheet.models.boxes["One"].setChecked(True)
    assert estimated(person, sheet).startswith("1 request for 1 record")
    names = work.names()
    assert [names[item] for item in taken(sheet).settings["items"]] == ["item_00003"]


def test_sheet_when_a_task_is_chosen_then_the_order_names_it(person: Person, work: Work) -> None:
    sheet = opened(person, "runs.new_blind")
    sheet.scope.items.buttons["some"].setChecked(True)
    tasks = sheet.scope.items.boxes["task"]
    tasks.setCurrentIndex(tasks.findData("aircop/object_counting"))
    sheet.models.boxes["One"].setChecked(True)
    assert estimated(person, sheet).startswith("5 requests for 5 records")
    assert taken(sheet).settings["tasks"] == ("aircop/object_counting",)


def test_models_when_one_is_added_and_saved_then_is_kept(person: Person, work: Work) -> None:
    sheet = opened_models(person)
    sheet.add_one.click()
    for name, text in (("name", "Fourth"), ("base_url", "http://127.0.0.1:8000/v1"), ("price_in", "2.5")):
        sheet.form.fields[name].setText(text)
        sheet.form.fields[name].textEdited.emit(text)
    sheet.main.click()
    kept = work.session.runs.profiles()["Fourth"]
    assert (kept.base_url, kept.price_in) == ("http://127.0.0.1:8000/v1", 2.5)


def test_models_when_a_key_is_pasted_then_is_refused_and_nothing_is_kept(person: Person, work: Work) -> None:
    sheet = opened_models(person)
    sheet.names.setCurrentRow(2)
    sheet.form.fields["key_from"].setText("sk-abcdefghijklmnopqrstuvwx")
    sheet.form.fields["key_from"].textEdited.emit("")
    sheet.main.click()
    assert "env:NAME or keyring:NAME" in sheet.problem_label.text()
    assert sheet.isVisible()
    assert work.session.runs.profiles()["One"].key_from == ""


def test_models_when_a_number_makes_no_sense_then_says_which(person: Person, work: Work) -> None:
    sheet = opened_models(person)
    sheet.names.setCurrentRow(2)
    sheet.form.fields["max_tokens"].setText("many")
    sheet.form.fields["max_tokens"].textEdited.emit("")
    assert sheet.problem_label.text() == "Maximum answer tokens: 'many' is not valid."
    assert not sheet.main.isEnabled()


def test_models_when_copied_and_removed_then_the_list_says_so(person: Person, work: Work) -> None:
    sheet = opened_models(person)
    sheet.names.setCurrentRow(2)
    sheet.copy_one.click()
    names = [sheet.names.item(at).text() for at in range(sheet.names.count())]
    assert names == ["SmolLM2", "Text probe", "One", "Two", "Finder", "One 2"]
    sheet.remove_one.click()
    sheet.main.click()
    assert "One 2" not in work.session.runs.profiles()


def test_form_when_another_adapter_is_chosen_then_asks_for_what_it_needs(person: Person, work: Work) -> None:
    sheet = opened_models(person)
    sheet.names.setCurrentRow(2)
    form = sheet.form
    assert form.fields["base_url"].isVisibleTo(form)
    assert not form.fields["path"].isVisibleTo(form)
    form.adapter.setCurrentIndex(form.adapter.findData("onnx"))
    assert form.fields["path"].isVisibleTo(form)
    assert not form.fields["base_url"].isVisibleTo(form)
    assert form.profile().adapter == "onnx"


@pytest.mark.usefixtures("work")
def test_form_when_image_settings_are_entered_or_left_then_just_the_entered_ones_are_stated(
    person: Person,
) -> None:
    form = opened_models(person).form
    form.show_profile(ModelProfile(name="c", adapter="openai", model="claude-opus-4"))
    assert shown(form) == [("", "20 (model family)"), ("", "1268 (model family)")]
    assert form.profile().visuals is None
    edit(form, "model", "gemini-2.5-pro")
    assert shown(form) == [("", "32 (model family)"), ("", "3072 (model family)")]
    assert form.profile().visuals is None
    edit(form, "visuals.longest_px", "0")
    assert form.profile().visuals == VisualSettings(frames=32, longest_px=0)
    form.show_profile(form.profile())
    assert [text for text, _family in shown(form)] == ["32", "0"]
    edit(form, "model", "claude-opus-4")
    assert form.profile().visuals == VisualSettings(frames=32, longest_px=0)


@pytest.mark.usefixtures("work")
def test_form_when_stated_image_settings_are_cleared_then_those_of_the_family_count_again(
    person: Person,
) -> None:
    form = opened_models(person).form
    stated = VisualSettings(frames=4, fps=2.0, longest_px=640)
    form.show_profile(ModelProfile(name="c", adapter="openai", model="claude-opus-4", visuals=stated))
    edit(form, "visuals.longest_px", "")
    assert form.profile().visuals == VisualSettings(frames=4, fps=2.0, longest_px=1268)
    edit(form, "visuals.frames", "")
    edit(form, "visuals.fps", "")
    assert form.profile().visuals is None
    assert shown(form) == [("", "20 (model family)"), ("", "1268 (model family)")]
    coded = VisualSettings(frames=4, coding="png")
    form.show_profile(ModelProfile(name="c", adapter="openai", model="claude-opus-4", visuals=coded))
    for name in ("frames", "fps", "longest_px"):
        edit(form, f"visuals.{name}", "")
    # A coding has no field, so that it is not what was cleared.
    assert form.profile().visuals == VisualSettings(frames=20, longest_px=1268, coding="png")


@pytest.mark.usefixtures("work")
def test_form_when_a_unit_of_boxes_is_chosen_then_it_is_stated_and_the_family_can_be_chosen_again(
    person: Person,
) -> None:
    form = opened_models(person).form
    form.show_profile(ModelProfile(name="q", adapter="openai", model="qwen2.5-vl-7b"))
    assert form.boxes.currentText() == "As the model family: Pixels of the image as sent"
    assert form.fields["grid_px"].placeholderText() == "28 (model family)"
    edit(form, "model", "gemini-2.5-pro")
    assert form.boxes.currentText() == "As the model family: Thousandths, y first"
    edit(form, "model", "some-model")
    assert form.boxes.currentText() == "Default: Pixels of the image as sent"
    assert form.fields["visuals.frames"].placeholderText() == "32 (default)"
    for unit in ("thousandths", ""):
        at = form.boxes.findData(unit)
        form.boxes.setCurrentIndex(at)
        form.boxes.activated.emit(at)
        assert form.profile().boxes == unit
    edit(form, "grid_px", "0")
    assert form.profile().grid_px == 0
    edit(form, "grid_px", "")
    assert form.profile().grid_px is None


@pytest.mark.usefixtures("work")
def test_form_when_resources_of_a_cluster_are_entered_then_are_amounts_or_refused_in_words(
    person: Person,
) -> None:
    sheet = opened_models(person)
    form = sheet.form
    form.show_profile(ModelProfile(name="t", adapter="transformers", path="/m", resources={"GPU": 2.0}))
    assert form.fields["resources"].text() == "GPU=2"
    edit(form, "resources", "GPU=1, MEMORY=8.5")
    assert form.profile().resources == {"GPU": 1.0, "MEMORY": 8.5}
    edit(form, "resources", "")
    assert form.profile().resources == {}
    for wrong in ("GPU", "GPU=0", "=1", "GPU=inf"):
        edit(form, "resources", wrong)
        assert sheet.problem_label.text() == f"Resources on a cluster: '{wrong}' is not valid. Example: GPU=1"


def test_texts_when_a_run_resolved_its_profile_then_unit_of_boxes_and_resources_are_named() -> None:
    gemini = ModelProfile(name="g", adapter="openai", model="gemini-2.5-pro", resources={"API": 1.0})
    texts = profile_texts(resolved_profile(gemini))
    assert "Unit of boxes: Thousandths, y first" in texts
    assert "Longer image side (px): 3072" in texts
    assert "Resources on a cluster: API=1" in texts
    plain = profile_texts(resolved_profile(ModelProfile(name="p", adapter="openai", model="some-model")))
    assert not [text for text in plain if "boxes" in text or "image" in text or "cluster" in text]


@pytest.mark.parametrize(
    "stated",
    [
        {"resources": {"MEMORY": 68_719_476_736.0, "GPU": 0.5}},
        {"price_in": 0.123_456_7, "price_out": 12_345_678.5},
        {"timeout_s": 86_400.25, "temperature": 0.700_000_1},
        {"visuals": VisualSettings(longest_px=1234, frames=3, fps=1 / 3)},
    ],
)
def test_form_when_a_profile_with_long_numbers_is_opened_then_it_is_saved_as_it_was(
    qtbot: QtBot, stated: dict[str, Any]
) -> None:
    form = ProfileForm()
    qtbot.addWidget(form)
    profile = ModelProfile(name="m", adapter="openai", base_url="http://127.0.0.1/v1", **stated)
    form.show_profile(profile)
    assert form.profile() == profile


def shown(form: ProfileForm) -> list[tuple[str, str]]:
    """Return text and placeholder of the numbers of frames and pixels."""
    fields = [form.fields[f"visuals.{name}"] for name in ("frames", "longest_px")]
    return [(field.text(), field.placeholderText()) for field in fields]


def edit(form: ProfileForm, name: str, text: str) -> None:
    form.fields[name].setText(text)
    form.fields[name].textEdited.emit(text)


@pytest.mark.usefixtures("work")
def test_form_when_a_segmenter_is_entered_then_has_a_field_for_each_of_its_two_files(person: Person) -> None:
    form = opened_models(person).form
    options = {"decoder": "/models/b.onnx", "size": 512}
    form.show_profile(ModelProfile(name="s", adapter="sam-onnx", path="/models/a.onnx", options=options))
    assert form.fields["path"].text() == "/models/a.onnx"
    assert form.fields["options.decoder"].text() == "/models/b.onnx"
    assert form.fields["options"].text() == '{"size":512}'
    assert form.profile().options == options
    form.fields["options.decoder"].setText("")
    assert form.profile().options == {"size": 512}


def opened_models(person: Person) -> ModelsDialog:
    person.window.registry.run("runs.models")
    person.qtbot.waitUntil(lambda: person.window.findChild(ModelsDialog) is not None)
    sheet = person.window.findChild(ModelsDialog)
    assert sheet is not None
    return sheet


def test_sheet_when_another_kind_is_chosen_then_only_able_models_look_chosen(
    person: Person, work: Work
) -> None:
    sheet = opened(person, "runs.new_blind")
    sheet.models.boxes["One"].setChecked(True)
    sheet.kind.setCurrentIndex(sheet.kind.findData("detect"))
    assert [name for name, box in sheet.models.boxes.items() if box.isChecked()] == ["Finder"]
    sheet.kind.setCurrentIndex(sheet.kind.findData("blind"))
    assert [name for name, box in sheet.models.boxes.items() if box.isChecked()] == ["One"]


def test_sheet_when_a_consensus_has_one_model_then_says_what_it_is_worth(person: Person, work: Work) -> None:
    sheet = opened(person, "runs.new_consensus")
    sheet.models.boxes["One"].setChecked(True)
    assert "A single model only shows whether its answers change" in estimated(person, sheet)
    sheet.models.boxes["Two"].setChecked(True)
    assert "A single model" not in estimated(person, sheet)


def test_sheet_when_enter_is_pressed_then_starts_or_presses_the_button_at_hand(
    person: Person, work: Work
) -> None:
    sheet = opened(person, "runs.new_blind")
    orders: list[RunOrder] = []
    sheet.submitted.disconnect()
    sheet.submitted.connect(orders.append)
    person.press("Return")
    assert orders == []
    sheet.models.boxes["One"].setChecked(True)
    estimated(person, sheet)
    sheet.models.boxes["One"].setFocus()
    person.press("Return")
    assert [order.models for order in orders] == [("One",)]


def test_models_when_enter_is_pressed_on_a_button_then_that_one_is_pressed(
    person: Person, work: Work
) -> None:
    sheet = opened_models(person)
    sheet.add_one.setFocus()
    person.press("Return")
    assert sheet.isVisible()
    assert len(sheet.profiles) == 6


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(1280, 720), (1440, 900), (1920, 1080)])
def test_sheet_when_titles_of_tasks_are_long_then_what_guessing_loses_is_never_cut(
    person: Person, work: Work, language: str, size: tuple[int, int]
) -> None:
    person.window.set_language(language)
    person.window.resize(*size)
    sheet = opened(person, "runs.new_blind")
    sheet.models.boxes["One"].setChecked(True)
    sheet.scope.items.buttons["some"].click()
    for box in sheet.scope.items.boxes.values():
        box.addItem("Cross-view matching of occluded objects in a very long task set title  (1,234)", "long")
        box.setCurrentIndex(box.count() - 1)
    estimated(person, sheet)
    area = sheet.findChild(QScrollArea)
    assert area is not None
    assert area.horizontalScrollBar().maximum() == 0
    for loss in (*sheet.policy.losses.values(), sheet.policy._loss_head):
        right_end = loss.mapTo(area.viewport(), loss.rect().topRight()).x()
        assert loss.width() >= loss.fontMetrics().horizontalAdvance(loss.text())
        assert right_end < area.viewport().width()
    set_language("en")
