"""A command whose first argument is the project, with subcommands of which one is the default."""

from __future__ import annotations

import click

from annotator.cli.verb_group import VerbGroup

_HELP = {"-h", "--help"}


class ProjectGroup(VerbGroup):
    """A group whose first argument is the project; the first subcommand is run where none is given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the first subcommand behind the project where none stands there."""
        default = next(iter(self.commands))
        options = [word for word in args[:1] if word.startswith("-") and word not in _HELP]
        rest = args[len(options) :]
        # What is no option behind the project is a subcommand, perhaps a misspelt one: the first one has no
        # arguments.
        is_default = len(rest) == 1 or (len(rest) > 1 and rest[1].startswith("-") and rest[1] not in _HELP)
        if is_default and rest[0] not in _HELP:
            args = [rest[0], default, *rest[1:], *options]
        return super().parse_args(ctx, args)
