"""Prompt templates: versioned files, built in or supplied by a team."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

import resources
from annotator.domain.conversion_fault import field_fault
from annotator.domain.own_files import OwnFault, fault_of, is_beside
from annotator.errors import EnvironmentFailure, UserError

FOLDER_ENDING = ".prompts"
LARGEST_FILE_BYTES = 256 * 1024
SIMILAR = 0.8
"""Names that only share the folder are not similar: those have up to 0.75."""
HINT = "See docs/drafting.md for the contents of a prompt."
_SLOT = re.compile(r"\{([a-z_]+)\}")
Shown = Literal["nothing", "all", "frame"]


class PromptTemplate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The prompt of one step of a pipeline.

    Attributes:
        id: Its name, which is also that of its file: ``urbanvideo/duration``.
        version: Version; changes with every change of the text.
        purpose: Purpose, for display.
        frame: Name of a prompt around this one, "" for none: its slots ``{instructions}`` and ``{example}``
            get this one's text and example; system text, images and length are those of the frame if this one
            has none.
        system: The system message.
        text: The user message, with slots in braces.
        example: An example of the answer, None without one.
        shows: Images sent: all of the subject, one frame, or none.
        max_tokens: Maximum number of tokens of the answer.
        schema: JSON schema of the answer, None if the task defines it or for free text.
    """

    id: str
    version: str
    purpose: str = ""
    frame: str = ""
    system: str = ""
    text: str
    example: dict[str, Any] | None = None
    shows: Shown | None = None
    max_tokens: int = 0
    schema: dict[str, Any] | None = None

    @property
    def name_with_version(self) -> str:
        """Name and version, as items and jobs keep them."""
        return f"{self.id}@{self.version}"

    @property
    def digest(self) -> str:
        """Hex SHA-256 of all its text."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()

    @property
    def slots(self) -> frozenset[str]:
        """Names of the slots in its text."""
        return frozenset(_SLOT.findall(self.text))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with its slots filled; braces in a value stay as they are.

        Raises:
            UserError: A slot has no value in this step.
        """
        if unknown := sorted(self.slots - values.keys()):
            raise UserError(
                f"The prompt {self.id} contains the unknown slot {{{unknown[0]}}}.",
                hint=f"Available slots: {', '.join(sorted(values))}.",
            )
        return _SLOT.sub(lambda found: values[found[1]], self.text)


class PromptSet:
    """The prompts of a run: a team's prompts override the built-in ones.

    Args:
        own: A team's prompts by their names.
    """

    def __init__(self, own: Mapping[str, PromptTemplate] | None = None) -> None:
        self._own = dict(own or {})
        self._known: dict[str, PromptTemplate] = {}

    def get(self, name: str) -> PromptTemplate:
        """Return a prompt combined with its frame.

        Raises:
            UserError: No prompt has this name, or it is damaged.
        """
        if name not in self._known:
            self._known[name] = self._framed(name)
        return self._known[name]

    def _framed(self, name: str) -> PromptTemplate:
        prompt = self._own.get(name) or builtin_prompt(name)
        if not prompt.frame:
            return prompt
        around = self._own.get(prompt.frame) or builtin_prompt(prompt.frame)
        example = json.dumps(prompt.example, ensure_ascii=False, indent=1) if prompt.example else ""
        known = {"instructions": prompt.text.strip(), "example": example}
        return msgspec.structs.replace(
            prompt,
            version=f"{prompt.version}.{around.version}",
            system=prompt.system or around.system,
            text=_SLOT.sub(lambda found: known.get(found[1], found[0]), around.text),
            shows=prompt.shows or around.shows,
            max_tokens=prompt.max_tokens or around.max_tokens,
            schema=prompt.schema or around.schema,
        )


@cache
def builtin_prompt(name: str) -> PromptTemplate:
    """Return a built-in prompt.

    Raises:
        UserError: No prompt has this name.
    """
    return read_prompt(resources.path(f"prompts/{name}.toml"), name=name)


