"""Display texts of states, flags, tasks and values, in the current language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.command_summary import TEMPLATES, CommandSummary, fill
from annotator.domain import answers, task_set_files
from annotator.domain.rows import HistoryEntry
from annotator.domain.task_set import TaskSet
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from widgets.field_titles import field_title
from widgets.message_text import message_text
from widgets.translation import language, mark, tr

if TYPE_CHECKING:
    from annotator.importers.report import FileReport

STATES = {
    "drafted": mark("Drafted"),
    "filtered": mark("Filtered"),
    "in_refinement": mark("In refinement"),
    "refined": mark("Refined"),
    "flagged": mark("Flagged"),
    "accepted": mark("Accepted"),
    "rejected": mark("Rejected"),
}
"""English texts of the item states, in workflow order."""

ROLES = {
    "annotate": mark("Annotate"),
    "refine": mark("Refine"),
    "validate": mark("Answer independently"),
    "review": mark("Review"),
    "reference": mark("Human reference"),
}
"""English texts of the roles of assignments."""

ISSUE_CLASSES = {
    "question": mark("Invalid or ambiguous"),
    "hallucination": mark("Hallucinated element"),
    "direction": mark("Direction"),
    "options": mark("Options or answer"),
}
"""English titles of the issue classes of a draft."""

STAGES = {
    "untouched": mark("Not labelled"),
    "labelling": mark("Partly labelled"),
    "labelled": mark("Labelled"),
    "in_work": mark("Items in progress"),
    "done": mark("All items decided"),
}
"""English texts of the scene stages, in workflow order."""

ANNOTATIONS = {"to_do": mark("To do"), "open": mark("In progress"), "finished": mark("Finished")}
"""English texts of the states of the annotation of a scene, in workflow order."""

HEALTHS = {
    "found": mark("Found"),
    "missing": mark("Missing"),
    "changed": mark("Changed"),
    "damaged": mark("Damaged"),
    "unseen": mark("Not checked yet"),
}
"""English texts of the health of a media file."""

MEDIUM_KINDS = {
    "image": mark("Image"),
    "video": mark("Video"),
    "frames": mark("Frame folder"),
    "depth": mark("Depth map"),
    "map": mark("Top-view map"),
    "trajectory": mark("Trajectory"),
}
"""English texts of the media types."""

FOOTAGE = {"": mark("Unknown"), "real": mark("Real"), "simulated": mark("Simulated")}
"""English texts of the origins of images."""

SEVERITIES = {"error": mark("decision required"), "warning": mark("check recommended"), "note": mark("note")}
"""English texts of the flag severities."""

FLAG_STATES = {"open": mark("Open"), "resolved": mark("Resolved"), "dismissed": mark("Dismissed")}
"""English texts of the flag states."""

FLAG_ORIGINS = {
    "import": mark("found at import"),
    "check": mark("found by a check"),
    "blind": mark("found by a blind filter"),
    "consensus": mark("found by a consensus run"),
    "necessity": mark("found by an evaluation without a part of the input"),
    "hand": mark("raised by a person"),
    "response": mark("found by an independent answer"),
}
"""English texts of the origins of flags."""

FLAG_KINDS = {
    "annotated_twice": mark("Duplicate annotation"),
    "annotation_id_repeated": mark("Duplicate annotation id"),
    "annotations_several": mark("Several annotations"),
    "answer_found_wrong": mark("Reviewer rejected the answer key"),
    "answer_missing": mark("Answer is missing"),
    "blind_guessed": mark("Answered without images"),
    "blind_undecided": mark("Blind filter undecided"),
    "box_empty": mark("Box has no size"),
    "box_outside": mark("Box outside the image"),
    "categories_unnamed": mark("Category names are missing"),
    "category_unknown": mark("Unknown category"),
    "comment_open": mark("Question in a comment"),
    "consensus_against_key": mark("Models disagree with the answer key"),
    "consensus_ambiguous": mark("Models disagree"),
    "consensus_unstable": mark("Inconsistent model answers"),
    "key_probably_wrong": mark("Answer key probably wrong"),
    "count_and_partner_swapped": mark("Count and partner swapped"),
    "count_not_integer": mark("Count is not a number"),
    "crowd_box": mark("Box around a group"),
    "difficulty_differs": mark("Difficulty mismatch"),
    "episode_unknown": mark("Unknown flight"),
    "fact_differs": mark("Sources disagree"),
    "fov_without_rect": mark("‘Out of view’ without box"),
    "given_without_need": mark("Value is not required"),
    "id_missing": mark("Id is missing"),
    "image_size_differs": mark("Image size mismatch"),
    "key_missing": mark("Answer key is missing"),
    "key_not_among_options": mark("Answer key is not an option"),
    "key_not_single": mark("Answer key matches several options"),
    "key_unreadable": mark("Answer key cannot be parsed"),
    "media_missing": mark("No media file is named"),
    "frames_not_needed": mark("Answered with one frame"),
    "language_bias": mark("Answered with wrong images"),
    "order_not_needed": mark("Answered in any frame order"),
    "regions_not_needed": mark("Answered without regions"),
    "view_not_needed": mark("Answered with one view"),
    "labels_differ": mark("Event labels differ"),
    "medium_changed": mark("File has changed"),
    "medium_damaged": mark("File is damaged"),
    "medium_missing": mark("File is missing"),
    "name_collides": mark("Name conflict"),
    "name_percent_encoded": mark("Name percent-encoded"),
    "occlusion_without_rect": mark("‘Occlusion’ without box"),
    "option_empty": mark("Option is empty"),
    "option_letters_odd": mark("Unexpected option letters"),
    "options_missing": mark("Options are missing"),
    "others_without_text": mark("‘Others’ without text"),
    "partner_is_self": mark("Partner is the same view"),
    "partner_missing": mark("Partner is missing"),
    "partner_unknown": mark("Unknown partner"),
    "people_disagree": mark("People disagree"),
    "person_against_key": mark("Person disagrees with the answer key"),
    "person_reports_issue": mark("Person reports an issue"),
    "region_ambiguous": mark("Region is ambiguous"),
    "region_removed": mark("Region was removed"),
    "rect_empty": mark("Box without area"),
    "rect_outside": mark("Box exceeds the image"),
    "rect_unlabelled": mark("Box without a label"),
    "rect_without_tick": mark("Box without checked option"),
    "review_unclear": mark("Review is ambiguous"),
    "shadow_without_rect": mark("‘Shadow’ without box"),
    "small_without_rect": mark("‘Small’ without box"),
    "task_id_repeated": mark("Duplicate task id"),
    "task_unknown": mark("Unknown task"),
    "text_damaged": mark("Text is corrupted"),
    "text_without_others": mark("Text without ‘others’"),
    "unavailable_though_good": mark("Good quality but not usable"),
    "value_unknown": mark("Unknown value"),
    "view_medium_differs": mark("View has a different media file"),
    "view_unknown": mark("Unknown view"),
    "what_missing": mark("‘What’ is missing"),
    "when_missing": mark("‘When’ is missing"),
    "why_missing": mark("‘Why’ is missing"),
}
"""English titles of the flags of imports and model runs; checks have titles of their own."""

RELEASE_REFUSALS = {
    "answer_format": mark("The export format does not support the answer format"),
    "count": mark("The object count is not a number"),
    "extras": mark("The export format cannot store an additional field"),
    "answer_key": mark("The answer key is missing or not an option"),
    "media": mark("The export format does not support the media of the item"),
    "name": mark("The id has an unsuitable form"),
    "options": mark("The export format does not support the options"),
    "task": mark("The task is unknown"),
    "task_set": mark("The item belongs to another task set"),
    "text": mark("A text is empty or contains unsupported characters"),
    "views": mark("The export format does not support the views"),
    "who": mark("The export format does not support the partner names"),
}
"""English texts of the reasons why an export format rejects a record."""

_TASKS: dict[tuple[str, str], tuple[str, str]] = {}
_VALUES: dict[tuple[str, str], tuple[str, str]] = {}
_SETS: dict[str, tuple[str, str]] = {}
_OWN_CHECKS: dict[str, str] = {}


def load_task_set_titles(ids: Iterable[str], *, project: Path | None = None) -> None:
    """Load the titles of task sets and of the checks of a project; may be called on any thread.

    Args:
        ids: Task sets that are about to be shown; unknown ones are shown by their id.
        project: The project file, whose folder may have own task sets and checks; None for none.
    """
    _check_titles()
    answers.formats()
    own = _learn_own(project) if project else {}
    known = set(task_set_files.builtin_ids())
    for task_set in ids:
        if task_set in own:
            load_task_set_titles_of(own[task_set])
        elif task_set in known and task_set not in _SETS:
            load_task_set_titles_of(task_set_files.builtin(task_set))


def _learn_own(project: Path) -> dict[str, TaskSet]:
    from annotator.quality.team_checks import ProjectChecks

    _OWN_CHECKS.update({check.id: check.title for check in ProjectChecks(project).own.values()})
    return TaskSetCatalogue.of(project).own


def load_task_set_titles_of(task_set: TaskSet) -> None:
    """Store the titles of a task set, its tasks and its values; may be called on any thread."""
    _SETS[task_set.id] = (task_set.title.en, task_set.title.zh)
    for task in task_set.tasks:
        _TASKS[task_set.id, task.id] = (task.title.en, task.title.zh)
    for name, values in task_set.value_lists.items():
        for value in values:
            _VALUES[name, value.id] = (value.title.en, value.title.zh)


def role_title(role: str) -> str:
    """Return the title of a role of an assignment."""
    return tr(ROLES.get(role, role))


def item_state_title(state: str) -> str:
    """Return the text of an item state."""
    return tr(STATES.get(state, plain(state)))


def issue_class_title(issue_class: str) -> str:
    """Return the title of an issue class."""
    return tr(ISSUE_CLASSES.get(issue_class, plain(issue_class)))


def stage_title(stage: str) -> str:
    """Return the text of a scene stage."""
    return tr(STAGES.get(stage, plain(stage)))


def annotation_state_title(annotation: str) -> str:
    """Return the text of the state of the annotation of a scene."""
    return tr(ANNOTATIONS.get(annotation, plain(annotation)))


def health_title(health: str) -> str:
    """Return the text for the health of a media file or of a scene's media; "" for none."""
    return tr(HEALTHS.get(health, plain(health))) if health else tr("No media file")


