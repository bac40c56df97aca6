"""The predictions of a text probe for single items; one request concerns all items of its run."""

from __future__ import annotations

import msgspec

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item
from annotator.domain.probe_answer import PROBE_SET, ProbeGuess
from annotator.domain.run import Prediction
from annotator.queries.reader import Reader


class _Guesses(msgspec.Struct):
    items: dict[str, msgspec.Raw] = {}


def probe_prediction(prediction: Prediction, item: Item, guess: ProbeGuess) -> Prediction:
    """Return a probe's answer to one item as a prediction of that item."""
    # An item that has changed since can have other options.
    pairs = zip(item.options, guess.probabilities, strict=False)
    shares = "  ".join(f"{option.letter} {share:.2f}" for option, share in pairs)
    return msgspec.structs.replace(
        prediction,
        target=item.id,
        spec={},
        answer=guess.letter,
        text=shares,
        scores=guess.probabilities,
        # The time and cost are those of the whole set.
        prompt_tokens=0,
        completion_tokens=0,
        cost_micro=0,
    )


def is_outdated(item: Item, guess: ProbeGuess) -> bool:
    """Return whether an item has changed since the probe read it."""
    return guess.shown != prompt_digest(item)


def guesses_of(prediction: Prediction | None, items: list[str]) -> dict[str, ProbeGuess]:
    """Return the guesses of a probe's prediction for some items by their ids; others are not decoded."""
    if prediction is None or prediction.kind != "answer":
        return {}
    known = msgspec.json.decode(prediction.answer, type=_Guesses).items
    return {item: msgspec.json.decode(known[item], type=ProbeGuess) for item in items if item in known}


def probe_predictions_on(reader: Reader, item: Item) -> list[Prediction]:
    """Return the predictions of probes for the present item, of all runs, the oldest first."""
    found = []
    for prediction in reader.runs.predictions_on(PROBE_SET):
        guess = guesses_of(prediction, [item.id]).get(item.id)
        if guess is not None and not is_outdated(item, guess):
            found.append(probe_prediction(prediction, item, guess))
    return found
