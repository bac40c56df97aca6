"""A group of commands that explains a misspelt one: the help of the group, and the closest names."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from annotator.errors import UserError

MOST_NAMES = 3
SIMILAR = 0.5
"""How alike two names have to be, 1.0 for the same: 'improt' and 'import' come to 0.83."""


class VerbGroup(click.Group):
    """Commands by their names."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments begin with.

        Raises:
            UserError: There is none; the message contains the help.
        """
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            close = closest_names(name, self.list_commands(ctx))
            hint = f"The closest commands: {', '.join(close)}." if close else "The commands are listed above."
            raise UserError(f"{ctx.get_help()}\n\nThere is no command '{name}'.", hint=hint)
        return super().resolve_command(ctx, args)


class LazyVerbGroup(VerbGroup):
    """Commands whose modules are imported when they are asked for: all of them take half a second."""

    def __init__(self, *, modules: Mapping[str, str], **options: Any) -> None:  # noqa: ANN401 - those of click
        """Create the group.

        Args:
            modules: Module of each command, which lists its commands in ``VERBS``.
            options: Those of every group.
        """
        super().__init__(**options)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it
        """Return the names of all commands without importing them."""
        return sorted(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        """Import the module of a command and return it, None for a name that there is not."""
        if cmd_name not in self.modules:
            return None
        verbs: tuple[click.Command, ...] = import_module(self.modules[cmd_name]).VERBS
        return next(verb for verb in verbs if verb.name == cmd_name)


def closest_names(name: str, names: list[str]) -> list[str]:
    """Return the names that a misspelt one resembles most, the most similar first."""
    return get_close_matches(name.lower(), names, n=MOST_NAMES, cutoff=SIMILAR)
