"""What a command does, as a code and parameters; the sentence is made when it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import msgspec

Parameter = str | int


@dataclass(frozen=True)
class Template:
    """English sentence of a code, with ``{name}`` for each parameter.

    Attributes:
        many: The sentence; the key of its translations.
        one: The sentence for a ``count`` of 1, "" where it is the same.
    """

    many: str
    one: str = ""


TEMPLATES: Mapping[str, Template] = MappingProxyType(
    {
        "accept_items": Template("Accept {count} items", "Accept {count} item"),
        "accept_proposals": Template("Accept {count} proposals", "Accept {count} proposal"),
        "add_demo_items": Template("Add {count} demo items"),
        "add_demo_scenes": Template("Add {count} demo scenes"),
        "add_maps": Template("Add {count} maps", "Add {count} map"),
        "add_media": Template("Add {count} media files of {name}", "Add {count} media file of {name}"),
        "add_option": Template("Add option"),
        "add_path": Template("Add path"),
        "add_point": Template("Add point"),
        "add_polygon": Template("Add polygon"),
        "add_responses": Template("Answer {count} items", "Answer {count} item"),
        "answer_before_key": Template(
            "Answer {count} items before seeing the answer key",
            "Answer {count} item before seeing the answer key",
        ),
        "add_region": Template("Add region"),
        "align_views": Template("Align views on ground plane"),
        "assign_items": Template("Assign {count} items", "Assign {count} item"),
        "assign_scenes": Template("Assign {count} scenes", "Assign {count} scene"),
        "carry_labels": Template("Carry labels to frames in between"),
        "change_label_box": Template("Change box of label"),
        "change_outline": Template("Change outline"),
        "change_rotated_box": Template("Change rotated box"),
        "check_items": Template("Check items"),
        "choose_task_set": Template("Choose the task set {name}"),
        "clear_category": Template("Remove category of {count} regions", "Remove category of {count} region"),
        "clear_licence": Template("Remove licence"),
        "confirm_copied": Template("Confirm answers of label"),
        "confirm_scene": Template("Confirm answers of scene"),
        "copy_answers": Template("Copy answers of another label"),
        "correct_record": Template("Correct in review"),
        "decide_labels": Template("Decide between event labels"),
        "delete_comment": Template("Delete comment"),
        "derive_images": Template(
            "Make {count} derived images ({name})", "Make {count} derived image ({name})"
        ),
        "dismiss_flags": Template("Dismiss {count} flags", "Dismiss {count} flag"),
        "draft_items": Template("Draft {name} items by rule"),
        "duplicate_regions": Template("Duplicate {count} regions", "Duplicate {count} region"),
        "edit_comment": Template("Edit comment"),
        "edit_answer_key": Template("Edit answer key"),
        "edit_field": Template("Edit {name}"),
        "edit_items": Template("Edit {count} items", "Edit {count} item"),
        "edit_option": Template("Edit option {letter}"),
        "edit_question": Template("Edit question"),
        "filter_guessed": Template("Filter {count} guessed items", "Filter {count} guessed item"),
        "finish_label": Template("Finish label"),
        "finish_scene": Template("Finish scene"),
        "finish_items": Template("Finish {count} items", "Finish {count} item"),
        "flag_doubted": Template(
            "Flag {count} items that models doubt", "Flag {count} item that models doubt"
        ),
        "flag_unneeded_input": Template(
            "Flag {count} items that do not need their input",
            "Flag {count} item that does not need its input",
        ),
        "flag_key_errors": Template(
            "Flag {count} probably wrong answer keys", "Flag {count} probably wrong answer key"
        ),
        "gather_demo_scenes": Template("Group demo images into scenes"),
        "import_file": Template("Import {name}"),
        "import_files": Template("Import {count} files"),
        "interpolate_tracks": Template("Interpolate {count} tracks", "Interpolate {count} track"),
        "keep_record": Template("Keep in review"),
        "keep_key": Template("Keep answer key"),
        "keep_depths": Template("Keep depths"),
        "keep_detections": Template("Keep detections"),
        "keep_model_drafts": Template("Keep the drafts of a model"),
        "letter_options": Template("Letter the options from A"),
        "label_errors": Template("Label {count} errors", "Label {count} error"),
        "link_regions": Template("Link {count} regions", "Link {count} region"),
        "add_direction_arrows": Template("Draw direction arrows"),
        "label_path": Template("Label path"),
        "make_variants": Template("Make variants of {count} items", "Make variant of {count} item"),
        "update_variant": Template("Make variant again"),
        "make_links": Template("Make {count} links", "Make {count} link"),
        "mark_hidden_place": Template("Mark hidden place"),
        "set_link_limit": Template("Set limit of links"),
        "split_link": Template("Split link"),
        "state_occluded": Template("Mark {count} regions as occluded", "Mark {count} region as occluded"),
        "state_out_of_view": Template(
            "Mark {count} regions as out of view", "Mark {count} region as out of view"
        ),
        "state_visible": Template("Mark {count} regions as visible", "Mark {count} region as visible"),
        "lock_regions": Template("Lock {count} regions", "Lock {count} region"),
        "make_clips": Template("Make {count} clips", "Make {count} clip"),
        "mark_abnormal": Template("Mark {count} regions as abnormal", "Mark {count} region as abnormal"),
        "mark_objects": Template("Mark {count} regions as objects", "Mark {count} region as object"),
        "mark_rooms": Template("Mark {count} regions as rooms", "Mark {count} region as room"),
        "move_key_frame": Template("Move key frame"),
        "merge_forks": Template("Choose the values of {count} forks", "Choose the value of {count} fork"),
        "merge_bundle": Template("Merge {count} events of {name}", "Merge {count} event of {name}"),
        "move_option": Template("Move option {letter}"),
        "move_regions": Template("Move {count} regions", "Move {count} region"),
        "new_item": Template("Add item"),
        "object_to_key": Template("Object to answer key"),
        "paste_regions": Template("Paste {count} regions", "Paste {count} region"),
        "propose_in_views": Template(
            "Propose {count} regions in other views", "Propose {count} region in other views"
        ),
        "propose_tracked": Template("Track {count} boxes", "Track {count} box"),
        "rebalance_letters": Template(
            "Rebalance the letters of {count} items", "Rebalance the letters of {count} item"
        ),
        "refuse_proposals": Template("Refuse {count} proposals", "Refuse {count} proposal"),
        "register_media": Template("Register {count} media files", "Register {count} media file"),
        "reject_items": Template("Reject {count} items", "Reject {count} item"),
        "release": Template("Release as {name}"),
        "remove_label_box": Template("Remove box of label"),
        "remove_marks": Template("Remove {count} annotations"),
        "remove_option": Template("Remove option {letter}"),
        "remove_paths": Template("Remove {count} paths", "Remove {count} path"),
        "propose_answers": Template("Propose answers of label"),
        "remove_regions": Template("Remove {count} regions", "Remove {count} region"),
        "renumber_region": Template("Change region number to {number}"),
        "reply_to_comment": Template("Reply to comment"),
        "require_gates": Template("Set the rules of releases"),
        "reopen_flags": Template("Reopen {count} flags", "Reopen {count} flag"),
        "reopen_scene": Template("Reopen scene"),
        "repeat_regions": Template("Repeat {count} regions", "Repeat {count} region"),
        "replace_text": Template("Replace text in {count} items", "Replace text in {count} item"),
        "resolve_fork": Template("Choose the {name} of a fork"),
        "resolve_flags": Template("Resolve {count} flags", "Resolve {count} flag"),
        "restore_items": Template("Restore {count} items", "Restore {count} item"),
        "reverse_flights": Template("Reverse {count} flights", "Reverse {count} flight"),
        "send_back_guessed": Template("Send back {count} guessed items", "Send back {count} guessed item"),
        "send_back_record": Template("Send back in review"),
        "send_back_items": Template("Send back {count} items", "Send back {count} item"),
        "settle_texts": Template("Settle {count} texts", "Settle {count} text"),
        "set_category": Template(
            "Set category {name} for {count} regions", "Set category {name} for {count} region"
        ),
        "set_caption": Template("Set caption of key frame"),
        "set_degradations": Template("Set degradations"),
        "set_flight_difficulty": Template("Set difficulty of flight"),
        "set_frame_steps": Template("Set annotation step to {step}"),
        "set_height": Template("Set height"),
        "set_instruction": Template("Set instruction of flight"),
        "set_issue_classes": Template("Set issue classes"),
        "set_key_frames": Template("Set key frames of {count} flights", "Set key frames of {count} flight"),
        "set_licence": Template("Set licence {name}"),
        "set_need": Template("Set need of another view"),
        "set_object_count": Template("Set object count"),
        "set_object_types": Template("Set object types"),
        "set_offset": Template("Set the offset of {name} to {offset_s} s"),
        "set_only_offset": Template("Set the offset of the view to {offset_s} s"),
        "set_other_degradation": Template("Set other degradation"),
        "set_partners": Template("Set helping views"),
        "set_quality": Template("Set quality"),
        "set_reasons": Template("Set reasons"),
        "set_segment_actions": Template("Set actions of segment"),
        "set_review_rules": Template("Set the rules of the review"),
        "set_state": Template("Set {count} items to {state}", "Set {count} item to {state}"),
        "set_task": Template("Set task {name}"),
        "swap_options": Template("Swap options {first} and {second}"),
        "set_usable": Template("Set usability"),
        "set_visible": Template("Set visible part"),
        "take_in_items": Template("Take {count} items into refinement", "Take {count} item into refinement"),
        "tag_scenes": Template("Tag {count} scenes", "Tag {count} scene"),
        "text": Template("{text}"),
        "toggle_label_box": Template("Change boxes of label"),
        "trim_texts": Template("Trim texts"),
        "unassign_items": Template("Unassign {count} items", "Unassign {count} item"),
        "unassign_scenes": Template("Unassign {count} scenes", "Unassign {count} scene"),
        "unlink_regions": Template("Unlink {count} regions", "Unlink {count} region"),
        "unlock_regions": Template("Unlock {count} regions", "Unlock {count} region"),
        "use_relative_directions": Template("Replace ‘{before}’ with ‘{after}’"),
        "unmark_abnormal": Template(
            "Mark {count} regions as not abnormal", "Mark {count} region as not abnormal"
        ),
        "waive_gate": Template("Waive gate: {name}"),
        "withdraw_error_labels": Template("Withdraw {count} error labels", "Withdraw {count} error label"),
        "withdraw_settled_texts": Template("Withdraw {count} settled texts", "Withdraw {count} settled text"),
        "withdraw_waiver": Template("Withdraw waiver of gate: {name}"),
        "write_comment": Template("Write comment"),
    }
)
"""A code stays for ever: it is stored in the log of every project."""


class CommandSummary(msgspec.Struct, frozen=True):
    """What a command does.

    Attributes:
        code: A key of ``TEMPLATES``; one of a later version is not among them.
        parameters: Values of the places in the sentence.
    """

    code: str
    parameters: Mapping[str, Parameter] = {}

    @classmethod
    def of(cls, code: str, **parameters: Parameter) -> CommandSummary:
        """Make a summary of a code and its parameters."""
        return cls(code, parameters)

    @classmethod
    def of_text(cls, text: str) -> CommandSummary:
        """Make a summary that is shown as it is, in every language."""
        return cls("text", {"text": text})

    def template(self) -> str:
        """Return the English sentence with its places; the code itself where it is unknown."""
        found = TEMPLATES.get(self.code)
        if found is None:
            return self.code.replace("_", " ").capitalize()
        return found.one if found.one and self.parameters.get("count") == 1 else found.many

    def values(self) -> dict[str, str]:
        """Return the parameters as they are shown, numbers grouped in thousands."""
        return {
            name: f"{value:,}" if isinstance(value, int) else value for name, value in self.parameters.items()
        }

    def __str__(self) -> str:
        """Return the sentence in English, for the command line and the log file."""
        return fill(self.template(), self.values())


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its places filled; a place without a value, of a later version, stays."""
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", value)
    return template
