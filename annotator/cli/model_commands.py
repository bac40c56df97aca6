"""Commands on the models of a user: list, add, remove, try."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import json_option, model_catalog
from annotator.cli.verb_group import VerbGroup
from annotator.domain.profile import SEGMENTER, Adapter, ModelProfile
from annotator.errors import UserError
from annotator.jobs.profile_file import DEFAULTS, read_profiles, write_profiles
from annotator.progress import Progress
from annotator.user_profile import config_folder

if TYPE_CHECKING:
    from annotator.model_api import Segmenter

ADAPTERS: tuple[Adapter, ...] = Adapter.__args__  # type: ignore[attr-defined]
name_argument = click.argument("name", metavar="NAME")


@click.group(cls=VerbGroup)
def models() -> None:
    """List, add, remove and test the model profiles of the user. API keys are referenced, never stored."""


@models.command(name="list")
@json_option
def list_models(console: Console) -> None:
    """List all model profiles."""
    known = read_profiles(config_folder())
    rows = [
        (one.name, one.adapter, one.model, one.base_url or one.path, one.key_from, _price_text(one))
        for one in known.values()
    ]
    head = ("name", "adapter", "model", "where", "key", "price")
    result = {"models": msgspec.to_builtins(list(known.values()))}
    console.result(result, print_text=lambda: console.table("Models", head=head, rows=rows))


@models.command()
@name_argument
@click.option(
    "--adapter",
    type=click.Choice(ADAPTERS),
    default="openai",
    show_default=True,
    help="Adapter that opens the model.",
)
@click.option("--url", "base_url", default="", help="Server URL, for example http://127.0.0.1:8000/v1.")
@click.option("--model", default="", help="Name of the model on the server.")
@click.option("--path", default="", help="File or folder of weights.")
@click.option("--key-from", default="", metavar="env:NAME|keyring:NAME", help="Location of the API key.")
@click.option(
    "--price",
    nargs=2,
    type=float,
    default=(None, None),
    help="Price of a million input and output tokens; 0 0 for free.",
)
@click.option(
    "--in-flight",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    help="Maximum number of parallel calls.",
)
@click.option("--set", "pairs", multiple=True, metavar="NAME=JSON", help="Option of the adapter.")
@json_option
def add(name: str, pairs: tuple[str, ...], console: Console, **values: Any) -> None:  # noqa: ANN401 - of options
    """Add the model NAME, or change its settings."""
    price_in, price_out = values.pop("price")
    options = dict(_pair(pair) for pair in pairs)
    path = _weights(values.pop("path"))
    made = ModelProfile(
        name=name, path=path, price_in=price_in, price_out=price_out, options=options, **values
    )
    known = read_profiles(config_folder())
    write_profiles(config_folder(), (known | {name: made}).values())
    console.result(
        msgspec.to_builtins(made),
        print_text=lambda: console.print(f"{name} is saved. Test it with: models try {quote(name)}"),
    )


@models.command()
@name_argument
@json_option
def remove(name: str, console: Console) -> None:
    """Remove the model NAME; its answers are kept."""
    known = read_profiles(config_folder())
    _require(known, name)
    write_profiles(config_folder(), [one for one in known.values() if one.name != name])
    is_default = name in {one.name for one in DEFAULTS}
    text = f"{name} is reset to its default." if is_default else f"{name} is removed."
    console.result({"removed": name}, print_text=lambda: console.print(text))


@models.command(name="try")
@name_argument
@json_option
def try_model(name: str, console: Console) -> None:
    """Test the model NAME with short questions, and print what it supports; paid servers bill them."""
    profile = _require(read_profiles(config_folder()), name)
    findings = model_catalog().trial(msgspec.to_builtins(profile))
    console.result(
        {"model": name, "findings": findings.splitlines()}, print_text=lambda: console.print(findings)
    )


@models.command(name="segment", hidden=True)
@name_argument
def segment(name: str) -> None:
    """Answer the prompts of the window, one JSON request a line, with the segmenter NAME."""
    from annotator.jobs.segment_requests import SegmentServer
    from annotator.media.embedding_cache import EmbeddingCache

    profile = _require(read_profiles(config_folder()), name)
    if profile.adapter != SEGMENTER:
        raise UserError(f"{name} is not a segmenter.", hint="Choose a model with the adapter sam-onnx.")
    model = cast("Segmenter", model_catalog().open(msgspec.to_builtins(profile), progress=Progress()))
    SegmentServer(model, cache=EmbeddingCache()).serve(sys.stdin.buffer, write=_write_line)


def _write_line(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    # The window waits for this line.
    sys.stdout.buffer.flush()


def _price_text(profile: ModelProfile) -> str:
    if profile.is_priced:
        return f"{profile.price_in or 0:g} / {profile.price_out or 0:g}"
    return "unknown" if profile.has_unknown_price else "free"


def _require(known: dict[str, ModelProfile], name: str) -> ModelProfile:
    if name not in known:
        raise UserError(f"There is no model {name!r}.", hint=f"There are: {', '.join(known)}.")
    return known[name]


def _weights(path: str) -> str:
    """Return a path from the root, since a worker may be started in another folder.

    Raises:
        UserError: Nothing lies there.
    """
    if path and not Path(path).exists():
        raise UserError(f"There is no file or folder {path}.")
    return str(Path(path).resolve()) if path else ""


def _pair(pair: str) -> tuple[str, Any]:
    name, equals, value = pair.partition("=")
    if not (name and equals):
        raise click.BadParameter(f"'{pair}' is not in the form NAME=JSON.", param_hint="--set")
    try:
        return name, msgspec.json.decode(value)
    except msgspec.DecodeError:
        # Text needs no quotes: a bare word is not valid JSON.
        return name, value


VERBS = (models,)
