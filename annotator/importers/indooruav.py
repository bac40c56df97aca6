"""Reads single files of IndoorUAV: test lists, instructions, postures, and flights that models made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.indooruav_records import FORMAT, IndoorUavRecords
from annotator.importers.indooruav_text import Episode, is_segment, read_episode, required_episode
from annotator.importers.indooruav_values import LocatedValue, keyed_values, whole_value
from annotator.importers.input_file import InputFile

_NUMBER = r"\s*-?[0-9][0-9.eE+-]*\s*"
_EPISODE_KEY = re.compile(r'"[^"\\]*/traj_-?[0-9]+/[^"\\/]+\.json"\s*:')
_EPISODES = re.compile(r"\s*\{\s*" + _EPISODE_KEY.pattern)
_RESULT = re.compile(r'\s*\{(?=[^{}]*"episode_key"\s*:)(?=[^{}]*"trajectory"\s*:)')
_SEGMENT = re.compile(r'\s*\{(?=[^{}]*"instruction"\s*:)(?=[^{}]*"source"\s*:\s*\[[\s0-9,]*\])')
_INSTRUCTION = re.compile(r'\s*\{[^{}]*"instruction"\s*:')
_INSTRUCTION_NAME = re.compile(r"(?:instruction(?:_pro)?|vla_ins_[0-9]+)\.json")
_POSTURE = re.compile(r"\s*\[\s*\[" + ",".join([_NUMBER] * 4) + r"\]\s*[,\]]")


class IndoorUav(FileImporter):
    """Takes IndoorUAV's instructions in as items, its flights as trajectories."""

    id = FORMAT
    title = "IndoorUAV lists, instructions and postures (JSON)"
    files = "IndoorUAV: `test_vla.json`, `test_vln_*.json`, instructions, `posture.json`, results"
    gives = "items, trajectories, attributes"
    fields = ("instruction", "source", "difficulty", "action_type", "episode_key", "trajectory")

    def recognizes(self, file: InputFile) -> bool:
        """Look for a list of episodes, an instruction, a posture or a result."""
        return _kind_of(file) is not None

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the records in the file's order."""
        records = IndoorUavRecords(dataset=context.dataset, mapping=context.mapping)
        if _kind_of(file) != "episodes":
            context.progress.begin(f"Importing {file.name}", total=1)
            context.progress.step()
            yield whole_value(file, locator=file.name).taken(partial(_record, file=file, records=records))
            return
        # One mention a key; texts hardly ever have the word.
        context.progress.begin(f"Importing {file.name}", total=file.text.count("/traj_"))
        make = partial(_episode, records=records)
        for value in keyed_values(file):
            context.progress.step()
            yield value.taken(make)


def _kind_of(file: InputFile) -> str | None:
    """Return what a file holds, from its beginning, or None where it is nothing of IndoorUAV's."""
    head = file.head
    # First, because it tests a single key; the others search a whole list of texts.
    if _EPISODES.match(head):
        return "episodes"
    if _RESULT.match(head):
        return "result"
    if _SEGMENT.match(head):
        return "segment"
    if _INSTRUCTION.match(head) and _INSTRUCTION_NAME.fullmatch(file.name):
        return "segment" if is_segment(file.stem) else "instruction"
    return "posture" if _POSTURE.match(head) else None


def _episode(value: LocatedValue, *, records: IndoorUavRecords) -> ImportedRecord:
    episode = required_episode(value.key, field=value.key[:80])
    if isinstance(value.content, dict):
        return records.facts(episode, value)
    return records.test_case(episode, value)


def _record(value: LocatedValue, *, file: InputFile, records: IndoorUavRecords) -> ImportedRecord:
    # A file whose fields have other names can only be told by its own.
    kind = _kind_of(file) or ("segment" if is_segment(file.stem) else "instruction")
    episode = read_episode(file.path.absolute().as_posix())
    if kind == "result":
        return records.prediction(value)
    if kind == "segment":
        return records.segment(episode, value, name=file.stem)
    if kind == "posture":
        flight = Episode(episode.trajectory, file.stem) if episode else None
        return records.flight(flight, value, name=file.stem)
    return records.instruction(episode, value, name=file.stem)