def media_kind_title(kind: str) -> str:
    """Return the text of a media type."""
    return tr(MEDIUM_KINDS.get(kind, plain(kind)))


def footage_title(footage: str) -> str:
    """Return the text of an origin of images: real or simulated."""
    return tr(FOOTAGE.get(footage, plain(footage)))


def size_text(size_bytes: int) -> str:
    """Return a file size in the best unit: "289 kB", "4.2 GB"; decimal units."""
    size, units = float(size_bytes), ("B", "kB", "MB", "GB", "TB")
    unit = 0
    while size >= 1000 and unit < len(units) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:,.0f} {units[unit]}" if unit < 2 or size >= 100 else f"{size:,.1f} {units[unit]}"


def no_licence() -> str:
    """Return the text for media without a licence."""
    return tr("No licence specified")


def flag_kind_title(kind: str) -> str:
    """Return the text of a flag kind."""
    if kind in _OWN_CHECKS:
        return _OWN_CHECKS[kind]
    return tr(FLAG_KINDS.get(kind) or _check_titles().get(kind) or plain(kind))


def origin_title(origin: str) -> str:
    """Return the text for the origin of a flag."""
    return tr(FLAG_ORIGINS.get(origin, plain(origin)))


def withheld_reason_text(reason: str) -> str:
    """Return the text of a reason why a release withheld a record, such as ``state:rejected``."""
    origin, _, kind = reason.partition(":")
    if origin == "state":
        return tr("State: {state}", state=item_state_title(kind))
    if origin == "fork":
        return tr("Fork of a flag") if kind == "flag" else tr("Fork: {field}", field=field_title(kind))
    return tr(RELEASE_REFUSALS.get(kind, plain(kind))) if origin == "format" else flag_kind_title(kind)


