"""Where a command was executed: its workspace and its record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from annotator.command_summary import CommandSummary
from annotator.domain.command import CommandRecord
from annotator.domain.flag import Flag
from annotator.domain.record_types import record_type
from annotator.domain.response import Response
from annotator.domain.scene import Scene
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.translation import join_texts, tr
from widgets.workspaces import WORKSPACES

CONSEQUENTIAL = frozenset({"add_media", "gather_demo_scenes", "import_file", "import_files", "release"})
MAKES_FILES = frozenset({"derive_images", "make_clips"})
"""Codes of commands that write media files, which undo keeps."""
AFTER_KEY = frozenset({"answer_before_key"})
"""Codes of commands after which the person has seen an answer key."""
CONSEQUENTIAL |= {"register_media"} | MAKES_FILES | AFTER_KEY
"""Codes of commands whose undo needs a confirmation: imports, releases, media changes, answers."""
OF_RUNS = frozenset({"filter_guessed", "flag_doubted", "keep_depths", "keep_detections", "keep_model_drafts"})
OF_RUNS |= {"flag_unneeded_input", "send_back_guessed"}
"""Codes of commands of the Runs workspace."""
OF_STAGES = frozenset({"align_views", "derive_images", "make_clips", "set_link_limit", "set_offset"})
OF_STAGES |= {"set_only_offset"}
"""Codes of commands about scenes that stages create: in Annotate, and on the page of a scene."""
OF_ITEMS = frozenset({"add_option", "edit_answer_key", "edit_option", "edit_question", "finish_items"})
OF_ITEMS |= {"accept_items", "move_option", "remove_option", "set_issue_classes", "set_task", "swap_options"}
OF_ITEMS |= {"update_variant"}
"""Codes of commands of the Refine workspace."""
OF_LABELS = frozenset(
    {
        "assign_scenes",
        "carry_labels",
        "change_label_box",
        "confirm_copied",
        "confirm_scene",
        "copy_answers",
        "finish_label",
        "finish_scene",
        "propose_answers",
        "reopen_scene",
        "set_frame_steps",
        "toggle_label_box",
        "unassign_scenes",
    }
)
OF_LABELS |= {"remove_label_box", "set_degradations", "set_need", "set_object_count", "set_object_types"}
OF_LABELS |= {"set_other_degradation", "set_partners", "set_quality", "set_reasons", "set_usable"}
"""Codes of commands of the event-level form and of the queue of Annotate."""
OF_FLIGHTS = frozenset({"move_key_frame", "reverse_flights", "set_caption", "set_flight_difficulty"})
OF_FLIGHTS |= {"set_instruction", "set_key_frames", "set_segment_actions"}
"""Codes of commands on flights, which Annotate executes."""
WITH_ITEMS = frozenset({"new_item", "remove_marks", "remove_regions", "renumber_region"})
"""Codes of commands of Annotate that can add, change or flag items, which the Library lists."""
OF_SECOND_LOOK = frozenset({"add_responses", "answer_before_key", "keep_key", "object_to_key"})
"""Codes of commands of the second look."""
OF_BOTH = frozenset({"dismiss_flags", "edit_items", "rebalance_letters", "reject_items", "reopen_flags"})
OF_BOTH |= {"replace_text", "resolve_flags", "restore_items", "send_back_items", "set_state"}
OF_BOTH |= {"make_variants", "take_in_items"}
"""Codes of commands on items and flags that the Library, Refine and Review execute."""
OF_REVIEW = frozenset({"correct_record", "decide_labels", "keep_record", "merge_forks", "resolve_fork"})
OF_REVIEW |= {"send_back_record"}
"""Codes of commands of the Review workspace."""
OF_COMMENTS = frozenset({"delete_comment", "edit_comment", "reply_to_comment", "write_comment"})
"""Codes of commands on comments, which every workspace with records executes."""
OF_RELEASE = frozenset({"release", "require_gates", "waive_gate", "withdraw_waiver"})
"""Codes of commands of the Release workspace."""
OF_SCORES = frozenset({"label_errors", "settle_texts", "withdraw_error_labels", "withdraw_settled_texts"})
"""Codes of commands of the Scores workspace."""
MARKS = frozenset({"link", "path", "region"})
"""Kinds of records that are created on the stage of Annotate."""
LOG = frozenset({"actor", "command"})
"""Kinds of records of the log itself."""
_PLACES: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
    (OF_RUNS, ("runs",)),
    (OF_RELEASE, ("release",)),
    (OF_SCORES, ("scores",)),
    (OF_STAGES, ("annotate", "library")),
    (OF_LABELS | OF_FLIGHTS, ("annotate",)),
    (OF_REVIEW, ("review", "library", "refine")),
    (OF_ITEMS, ("refine", "library", "review")),
    (OF_SECOND_LOOK, ("second_look", "library")),
    (OF_COMMENTS, ("library", "annotate", "refine", "review")),
    (OF_BOTH, ("library", "refine", "review")),
)
"""Workspaces by codes of commands; the first one shows the record."""
READ = 50
"""Maximum number of events that are read to detect a command about a single record."""


@dataclass(frozen=True, kw_only=True)
class UndoLocation:
    """A command that can be undone or redone, and where it was executed.

    Attributes:
        command: Id of the command.
        summary: Summary of the command.
        workspaces: Workspaces in which it is executed; the first one shows its record.
        entity: Kind of its record, "" for several records.
        name: Name of its record, or of the scene that contains it.
    """

    command: str
    summary: CommandSummary
    workspaces: tuple[str, ...]
    entity: str = ""
    name: str = ""

    @property
    def is_consequential(self) -> bool:
        """Whether undoing it always needs a confirmation."""
        return self.summary.code in CONSEQUENTIAL

    @property
    def keeps_files(self) -> bool:
        """Whether it wrote media files that stay where they are."""
        return self.summary.code in MAKES_FILES

    @property
    def has_seen_key(self) -> bool:
        """Whether it records an answer after which the answer key was shown."""
        return self.summary.code in AFTER_KEY

    def what(self) -> str:
        """Return its summary in the current language."""
        return display_text.command_summary_text(self.summary)

    def where(self) -> str:
        """Return its place as text: 'Annotate, 0001'."""
        workspace = next(tr(one.title) for one in WORKSPACES if one.id == self.workspaces[0])
        return join_texts(filter(None, (workspace, self.name)))


def read_undo_locations(
    reader: Reader, *, actor: str, machine: str
) -> tuple[UndoLocation | None, UndoLocation | None]:
    """Return the next undo and redo steps of an actor on a machine; called on the reading thread."""
    with reader.snapshot():
        undo = reader.log.next_undo(actor, machine=machine)
        redo = reader.log.next_redo(actor, machine=machine)
        return (
            _read_location(reader, undo) if undo is not None else None,
            _read_location(reader, redo) if redo is not None else None,
        )


def _read_location(reader: Reader, command: CommandRecord) -> UndoLocation:
    records = list(dict.fromkeys(islice(_records_of(reader, command.id), READ)))
    entities = {_subject(reader, entity, entity_id) for entity, entity_id in records}
    shown = {_shown_record(reader, entity, entity_id) for entity, entity_id in records}
    entity, name = shown.pop() if len(shown) == 1 else ("", "")
    return UndoLocation(
        command=command.id,
        summary=command.summary,
        workspaces=_workspaces(command.code, entities),
        entity=entity if name else "",
        name=name,
    )


def _workspaces(code: str, entities: set[str]) -> tuple[str, ...]:
    for codes, workspaces in _PLACES:
        if code in codes:
            return workspaces
    # A command on links reopens a finished scene.
    is_marking = bool(entities & MARKS) and entities <= MARKS | {"scene"} and code not in CONSEQUENTIAL
    if is_marking:
        return ("annotate",)
    return ("library", "annotate") if code in WITH_ITEMS else ("library",)


def _records_of(reader: Reader, command: str) -> Iterator[tuple[str, str]]:
    for event in reader.log.events_of(command, newest_first=False):
        if event.entity not in LOG:
            yield event.entity, event.entity_id


def _subject(reader: Reader, entity: str, entity_id: str) -> str:
    """Return the kind of a record, for a flag that of the flagged record."""
    flag = reader.get(Flag, entity_id) if entity == "flag" else None
    return flag.entity if flag is not None else entity


def _shown_record(reader: Reader, entity: str, entity_id: str) -> tuple[str, str]:
    """Return kind and name of the record that represents a record on the screen: the scene of a region."""
    if entity == "task":
        # Findings about all items of a task; it is no record.
        return entity, ""
    record = reader.get(record_type(entity), entity_id)
    if record is None or entity in {"item", "medium"}:
        return entity, str(getattr(record, "name", ""))
    target, target_id = str(getattr(record, "entity", "")), str(getattr(record, "target", ""))
    if isinstance(record, Response):
        target, target_id = "item", record.item
    if target and target_id:
        return _shown_record(reader, target, target_id)
    scene = entity_id if entity == "scene" else str(getattr(record, "scene", ""))
    scenes = [scene] if scene else reader.scenes.showing(str(getattr(record, "medium", "")))
    found = reader.get(Scene, scenes[0]) if scenes else None
    return "scene", found.name if found is not None else ""
