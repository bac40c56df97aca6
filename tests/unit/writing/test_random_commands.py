"""Whatever is done, undone, redone, closed and opened: what was undone is as it was."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from hypothesis import settings, target
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from annotator.commands.command import Command
from annotator.commands.comments import WriteComment
from annotator.commands.imports import ImportFiles
from annotator.commands.records import DecideFlags
from annotator.commands.tags import ChangeTags
from annotator.domain.item import Option
from annotator.domain.record_types import record_type
from annotator.errors import UserError
from annotator.session import Session
from tests.item_fields import SetItemField
from tests.unit.store.making import (
    ANNA,
    Write,
    a_flag,
    a_label,
    a_medium,
    a_scene,
    aircop_file,
    an_item,
    changed,
    created,
    problems,
    redo_label,
    removed,
    spatialuav_file,
    undo_label,
    visible_state,
)

WORDS = st.sampled_from(["red car", "停车场 east", "A2A_Object", '"quoted" AND NEAR(', "Café", ""])
STATES = st.sampled_from(["drafted", "in_refinement", "accepted", "rejected"])
KINDS = st.sampled_from(["doubt", "count_not_integer", "duplicate_id"])
PLACES = st.integers(min_value=0, max_value=1000)
FLAGGED = st.sampled_from(["item", "scene", "medium", "event_label"])


class Commands(RuleBasedStateMachine):
    """Commands of one person on one project; beside it the list of states that undo goes through."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(prefix="vantage-commands-")
        folder = Path(self._folder.name)
        self.path = folder / "p.vantage"
        self.files = (
            spatialuav_file(folder, name="few", rows=2),
            spatialuav_file(folder, name="more", rows=4),
            aircop_file(folder, name="23", records=3),
        )
        self.session = Session.create(self.path, actor=ANNA)
        self.states = [visible_state(self.path)]
        self.at = 0

    @initialize()
    def begin_with_records(self) -> None:
        self.do(ImportFiles(paths=self.files[:1]))

    @rule(at_index=PLACES)
    def import_a_file(self, at_index: int) -> None:
        self.do(ImportFiles(paths=(self.files[at_index % len(self.files)],)))

    @rule(at_index=PLACES, message=WORDS)
    def make_a_scene_with_all_that_belongs_to_it(self, at_index: int, message: str) -> None:
        medium, label = a_medium(name=f"{at_index}.jpg"), a_label()
        scene = a_scene(medium.id, *self.ids("medium")[:1], name=f"{at_index} {message}")
        item = an_item(name=f"Made_{at_index}", question=message, scene=scene.id)
        edits = [created("medium", medium), created("scene", scene), created("event_label", label)]
        edits += [created("item", item), created("flag", a_flag(item.id))]
        # What was made a moment ago, in the same command, is changed as well.
        edits += changed("event_label", label.id, scene=scene.id, count=None)
        edits += [
            *changed("item", item.id, answer_key="A", view="UAV1"),
            *changed("item", item.id, answer_key="B"),
        ]
        self.do(Write(tuple(edits)))

    @rule(at_index=PLACES, message=WORDS)
    def edit_an_item(self, at_index: int, message: str) -> None:
        for item in self.one_of("item", at_index):
            self.do(SetItemField(item=item, field="question", value=message))

    @rule(at_index=PLACES, message=WORDS)
    def edit_the_options_of_an_item(self, at_index: int, message: str) -> None:
        for item in self.one_of("item", at_index):
            self.do(SetItemField(item=item, field="options", value=(Option(letter="A", text=message),)))

    @rule(at_index=PLACES, other=PLACES)
    def move_a_record_to_another_scene(self, at_index: int, other: int) -> None:
        scene = next(iter(self.one_of("scene", other)), "")
        for entity in ("item", "event_label"):
            for entity_id in self.one_of(entity, at_index):
                self.do(Write(changed(entity, entity_id, scene=scene)))

    @rule(at_index=PLACES, other=PLACES)
    def show_another_medium_in_a_scene(self, at_index: int, other: int) -> None:
        for scene in self.one_of("scene", at_index):
            views = a_scene(*self.one_of("medium", other)).views
            self.do(Write(changed("scene", scene, views=views)))

    @rule(indices=st.lists(PLACES, max_size=4, unique=True), state=STATES)
    def change_states(self, indices: list[int], state: Any) -> None:
        items = {item for index in indices for item in self.one_of("item", index)}
        edits = [edit for item in items for edit in changed("item", item, state=state)]
        # An item with an open flag cannot be accepted; the project is as it was then.
        with suppress(UserError) if state == "accepted" else nullcontext():
            self.do(Write(tuple(edits)))

    @rule(at_index=PLACES, entity=FLAGGED, kind=KINDS)
    def raise_a_flag(self, at_index: int, entity: str, kind: str) -> None:
        for record in self.one_of(entity, at_index):
            self.do(Write((created("flag", a_flag(record, entity=entity, kind=kind)),)))

    @rule(indices=st.lists(PLACES, max_size=3, unique=True), state=st.sampled_from(["resolved", "open"]))
    def decide_flags(self, indices: list[int], state: Any) -> None:
        flags = {flag for index in indices for flag in self.one_of("flag", index)}
        self.do(DecideFlags(flags=tuple(flags), state=state, resolution="seen"))

    @rule(at_index=PLACES, message=WORDS, others=WORDS)
    def tag_a_scene(self, at_index: int, message: str, others: str) -> None:
        for scene in self.one_of("scene", at_index):
            self.do(ChangeTags(scenes=(scene,), added=tuple(message.split()), removed=tuple(others.split())))

    @rule(at_index=PLACES)
    def comment_on_an_item(self, at_index: int) -> None:
        for item in self.one_of("item", at_index):
            self.do(WriteComment(entity="item", target=item, text="Is it so?"))

    @rule(at_index=PLACES, entity=FLAGGED)
    def hide_a_record(self, at_index: int, entity: str) -> None:
        for record in self.one_of(entity, at_index):
            self.do(Write((removed(entity, record),)))

    @precondition(lambda self: self.at > 0)
    @rule()
    def undo(self) -> None:
        self.session.undo().result()
        self.at -= 1

    @precondition(lambda self: self.at + 1 < len(self.states))
    @rule()
    def redo(self) -> None:
        self.session.redo().result()
        self.at += 1

    @rule()
    def close_and_open(self) -> None:
        self.session.close()
        self.session = Session.open(self.path, actor=ANNA)

    @invariant()
    def holds_what_was_done_and_not_undone(self) -> None:
        assert visible_state(self.path) == self.states[self.at]
        assert bool(undo_label(self.session)) == (self.at > 0)
        assert bool(redo_label(self.session)) == (self.at + 1 < len(self.states))

    def do(self, command: Command) -> None:
        if self.session.execute(command).result().command:
            self.states[self.at + 1 :] = [visible_state(self.path)]
            self.at += 1

    def ids(self, entity: str) -> list[str]:
        return [record.id for record in self.session.reader.records(record_type(entity))]

    def one_of(self, entity: str, index: int) -> list[str]:
        """Return one id of a kind, none where there is no such record."""
        ids = self.ids(entity)
        return [ids[index % len(ids)]] if ids else []

    def teardown(self) -> None:
        try:
            target(len(self.states), label="commands")
            assert problems(self.path) == []
            self.go_to_the_end(undo=True)
            self.go_to_the_end(undo=False)
            assert problems(self.path) == []
        finally:
            self.session.close()
            self._folder.cleanup()

    def go_to_the_end(self, *, undo: bool) -> None:
        while undo_label(self.session) if undo else redo_label(self.session):
            (self.session.undo() if undo else self.session.redo()).result()
        assert visible_state(self.path) == self.states[0 if undo else -1]


TestCommands = Commands.TestCase
TestCommands.settings = settings(max_examples=6, stateful_step_count=20)
