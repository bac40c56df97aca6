from __future__ import annotations

import msgspec

from annotator.commands.item_edits import SetAnswerKey
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from tests.gui.refine.refine_person import RefinePerson
from tests.gui.refine.test_batch_edits import items, open_dialog
from tests.unit.store.making import created, write
from widgets.library.reports import OperationReport
from widgets.refine.variant_dialog import VariantDialog


def open_variants(person: RefinePerson) -> VariantDialog:
    """Select all items of the queue and open the dialog, with the preview read."""
    person.refine.queue.table.selectAll()
    person.settle()
    dialog = open_dialog(person, "items.variants", VariantDialog)
    settle(person, dialog)
    return dialog


def settle(person: RefinePerson, dialog: VariantDialog) -> None:
    person.qtbot.waitUntil(dialog.is_settled)


def close_report(person: RefinePerson) -> str:
    """Close the report and return its reasons."""
    report = person.window.findChild(OperationReport)
    assert report is not None
    person.qtbot.waitUntil(report.isVisible)
    texts = "\n".join(table.text() for table in report.tables)
    report.accept()
    person.settle()
    return texts


def variants(person: RefinePerson) -> list[Item]:
    return [one for one in items(person) if one.variant is not None]


def test_dialog_when_opened_then_shows_numbers_examples_and_reasons(person: RefinePerson) -> None:
    dialog = open_variants(person)
    assert dialog.count.text() == "1 new variant"
    assert dialog.list.count() == 1
    example = dialog.list.item(0).text().split("\n")
    assert example[:2] == ["item_00006-choice", "In which direction lies Region 7?"]
    assert len(example) == 6
    assert next(line for line in example if line.startswith("✓")).endswith("3 o'clock")
    assert "5 × the item is a multiple-choice question already" in dialog.reasons.text()
    assert dialog.main.isEnabled()
    assert not variants(person)


def test_variants_when_made_then_are_one_undo_step_with_a_report(person: RefinePerson) -> None:
    dialog = open_variants(person)
    shown = dialog.list.item(0).text()
    dialog.main.click()
    person.settle()
    assert "the item is a multiple-choice question already" in close_report(person)
    (variant,) = variants(person)
    # The preview shows what is made.
    assert all(option.text in shown for option in variant.options)
    person.press("Ctrl+Z")
    assert not variants(person)


def test_dialog_when_entries_are_wrong_or_nothing_would_be_made_then_has_no_command(
    person: RefinePerson,
) -> None:
    dialog = open_variants(person)
    dialog.options.setText("")
    settle(person, dialog)
    assert not dialog.main.isEnabled()
    assert dialog.count.text() == "Enter a seed from 0, and 2 to 9 options."
    dialog.options.setText("3")
    settle(person, dialog)
    assert dialog.main.isEnabled()
    dialog.kind.setCurrentIndex(dialog.kind.findData("resolution"))
    settle(person, dialog)
    assert (dialog.options.isVisible(), dialog.originals.isVisible()) == (False, True)
    assert dialog.count.text() == "0 new variants"
    assert not dialog.main.isEnabled()


def test_high_resolution_when_a_larger_image_is_known_then_the_item_shows_it(person: RefinePerson) -> None:
    (small,) = (one for one in person.session.reader.records(Medium) if one.id == "m0")
    large = msgspec.structs.replace(
        small, id="large", name="picture-0_4k.png", width_px=2 * small.width_px, height_px=2 * small.height_px
    )
    write(person.session, created("medium", large))
    dialog = open_variants(person)
    dialog.kind.setCurrentIndex(dialog.kind.findData("resolution"))
    settle(person, dialog)
    assert dialog.count.text() == "3 new variants"
    dialog.main.click()
    person.settle()
    close_report(person)
    assert {one.media[0] for one in variants(person)} == {"large"}


def test_variant_when_its_source_has_changed_then_one_key_makes_it_again(person: RefinePerson) -> None:
    dialog = open_variants(person)
    dialog.main.click()
    person.settle()
    close_report(person)
    (variant,) = variants(person)
    person.session.execute(SetAnswerKey(item=person.stored("item_00006").id, text="9 o'clock")).result()
    person.settle()
    table = person.refine.queue.table
    table.setCurrentIndex(table.model().index(table.model().rowCount() - 1, 0))
    person.settle()
    assert person.shown.id == variant.id
    pane = person.refine.checks
    person.qtbot.waitUntil(pane.is_settled)
    texts = [row.text for row in pane.rows]
    assert "The source item item_00006 has changed since the variant was made." in texts
    person.press("R")
    (after,) = variants(person)
    assert next(one.text for one in after.options if one.letter == after.answer_key) == "9 o'clock"
    assert after.answer_key == variant.answer_key
