"""A command whose first argument is the project, with subcommands of which one is the default."""

from __future__ import annotations

import click

from annotator.cli.verb_group import VerbGroup

_HELP = {"-h", "--help"}


class ProjectGroup(VerbGroup):
    """A group whose first argument is the project; without a subcommand the first one is run."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the first subcommand after the project if there is none."""
        default = next(iter(self.commands))
        options = [word for word in args[:1] if word.startswith("-") and word not in _HELP]
        rest = args[len(options) :]
        # The first subcommand takes no arguments, so any non-option after the project is a subcommand,
        # perhaps misspelt.
        is_default = len(rest) == 1 or (len(rest) > 1 and rest[1].startswith("-") and rest[1] not in _HELP)
        if is_default and rest[0] not in _HELP:
            args = [rest[0], default, *rest[1:], *options]
        return super().parse_args(ctx, args)
