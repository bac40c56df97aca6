"""The queue of Review, what is shown of a case, and its decisions, by the keyboard in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt

from annotator.commands.comments import WriteComment
from annotator.commands.item_edits import SetAnswerKey, SetQuestion
from annotator.commands.projects import SetReviewRules
from annotator.commands.records import DecideFlags
from annotator.domain.comment import Comment
from annotator.session import Session
from tests.cut_texts import cut_texts
from tests.guards_qt import PatientBot
from tests.gui.review.material import ADA, BEN, fork_question
from tests.gui.review.review_person import ReviewPerson
from tests.windows import AddRecords, make_flag, make_item
from widgets.read_only import read_only_reason
from widgets.review.rules_dialog import ReviewRulesDialog
from widgets.settings import Settings
from widgets.window import MainWindow


def test_queue_when_opened_then_lists_the_cases_by_worth_with_true_counts(person: ReviewPerson) -> None:
    assert person.targets() == ["l1", "i1", "i3", "i2"]
    chips = {reason: chip.text() for reason, chip in person.review.queue.chips.items() if chip.isVisible()}
    assert chips == {
        "": "All 4",
        "people_disagree": "People disagree 1",
        "person_against_key": "People ≠ answer key 2",
        "models_against_key": "Models ≠ answer key 1",
        "failed_check": "Failed checks 1",
        "import_problem": "Import problem 1",
    }


def test_case_when_people_and_models_are_against_the_key_then_the_headline_says_who_says_what(
    person: ReviewPerson,
) -> None:
    person.go_to("i1")
    assert person.review.panel.headline.text() == "2 people say B, 3 models say B, the answer key is D"
    cards = person.review.panel.form.cards
    assert cards is not None
    shown = [(card.who.text(), card.answer.text(), card.facts.text()) for card in cards.shown()]
    assert [who for who, _, _ in shown] == ["Ben", "Chen", "Qwen-VL", "InternVL", "LLaVA"]
    assert {answer for _, answer, _ in shown} == {"B  Red car"}
    assert shown[0][2].endswith("41 s")
    assert cards.cards[0].reason.text() == "It is red, no truck."
    assert cards.cards[0].mark.text() == "differs"
    assert cards.cards[0].mark.toolTip() == "This answer differs from the answer key."
    assert "the answer is B" in cards.cards[2].reason.text()
    assert [button.caption.text() for button in person.review.panel.bar.big] == [
        "Keep D",
        "Change to B",
        "Send back",
    ]


def test_case_when_an_item_was_edited_since_then_its_answers_are_not_counted(person: ReviewPerson) -> None:
    person.go_to("i2")
    assert person.review.panel.headline.text() == "1 person says C, 1 person says D, the answer key is D"
    person.session.execute(SetQuestion(item="i2", text="Which one is parked?")).result()
    person.settle()
    assert "says" not in person.review.panel.headline.text()
    cards = person.review.panel.form.cards
    assert cards is not None
    assert [card.mark.text() for card in cards.shown()] == ["earlier form", "earlier form"]


def test_key_when_kept_then_takes_two_keys_and_the_next_case_is_shown(person: ReviewPerson) -> None:
    person.go_to("i1")
    person.keys = 0
    person.press("K")
    person.press("1")
    assert person.keys == 2
    assert person.open_flags("i1") == []
    assert person.item("i1").answer_key == "D"
    assert person.view.case.target == "i3"
    assert person.targets() == ["l1", "i3", "i2"]
    flags = person.session.reader.flags_of("i1")
    assert {flag.resolution for flag in flags} == {"The images show it clearly."}


def test_reasons_when_the_project_has_its_own_then_the_digits_choose_those(person: ReviewPerson) -> None:
    person.session.execute(SetReviewRules(phrases=("Agreed in the meeting.", "See the manual."))).result()
    person.go_to("i1")
    person.press("K")
    shown = [row.text() for row in person.review.panel.bar.reason.rows]
    assert shown == ["1   Agreed in the meeting.", "2   See the manual."]
    person.press("2")
    assert {flag.resolution for flag in person.session.reader.flags_of("i1")} == {"See the manual."}


def test_rules_when_entered_then_are_stored_in_the_project_as_one_undo_step(person: ReviewPerson) -> None:
    person.window.registry.run("review.rules")
    person.qtbot.waitUntil(lambda: person.window.findChild(ReviewRulesDialog) is not None)
    dialog = person.window.findChild(ReviewRulesDialog)
    assert dialog.acceptance.currentData() == "auto"
    dialog.acceptance.setCurrentIndex(dialog.acceptance.findData("on"))
    dialog.phrases.setPlainText("\n".join(str(n) for n in range(10)))
    dialog.main.click()
    assert dialog.problem.text() == "There are 10 reasons; digits choose 9."
    dialog.phrases.setPlainText(" Agreed in the meeting. \n\nSee the manual.")
    dialog.main.click()
    person.qtbot.waitUntil(lambda: person.session.reader.project.separate_acceptance == "on")
    project = person.session.reader.project
    assert (project.separate_acceptance, project.review_phrases) == (
        "on",
        ("Agreed in the meeting.", "See the manual."),
    )
    person.session.undo().result()
    assert person.session.reader.project.separate_acceptance == "auto"


def test_item_when_its_key_is_kept_then_is_accepted_with_the_decision_unless_it_is_switched_off(
    person: ReviewPerson,
) -> None:
    person.go_to("i1")
    person.press("K")
    assert person.review.panel.bar.reason.accept.isChecked()
    person.press("1")
    assert person.item("i1").state == "accepted"
    person.go_to("i2")
    person.press("K")
    person.press("0")
    person.press("1")
    assert person.item("i2").state == "refined"


def test_acceptance_when_the_rule_gives_it_to_another_person_then_is_not_offered_and_the_reason_is_shown(
    person: ReviewPerson,
) -> None:
    person.session.execute(SetReviewRules(separate_acceptance="on")).result()
    person.session.execute(SetQuestion(item="i3", text="How many trees stand there?")).result()
    reason = person.review.panel.bar.reason
    person.go_to("i1")
    person.press("K")
    assert (reason.accept.isVisible(), reason.note.text()) == (True, "")
    person.press("Escape")
    person.press("Y")
    assert not reason.accept.isVisible()
    assert "the change is yours" in reason.note.text()
    person.press("Escape")
    person.go_to("i3")
    person.press("K")
    assert not reason.accept.isVisible()
    assert "you wrote or edited it last" in reason.note.text()
    person.press("1")
    assert person.open_flags("i3") == []
    assert person.item("i3").state != "accepted"


def test_queue_when_a_comment_asks_a_question_then_is_counted_apart_from_flags_raised_by_hand(
    person: ReviewPerson,
) -> None:
    flag = make_flag("item", "i5", "doubtful", raised_by="hand")
    person.session.execute(AddRecords(records=[flag])).result()
    question = WriteComment(entity="item", target="i2", text="Which van?", is_question=True)
    person.session.execute(question).result()
    person.settle()
    chips = person.review.queue.chips
    person.qtbot.waitUntil(lambda: chips["question"].text() == "Questions in comments 1")
    assert chips["by_hand"].text() == "Raised by hand 1"


def test_key_when_changed_to_what_most_say_then_takes_two_keys_and_waits_for_another_person(
    person: ReviewPerson,
) -> None:
    person.go_to("i1")
    person.keys = 0
    person.press("Y")
    person.press("1")
    assert person.keys == 2
    assert (person.item("i1").answer_key, person.item("i1").state) == ("B", "refined")
    assert person.open_flags("i1") == []
    assert "i1" not in person.targets()
    person.press("Ctrl+Z")
    assert (person.item("i1").answer_key, person.item("i1").state) == ("D", "flagged")
    assert person.view.case.target == "i1"


def test_key_when_an_option_letter_is_pressed_then_that_option_becomes_the_key(person: ReviewPerson) -> None:
    person.go_to("i2")
    person.press("C")
    person.write("It is white")
    person.press("Return")
    assert person.item("i2").answer_key == "C"


def test_item_when_sent_back_then_waits_for_its_author_with_the_reason_as_a_comment(
    person: ReviewPerson,
) -> None:
    person.go_to("i3")
    person.press("X")
    person.press("1")
    assert person.item("i3").state == "in_refinement"
    assert [one.text for one in person.session.reader.find(Comment, target="i3")] == [
        "The question is ambiguous."
    ]
    assert "i3" not in person.targets()


def test_item_when_sent_back_with_a_click_on_the_image_then_the_comment_is_pinned_there(
    person: ReviewPerson,
) -> None:
    person.go_to("i1")
    stage = person.review.stage
    tool, canvas = stage.tool, stage.canvases[1]
    x, y = canvas.image_point(canvas.rect().center())
    person.press("X")
    note = person.review.panel.bar.reason.note
    assert note.text() == "Click on an image to pin the comment to a place."
    for at in (QPoint(120, 90), canvas.rect().center()):
        person.qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=at)
        person.settle()
    assert note.text().startswith("Pinned to UAV2, ")
    assert len(stage.pins.marks) == 1
    person.write("This one is no truck")
    person.press("Return")
    (comment,) = person.session.reader.find(Comment, target="i1")
    assert comment.text == "This one is no truck"
    assert comment.pin is not None
    assert (comment.pin.medium, comment.pin.frame) == ("m1", None)
    assert (comment.pin.x, comment.pin.y) == (pytest.approx(x, abs=1), pytest.approx(y, abs=1))
    assert stage.tool is tool
    assert stage.pins.marks == ()


def test_pin_when_the_question_is_left_then_the_stage_has_its_tool_and_no_mark(person: ReviewPerson) -> None:
    person.go_to("i1")
    stage = person.review.stage
    tool = stage.tool
    person.press("X")
    person.qtbot.mouseClick(stage.canvases[0], Qt.MouseButton.LeftButton, pos=QPoint(150, 120))
    person.settle()
    assert stage.tool is not tool
    person.press("Escape")
    assert stage.tool is tool
    assert stage.pins.marks == ()
    assert list(person.session.reader.find(Comment, target="i1")) == []


def test_item_when_rejected_then_leaves_the_queue_and_library_and_review_agree(person: ReviewPerson) -> None:
    person.go_to("i3")
    person.press("Del")
    person.press("3")
    assert person.item("i3").state == "rejected"
    person.press("Ctrl+1")
    assert person.window.library is not None
    answer = person.window.library.listings["item"].answer
    assert answer is not None
    assert {one.value: one.count for one in answer.facets["state"]}["rejected"] == 1


def test_label_when_it_cannot_be_sent_back_or_rejected_then_says_why_and_what_to_do(
    person: ReviewPerson,
) -> None:
    person.go_to("l1")
    person.press("X")
    note = person.review.panel.bar.note
    assert note.text() == (
        "Only an item, or a label that several persons gave differently, can be sent back. "
        "Correct the record with “Edit scene”."
    )
    person.press("Del")
    assert note.text().startswith("Only an item can be rejected.")
    person.press("U")
    assert note.text().startswith("There is one version of each field")


def test_label_when_marked_as_corrected_then_its_flag_is_resolved(person: ReviewPerson) -> None:
    person.go_to("l1")
    person.press("R")
    person.press("1")
    (flag,) = person.session.reader.flags_of("l1")
    assert (flag.state, flag.resolution) == ("resolved", "The record was corrected.")


def test_decision_when_undone_then_is_one_step_and_the_case_is_back(person: ReviewPerson) -> None:
    before = person.targets()
    person.go_to("i1")
    person.press("K")
    person.press("1")
    person.press("Ctrl+Z")
    assert person.targets() == before
    assert len(person.open_flags("i1")) == 3


def test_reason_when_typed_then_is_stored_and_digits_in_it_are_text(person: ReviewPerson) -> None:
    person.go_to("i3")
    person.press("K")
    person.write("Option 2 differs in kind")
    person.press("Return")
    (flag,) = person.session.reader.flags_of("i3")
    assert (flag.state, flag.resolution) == ("dismissed", "Option 2 differs in kind")


def test_reason_when_the_item_changes_while_it_is_typed_then_is_asked_again_about_what_it_is_now(
    person: ReviewPerson,
) -> None:
    person.go_to("i1")
    person.press("K")
    person.write("The truck stands")
    bar = person.review.panel.bar
    before = bar.reason.question.text()
    assert bar.reason.accept.isChecked()
    person.session.execute(SetAnswerKey(item="i1", text="C")).result()
    person.settle()
    assert (bar.asked, bar.reason.line.text()) == ("keep", "The truck stands")
    assert bar.reason.question.text() != before
    assert not bar.reason.accept.isChecked()
    assert bar.note.text() == "The record has changed while it was shown. Read it again, then decide."
    person.press("Return")
    assert (person.item("i1").answer_key, person.item("i1").state) == ("C", "refined")


def test_decision_when_another_window_changed_the_key_unseen_then_is_refused_and_the_reason_stays(
    person: ReviewPerson,
) -> None:
    person.go_to("i1")
    person.press("K")
    person.write("The truck stands")
    bar = person.review.panel.bar
    # Another process: this window hears of its change later than the key is pressed.
    with Session.open(person.session.path, actor=BEN) as other:
        other.execute(SetAnswerKey(item="i1", text="C")).result()
    person.press("Return")
    assert (person.item("i1").answer_key, person.item("i1").state) == ("C", "flagged")
    assert len(person.open_flags("i1")) == 3
    person.go_to("i1")
    person.press("K")
    assert person.view.item is not None
    assert (person.view.item.answer_key, bar.reason.line.text()) == ("C", "The truck stands")
    person.press("Return")
    assert person.open_flags("i1") == []


def test_reason_when_left_by_escape_then_nothing_is_decided_and_letters_work_again(
    person: ReviewPerson,
) -> None:
    person.go_to("i1")
    person.press("K")
    assert person.review.panel.bar.asked == "keep"
    person.press("Escape")
    assert person.review.panel.bar.asked == ""
    assert len(person.open_flags("i1")) == 3
    person.press("B")
    assert (person.review.panel.bar.asked, person.review.panel.bar.answer) == ("change", "B")


def test_reason_when_its_decision_is_refused_or_another_case_is_shown_then_is_there_again(
    person: ReviewPerson,
) -> None:
    line = person.review.panel.bar.reason.line
    person.go_to("i1")
    person.press("X")
    # A comment has at most 10,000 letters.
    long = "y" * 10_001
    line.setText(long)
    person.press("Return")
    assert list(person.session.reader.find(Comment, target="i1")) == []
    person.go_to("i1")
    person.press("X")
    assert line.text() == long
    line.setText("short enough")
    person.go_to("i2")
    person.go_to("i1")
    person.press("X")
    assert line.selectedText() == line.text() == "short enough"
    person.press("Return")
    assert [one.text for one in person.session.reader.find(Comment, target="i1")] == ["short enough"]


def test_case_when_it_comes_back_while_a_reason_is_typed_then_waits(person: ReviewPerson) -> None:
    person.go_to("i1")
    person.press("K")
    person.press("1")
    person.go_to("i2")
    person.press("K")
    person.write("two of the")
    person.session.execute(AddRecords(records=[make_flag("item", "i1", "doubt")])).result()
    person.settle()
    assert person.view.case.target == "i2"
    assert person.review.panel.bar.reason.line.text() == "two of the"


def test_reason_when_empty_then_enter_decides_nothing(person: ReviewPerson) -> None:
    person.go_to("i1")
    person.press("K")
    person.press("Return")
    assert person.review.panel.bar.asked == "keep"
    assert len(person.open_flags("i1")) == 3


def test_filter_when_nothing_passes_then_says_so_and_shows_all_cases_again(person: ReviewPerson) -> None:
    person.review.queue.choose_reason("fork")
    person.settle()
    assert person.review.reasons["filtered"].isVisible()
    person.review.reasons["filtered"].steps[0].click()
    person.settle()
    assert person.targets() == ["l1", "i1", "i3", "i2"]


def test_queue_when_all_is_decided_then_says_that_nothing_is_left(person: ReviewPerson) -> None:
    reader = person.session.reader
    flags = tuple(flag.id for target in person.targets() for flag in reader.flags_of(target))
    person.session.execute(DecideFlags(flags=flags, state="dismissed", resolution="Correct.")).result()
    person.settle()
    assert person.targets() == []
    assert person.review.reasons["nothing"].isVisible()
    assert not person.window.registry.can_run("review.keep")


def test_queue_when_flags_change_while_it_is_hidden_then_is_current_when_it_is_shown(
    person: ReviewPerson,
) -> None:
    person.press("Ctrl+1")
    (flag,) = person.session.reader.flags_of("i3")
    person.session.execute(DecideFlags(flags=(flag.id,), state="resolved", resolution="Mended.")).result()
    person.settle()
    person.press("Ctrl+4")
    assert person.targets() == ["l1", "i1", "i2"]


def test_edit_when_pressed_then_the_item_is_open_in_refine_and_review_keeps_its_case(
    person: ReviewPerson,
) -> None:
    person.go_to("i3")
    person.press("M")
    assert person.window.workspace == "refine"
    assert person.window.slots["refine"].workspace is not None
    view = person.window.slots["refine"].workspace.loader.view
    assert view is not None
    assert view.item.id == "i3"
    person.press("Ctrl+4")
    assert person.view.case.target == "i3"


def test_edit_when_the_library_shows_scenes_then_the_item_of_the_case_is_open_and_not_that_of_the_scene(
    person: ReviewPerson,
) -> None:
    library = person.window.library
    assert library is not None
    library.show_list("scene")
    person.settle()
    library.listings["scene"].table.choose_row(0)
    person.settle()
    person.go_to("i3")
    person.press("M")
    assert person.window.slots["refine"].workspace.loader.view.item.id == "i3"
    # The next visit follows the Library again.
    person.press("Ctrl+1")
    library.show_list("item")
    person.settle()
    library.listings["item"].table.choose_row(0)
    person.settle()
    person.press("Ctrl+3")
    assert len(person.window.slots["refine"].workspace.queue.listing.model.numbers) > 1


def test_edit_when_the_record_is_a_label_then_its_scene_is_open_in_annotate(person: ReviewPerson) -> None:
    person.go_to("l1")
    person.press("M")
    assert person.window.workspace == "annotate"
    assert person.window.slots["annotate"].workspace is not None
    assert person.window.slots["annotate"].workspace.stage.scene == "s1"


def test_edit_when_the_record_is_a_medium_then_the_library_shows_its_file(person: ReviewPerson) -> None:
    flag = make_flag("medium", "m2", "medium_changed")
    person.session.execute(AddRecords(records=[flag])).result()
    person.settle()
    person.go_to("m2")
    person.press("M")
    assert person.window.workspace == "library"
    assert person.window.library is not None
    row = person.window.library.listing().current_row()
    assert row is not None
    assert row.id == "m2"


def test_case_when_it_is_about_a_task_then_is_decided_without_images_and_has_nothing_to_edit(
    person: ReviewPerson,
) -> None:
    task = "aircop/object_counting"
    person.session.execute(AddRecords(records=[make_flag("task", task, "letter_balance")])).result()
    person.settle()
    person.go_to(task)
    assert person.review.reasons["no_media"].isVisible()
    person.press("M")
    assert person.window.workspace == "review"
    person.press("K")
    person.press("1")
    assert task not in person.targets()


@pytest.fixture
def forked(project: Path) -> Path:
    """Fork the question of an item between two workstations."""
    fork_question(project, "i5")
    return project


@pytest.mark.usefixtures("forked")
class TestFork:
    """A field that two workstations have changed."""

    def test_fork_when_shown_then_both_values_stand_side_by_side(self, person: ReviewPerson) -> None:
        person.go_to("i5")
        forks = person.review.panel.form.forks
        assert forks is not None
        (row,) = forks.rows
        names = [button.accessibleName() for button in row.buttons]
        assert names == [
            "Question: Which vehicle leaves the crossing?, Ada",
            "Question: Which vehicle turns left?, Ben",
        ]

    def test_fork_when_merged_without_a_choice_then_asks_for_one(self, person: ReviewPerson) -> None:
        person.go_to("i5")
        person.press("U")
        assert person.review.panel.bar.asked == ""
        assert person.review.panel.bar.note.isVisible()

    def test_fork_when_a_version_is_chosen_by_digit_then_it_is_stored_with_its_reason(
        self, person: ReviewPerson
    ) -> None:
        person.go_to("i5")
        person.keys = 0
        person.press("2")
        person.press("U")
        person.press("1")
        assert person.keys == 3
        assert person.item("i5").question == "Which vehicle turns left?"
        assert person.session.reader.forks.all() == []
        assert "i5" not in person.targets()


def test_fork_fixture_when_made_then_the_project_has_one(forked: Path) -> None:
    with Session.open(forked, actor=ADA) as session:
        assert [fork.field for fork in session.reader.forks.all()] == ["question"]


@pytest.mark.parametrize(
    ("target", "key", "message"),
    [
        ("i1", "Return", "Enter confirms the reason of a decision. Choose the decision first: K, Y, X."),
        ("i1", "E", "This item has no option E."),
        ("i1", "N", "N has no function here. F1 shows all keys."),
        (
            "i9",
            "A",
            "This item has no options. M opens it in Refine, where the answer key can be changed.",
        ),
        ("l1", "A", "A has no function here. F1 shows all keys."),
    ],
)
@pytest.mark.parametrize("place", ["panel", "queue"])
def test_keys_when_they_cannot_act_on_the_case_then_the_reason_is_shown(
    person: ReviewPerson, target: str, key: str, message: str, place: str
) -> None:
    open_item = make_item(9, id="i9", options=(), answer_format="number", answer_key="7", media=("m2",))
    records = [open_item, make_flag("item", "i9", "doubt")]
    person.session.execute(AddRecords(records=records)).result()
    person.settle()
    person.go_to(target)
    bar = person.review.panel.bar
    assert bar.note.isHidden()
    if place == "queue":
        person.review.queue.table.setFocus()
    person.press(key)
    assert bar.note.text() == message
    assert bar.note.isVisible()
    assert not bar.asked
    person.press("K")
    assert bar.asked == "keep" or target == "l1"
    person.press("Esc")


def test_letters_when_the_project_is_open_for_reading_only_then_ask_for_no_reason(
    project: Path, show_window: Callable[[Session], MainWindow], qtbot: PatientBot
) -> None:
    window = show_window(Session.open_for_reading(project))
    person = ReviewPerson(window, qtbot)
    person.go_to("i1")
    person.press("B")
    assert not person.review.panel.bar.asked
    assert person.review.panel.bar.note.text() == read_only_reason(person.session)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_keys_when_the_window_is_small_then_none_of_any_case_is_cut(
    project: Path,
    settings: Settings,
    show_window: Callable[[Session], MainWindow],
    qtbot: PatientBot,
    language: str,
) -> None:
    settings.keep("language", language)
    person = ReviewPerson(show_window(Session.open(project, actor=ADA)), qtbot)
    person.window.resize(1024, 768)
    person.settle()
    targets, found = person.targets(), set()
    assert len(targets) == 4
    for target in targets:
        person.go_to(target)
        found |= {f"{target}: {text}" for text in cut_texts(person.window)}
        captions = [big.caption for big in person.review.panel.bar.big if big.isVisible()]
        found |= {f"{target}: {caption.text()}" for caption in captions if caption.toolTip()}
    assert found == set()
