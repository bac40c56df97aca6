"""Prompts: files with versions, those of the product and a team's own."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

import resources
from annotator.errors import EnvironmentFailure, UserError

FOLDER_ENDING = ".prompts"
LARGEST_FILE_BYTES = 256 * 1024
HINT = "See docs/drafting.md for the contents of a prompt."
_SLOT = re.compile(r"\{([a-z_]+)\}")
Shown = Literal["nothing", "all", "frame"]


class PromptTemplate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model is told in one step of a chain.

    Attributes:
        id: Its name, which is also that of its file: ``urbanvideo/duration``.
        version: Another one with any change of words.
        purpose: What it is for, for people.
        frame: Name of a prompt around this one, "" for none: its slots ``{instructions}`` and ``{example}``
            are this one's text and example; system, pictures and length are its own where this one has none.
        system: What the model is told to be.
        text: What it is asked, with slots in braces.
        example: An answer as it should look, None for none.
        shows: Whether it is shown all pictures of what it is about, one frame, or nothing.
        max_tokens: Its answer has at most so many tokens.
        schema: JSON schema of the answer, None where the task gives it or it is free text.
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
        """Hex SHA-256 of all its words."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()

    @property
    def slots(self) -> frozenset[str]:
        """Names of the slots in its text."""
        return frozenset(_SLOT.findall(self.text))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with its slots filled; braces in a value stay as they are.

        Raises:
            UserError: It has a slot that this step knows nothing for.
        """
        if unknown := sorted(self.slots - values.keys()):
            raise UserError(
                f"The prompt {self.id} contains the unknown slot {{{unknown[0]}}}.",
                hint=f"Available slots: {', '.join(sorted(values))}.",
            )
        return _SLOT.sub(lambda found: values[found[1]], self.text)


class PromptSet:
    """The prompts of a run: a team's own ones before those of the product.

    Args:
        own: A team's prompts by their names.
    """

    def __init__(self, own: Mapping[str, PromptTemplate] | None = None) -> None:
        self._own = dict(own or {})
        self._known: dict[str, PromptTemplate] = {}

    def get(self, name: str) -> PromptTemplate:
        """Return a prompt with the one around it laid into it.

        Raises:
            UserError: There is none with this name, or it is damaged.
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
    """Return a prompt that comes with the product.

    Raises:
        UserError: There is none with this name.
    """
    return read_prompt(resources.path(f"prompts/{name}.toml"), name=name)


def project_prompts(project: Path, *, task_set: str) -> dict[str, PromptTemplate]:
    """Return the prompts that a project carries for a task set, by their names.

    They lie in a folder beside the project file: ``city.prompts/urbanvideo/duration.toml`` for
    ``city.vantage``.

    Raises:
        UserError: One of them is damaged, or called otherwise than its file.
        EnvironmentFailure: One cannot be read.
    """
    folder = project.with_suffix(FOLDER_ENDING)
    files = sorted((folder / task_set).glob("*.toml"))
    return {f"{task_set}/{file.stem}": read_prompt(file, name=f"{task_set}/{file.stem}") for file in files}


def read_prompt(file: Path, *, name: str) -> PromptTemplate:
    """Return the prompt of a file.

    Raises:
        UserError: It is not there, too large, damaged, or calls itself otherwise.
        EnvironmentFailure: It cannot be read.
    """
    try:
        if file.stat().st_size > LARGEST_FILE_BYTES:
            raise UserError(f"{file} is too large for a prompt.", hint=HINT)
        prompt = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8-sig")), PromptTemplate)
    except FileNotFoundError as error:
        raise UserError(f"The prompt {name!r} does not exist at {file}.", hint=HINT) from error
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}.") from error
    # Dates, huge numbers and texts of another coding raise errors of their own, all of this kind.
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise UserError(f"{file} is not a valid prompt: {error}.", hint=HINT) from error
    if prompt.id != name:
        raise UserError(f"{file} has the id {prompt.id!r}; the id must be {name!r}.", hint=HINT)
    return prompt
