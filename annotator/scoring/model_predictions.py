"""Takes files of predictions apart by model, and gives each model a name that no other has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from annotator.errors import UserError
from annotator.progress import Progress
from annotator.scoring.prediction_form import Prediction, PredictionForm
from annotator.scoring.prediction_rows import InputProblem

MODELS_NAMED = 20
GENERAL_NAMES = frozenset({"predictions", "prediction", "responses", "results", "output"})
"""Names of files that every model's have; the folder is then named after the model."""


class PredictionSource(Protocol):
    """Where predictions come from: a file, or a run.

    Attributes:
        path: The file or folder; of a run a path that no other run has.
        form: The form of the predictions.
        reason: Why they count as of this form, in words.
    """

    path: Path
    form: PredictionForm
    reason: str

    def read(self, *, progress: Progress) -> Iterator[Prediction | InputProblem]:
        """Yield the predictions, and what cannot be read, in order."""


class ModelPredictions(msgspec.Struct, frozen=True, kw_only=True):
    """The predictions of one model in one file.

    Attributes:
        model: Name of the model.
        entries: Its predictions; in a file of one model also what cannot be read.
    """

    model: str
    entries: Sequence[Prediction | InputProblem]


class SplitFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of predictions by model.

    Attributes:
        models: The models, in the order of their first row.
        problems: Rows of a file of several models that do not tell whose they are.
    """

    models: Sequence[ModelPredictions]
    problems: Sequence[InputProblem]


def split_by_model(file: PredictionSource, *, progress: Progress) -> SplitFile:
    """Read a file and return the predictions of each model in it.

    Raises:
        UserError: A file is too large for its kind, or damaged as a whole.
        EnvironmentFailure: The disk refused.
        Cancelled: The user stopped it.
    """
    # As a whole: rows of several models may be mixed, and how many models there are is known at the
    # end.
    entries = list(file.read(progress=progress))
    names = dict.fromkeys(_named_models(entries))
    if len(names) < 2:
        model = next(iter(names), "") or model_name(file.path, file.form)
        return SplitFile(models=(ModelPredictions(model=model, entries=entries),), problems=())
    by_model: dict[str, list[Prediction | InputProblem]] = {name: [] for name in names}
    problems: list[InputProblem] = []
    for entry in entries:
        if isinstance(entry, InputProblem):
            problems.append(entry)
        elif entry.model:
            by_model[entry.model].append(entry)
        else:
            problems.append(_unnamed(entry))
    models = [ModelPredictions(model=model, entries=own) for model, own in by_model.items()]
    return SplitFile(models=models, problems=problems)


def _named_models(entries: Iterable[Prediction | InputProblem]) -> Iterator[str]:
    return (entry.model for entry in entries if isinstance(entry, Prediction) and entry.model)


def model_name(path: Path, form: PredictionForm) -> str:
    """Return the name of a model whose file does not tell it: that of the file or of its folder."""
    name = path.name if path.is_dir() else path.stem
    if form.name_ending and (beginning := name.removesuffix(form.name_ending)):
        name = beginning
    return path.absolute().parent.name or name if name.casefold() in GENERAL_NAMES else name


def require_models(wanted: Iterable[str], known: Sequence[str]) -> None:
    """Refuse names of models that no file has.

    Raises:
        UserError: There is one.
    """
    listed = ", ".join([*known[:MODELS_NAMED], *(["…"] if len(known) > MODELS_NAMED else ())])
    for name in wanted:
        if name not in known:
            raise UserError(
                f"The files have no predictions of {name}.", hint=f"Models in the files: {listed}."
            )


def distinct_names(named: Sequence[tuple[str, Path]]) -> list[str]:
    """Return a name for each model: where two have the same, with the end of the path that tells them apart.

    Args:
        named: Models with the files of their predictions.
    """
    counts = Counter(name for name, _ in named)
    return [
        name
        if counts[name] == 1
        else f"{name} ({_telling_end(path, [own for other, own in named if other == name])})"
        for name, path in named
    ]


def _telling_end(path: Path, paths: Sequence[Path]) -> str:
    """Return the shortest end of a path that none of the others has, the whole path for one given twice."""
    parts = path.absolute().parts
    for size in range(1, len(parts)):
        end = parts[-size:]
        if sum(other.absolute().parts[-size:] == end for other in paths) == 1:
            return "/".join(end)
    return str(path)


def _unnamed(entry: Prediction) -> InputProblem:
    return InputProblem(
        kind="unnamed_model",
        message="The row does not name its model, and the file has predictions of several.",
        item=entry.item,
        file=entry.file,
        line=entry.line,
    )