def project_prompts(
    project: Path, *, task_set: str, skipped: Collection[str] = ()
) -> dict[str, PromptTemplate]:
    """Return the prompts of a project for a task set, by their names.

    They are stored in a folder beside the project file: ``city.prompts/urbanvideo/duration.toml`` for
    ``city.vantage``.

    Args:
        project: The project file.
        task_set: Id of the task set.
        skipped: Names of files, without folder and ending, that are not needed and not read.

    Raises:
        UserError: A prompt is damaged, or its name differs from its file's.
        EnvironmentFailure: One cannot be read.
    """
    return {
        name: read_prompt(file, name=name)
        for name, file in _own_files(project, f"{task_set}/*.toml")
        if file.stem not in skipped
    }


def prompt_faults(project: Path) -> tuple[OwnFault, ...]:
    """Return the prompt files of a project that cannot be used, each with its line where there is one.

    A file whose name no step of drafting asks for would never be read: it is misspelt.
    """
    found, read, files = [], [], dict(_own_files(project, "*/*.toml"))
    for name, file in files.items():
        try:
            read.append(read_prompt(file, name=name))
        except (UserError, EnvironmentFailure) as error:
            found.append((file, error.message))
    used = _builtin_names() | {prompt.frame for prompt in read}
    unused = (prompt.id for prompt in read if prompt.id not in used)
    found.extend((files[name], _unused_message(name, used=used)) for name in unused)
    return tuple(_placed_fault(file, message, project=project) for file, message in sorted(found))


def _placed_fault(file: Path, message: str, *, project: Path) -> OwnFault:
    place = file.relative_to(project.parent).as_posix()
    return msgspec.structs.replace(fault_of(file, message=message), file=place)


def _unused_message(name: str, *, used: Collection[str]) -> str:
    nearest = difflib.get_close_matches(name, sorted(used), n=1, cutoff=SIMILAR)
    if not nearest:
        return f"No step of drafting uses the prompt {name!r}."
    return f"No step of drafting uses the prompt {name!r}. The nearest name is {nearest[0]!r}."


def _builtin_names() -> set[str]:
    folder = resources.path("prompts")
    return {f"{file.parent.name}/{file.stem}" for file in folder.glob("*/*.toml")}


def _own_files(project: Path, pattern: str) -> Iterator[tuple[str, Path]]:
    """Yield the prompt files of a project with their names, in order."""
    folder = project.with_suffix(FOLDER_ENDING)
    for file in sorted(file for file in folder.glob(pattern) if is_beside(file, project)):
        yield f"{file.parent.name}/{file.stem}", file


def read_prompt(file: Path, *, name: str) -> PromptTemplate:
    """Return the prompt of a file.

    Raises:
        UserError: It does not exist, is too large or damaged, or its name differs from its file's.
        EnvironmentFailure: It cannot be read.
    """
    try:
        if file.stat().st_size > LARGEST_FILE_BYTES:
            raise UserError(f"{file} is too large for a prompt.", hint=HINT)
        # Editors on Windows begin a file with a byte order mark, which is no TOML.
        prompt = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8-sig")), PromptTemplate)
    except FileNotFoundError as error:
        raise UserError(f"The prompt {name!r} does not exist at {file}.", hint=HINT) from error
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}.") from error
    # A ValueError too, so it comes first.
    except msgspec.ValidationError as error:
        raise UserError(f"{file} is not a valid prompt: {field_fault(str(error))}", hint=HINT) from error
    # Dates, huge numbers and texts in another encoding raise different errors, all of this base class.
    except (ValueError, RecursionError) as error:
        raise UserError(f"{file} is not a valid prompt: {error}.", hint=HINT) from error
    if prompt.id != name:
        raise UserError(f"{file}, field id: the id is {prompt.id!r} and must be {name!r}.", hint=HINT)
    return prompt