def format_title(answer_format: str) -> str:
    """Return the title of an answer format."""
    if answers.is_known(answer_format):
        return tr(answers.get(answer_format).title)
    return tr(plain(answer_format))


def task_title(task: str, task_set: str = "") -> str:
    """Return the title of a task; without a task set, that of the first set that contains it."""
    if not task:
        return tr("No task")
    titles = _TASKS.get((task_set, task))
    if titles is None and not task_set:
        # Tasks of two sets can share an id: without a task set the first title is used.
        titles = next((known for (_, name), known in _TASKS.items() if name == task), None)
    return _spoken(titles) if titles else plain(task)


def task_label(task: str, *, shared: Container[str]) -> str:
    """Return the title of a task given as ``set/task``, with its task set if the title is ambiguous.

    Args:
        task: The task.
        shared: Result of ``tasks_of_same_title`` for all displayed tasks.
    """
    task_set, _, name = task.rpartition("/")
    title = task_title(name, task_set)
    return f"{title} · {task_set_title(task_set)}" if task in shared else title


def tasks_of_same_title(tasks: Iterable[str]) -> frozenset[str]:
    """Return the tasks, as ``set/task``, whose title occurs more than once in either language."""
    groups: dict[tuple[int, str], list[str]] = defaultdict(list)
    for task in tasks:
        task_set, _, name = task.rpartition("/")
        titles = _TASKS.get((task_set, name)) or (plain(name), plain(name))
        for index, title in enumerate(titles):
            groups[index, title].append(task)
    return frozenset(task for group in groups.values() if len(group) > 1 for task in group)


