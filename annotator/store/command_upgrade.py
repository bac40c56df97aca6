"""Reads the records of commands that were written before project version 6, which hold an English label.

The log is never rewritten: the record is converted each time that it is read into the tables. The labels
below are those that the versions before wrote; no new one is ever added.
"""

from __future__ import annotations

import re

import msgspec

LABEL = "label"
COUNT = r"(?P<count>[\d,]+)"
# The first that fits decides: 'Import 3 files' could also be the import of a file of that name.
PATTERNS = tuple(
    (re.compile(pattern), code)
    for pattern, code in (
        (rf"Set (?P<state>\w+): {COUNT} items?", "set_state"),
        (r"Edit (?P<name>.+)", "edit_field"),
        (rf"Reject {COUNT} items?", "reject_items"),
        (rf"Accept {COUNT} items?", "accept_items"),
        (rf"Restore {COUNT} items?", "restore_items"),
        (rf"Resolve {COUNT} flags?", "resolve_flags"),
        (rf"Dismiss {COUNT} flags?", "dismiss_flags"),
        (rf"Reopen {COUNT} flags?", "reopen_flags"),
        (rf"Send back {COUNT} guessed items?", "send_back_guessed"),
        (rf"Filter {COUNT} guessed items?", "filter_guessed"),
        (rf"Flag {COUNT} items? that models doubt", "flag_doubted"),
        (rf"Tag {COUNT} scenes?", "tag_scenes"),
        (r"Choose the task set (?P<name>.+)", "choose_task_set"),
        (r"Write comment", "write_comment"),
        (r"Add region", "add_region"),
        (r"Add point", "add_point"),
        (r"Add polygon", "add_polygon"),
        (r"Add path", "add_path"),
        (r"Keep detections", "keep_detections"),
        (r"Keep depths", "keep_depths"),
        (r"Keep the drafts of a model", "keep_model_drafts"),
        (r"Change outline", "change_outline"),
        (rf"Repeat {COUNT} regions?", "repeat_regions"),
        (rf"Move {COUNT} regions?", "move_regions"),
        (rf"Remove {COUNT} regions?", "remove_regions"),
        (rf"Remove {COUNT} paths?", "remove_paths"),
        (rf"Remove {COUNT} marks", "remove_marks"),
        (rf"Link {COUNT} regions?", "link_regions"),
        (rf"Unlink {COUNT} regions?", "unlink_regions"),
        (r"Set the offset of the view to (?P<offset_s>[-+][\d.]+) s", "set_only_offset"),
        (r"Set the offset of (?P<name>.+) to (?P<offset_s>[-+][\d.]+) s", "set_offset"),
        (r"Match views on the ground", "align_views"),
        (rf"Import {COUNT} files", "import_files"),
        (r"Import (?P<name>.+)", "import_file"),
        (r"Draft (?P<name>\S+) items by rule", "draft_items"),
        (r"Check items", "check_items"),
        (r"Release as (?P<name>.+)", "release"),
        (rf"Register {COUNT} media files?", "register_media"),
        (rf"Add {COUNT} media files? of (?P<name>.+)", "add_media"),
        (r"Set licence (?P<name>.+)", "set_licence"),
        (r"Take licence away", "clear_licence"),
        (rf"Enter {COUNT} scenes with what is true about them", "add_demo_scenes"),
        (rf"Enter {COUNT} items computed from the truth", "add_demo_items"),
        (
            r"Gather pictures with boxes and frames in the scenes that they come from",
            "gather_demo_scenes",
        ),
    )
)


def upgrade_command(text: str) -> str:
    """Return the JSON text of a command's record with code and parameters.

    Args:
        text: The record as stored in the log; a record that has a code is returned unchanged.
    """
    # Searched before it is parsed, since few records are that old.
    if f'"{LABEL}"' not in text:
        return text
    record = msgspec.json.decode(text)
    label = record.pop(LABEL, None)
    if not isinstance(label, str) or "code" in record:
        return text
    code, parameters = summarise_label(label)
    return msgspec.json.encode({**record, "code": code, "parameters": parameters}).decode()


def summarise_label(label: str) -> tuple[str, dict[str, str | int]]:
    """Return code and parameters of a label; an unknown label becomes a command with code ``text``."""
    for pattern, code in PATTERNS:
        if match := pattern.fullmatch(label):
            return code, {name: _value(name, text) for name, text in match.groupdict().items()}
    return "text", {"text": label}


def _value(name: str, text: str) -> str | int:
    return int(text.replace(",", "")) if name == "count" else text
