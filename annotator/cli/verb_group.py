"""A group of commands that explains a misspelt one: the help of the group, and the closest names."""

from __future__ import annotations

from difflib import get_close_matches

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
            close = closest_names(name, list(self.commands))
            hint = f"The closest commands: {', '.join(close)}." if close else "The commands are listed above."
            raise UserError(f"{ctx.get_help()}\n\nThere is no command '{name}'.", hint=hint)
        return super().resolve_command(ctx, args)


def closest_names(name: str, names: list[str]) -> list[str]:
    """Return the names that a misspelt one resembles most, the most similar first."""
    return get_close_matches(name.lower(), names, n=MOST_NAMES, cutoff=SIMILAR)