def task_set_title(task_set: str) -> str:
    """Return the title of a task set."""
    return _spoken(_SETS[task_set]) if task_set in _SETS else plain(task_set)


def made_here() -> str:
    """Return the text for items that were not imported."""
    return tr("Created in Vantage")


def no_dataset() -> str:
    """Return the text for scenes and media without a dataset."""
    return tr("No dataset")


def listed_value_title(value_list: str, value: str) -> str:
    """Return the title of a value in a closed list, or the value itself if it is not in the list."""
    found = _VALUES.get((value_list, value))
    return _spoken(found) if found else value


def plain(name: str) -> str:
    """Return an id as words: ``count_not_integer`` is 'Count not integer'."""
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def export_title(form: str) -> str:
    """Return the title of an export format."""
    # Imported on demand: needed only after a release.
    from annotator.release.exporters import EXPORTERS

    return tr(EXPORTERS[form].title) if form in EXPORTERS else plain(form)


def gate_title(gate: str) -> str:
    """Return the title of a gate of releases, its id where this version does not know it."""
    from annotator.release.gates import GATES

    return tr(GATES[gate].title) if gate in GATES else gate


PARAMETER_TEXTS: dict[str, dict[str, Callable[[str], str]]] = {
    "choose_task_set": {"name": task_set_title},
    "draft_items": {"name": task_set_title},
    "edit_field": {"name": field_title},
    "release": {"name": export_title},
    "resolve_fork": {"name": field_title},
    "set_category": {"name": lambda name: listed_value_title("region_category", name)},
    "set_state": {"state": item_state_title},
    "set_task": {"name": task_title},
    "waive_gate": {"name": gate_title},
    "withdraw_waiver": {"name": gate_title},
}
"""Functions that display command parameters with ids, by command code and parameter."""


def command_summary_text(summary: CommandSummary) -> str:
    """Return the summary of a command in the current language."""
    if summary.code == "text":
        return str(summary)
    # The catalogue has the plural template as its key; English has a separate singular one.
    template = TEMPLATES.get(summary.code)
    key = summary.template() if language() == "en" or template is None else template.many
    texts = PARAMETER_TEXTS.get(summary.code, {})
    values = {
        name: texts[name](value) if name in texts else value for name, value in summary.values().items()
    }
    return fill(tr(key), values)


def phase_text(what: str | CommandSummary) -> str:
    """Return the phase of a task, translated if it comes from a command."""
    return command_summary_text(what) if isinstance(what, CommandSummary) else message_text(what)


def local_time(wall_time: str) -> str:
    """Return a UTC time in local time, without the date if it is today; "" for none."""
    if not wall_time:
        return ""
    time = datetime.fromisoformat(wall_time).astimezone()
    is_today = time.date() == datetime.now().astimezone().date()
    return time.strftime("%H:%M:%S" if is_today else "%Y-%m-%d %H:%M")


def history_text(entry: HistoryEntry) -> str:
    """Return the effect of a command on a record as text: 'Undo: Reject 3 items'."""
    text = command_summary_text(entry.summary) if entry.code else tr("Change")
    if entry.kind == "undo":
        return tr("Undo: {what}", what=text)
    return tr("Redo: {what}", what=text) if entry.kind == "redo" else text


@cache
def _check_titles() -> dict[str, str]:
    # Imported on demand: ``load_task_set_titles`` loads the checks off the GUI thread.
    from annotator.quality.checks import CHECKS

    return {check.id: check.title for check in CHECKS.values()}


def _spoken(titles: tuple[str, str]) -> str:
    english, chinese = titles
    return chinese if language() == "zh" and chinese else english


def unread_text(file: FileReport) -> str:
    """Return how much of a file an import could not read."""
    if file.unread is None or file.total is None:
        return tr("The file ends early or is damaged: the rest was not read.")
    return tr("{n} of {total} records were not read.", n=f"{file.unread:,}", total=f"{file.total:,}")
