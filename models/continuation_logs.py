"""Log-probabilities of continuations of one prompt, by a model of transformers.

The prompt is read once; every continuation goes on from its keys and values. Each is evaluated by itself, so
that its numbers depend neither on the other ones nor on how many there are.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from typing import Any

PLAIN_LAYERS = frozenset({"DynamicLayer", "DynamicSlidingWindowLayer"})
"""Layers of a cache of keys and values alone. Others, such as those of state space models, hold a state that
only single tokens continue."""
KEEP = "logits_to_keep"
POSITIONS = "rope_deltas"
"""What models of the Qwen-VL family keep of their last prompt, and would use for one without images, too."""
CACHES = ("cache", "past_key_values")
"""Names of the argument for keys and values: that of newer versions of transformers, and the former one."""


class ContinuationScorer:
    """Scores continuations; for one thread at a time.

    Args:
        torch: The module.
        model: A causal or an image-text-to-text model.
        reuses_prompt: False to read the prompt again for each continuation.
    """

    # torch and transformers have no type stubs here.
    def __init__(self, torch: Any, model: Any, *, reuses_prompt: bool = True) -> None:  # noqa: ANN401
        self._torch, self._model = torch, model
        accepted = inspect.signature(model.forward).parameters
        self._can_keep = KEEP in accepted
        names = [name for name in CACHES if name in accepted]
        self._cache_name = names[0] if names and reuses_prompt else ""

    def logs(self, encoded: dict[str, Any], rows: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
        """Return the log-probability of each token of each continuation.

        Args:
            encoded: Inputs of the model for the prompt: one row without padding.
            rows: Tokens of the continuations, at least one each.
        """
        inner = getattr(self._model, "model", None)
        if getattr(inner, POSITIONS, None) is not None:
            setattr(inner, POSITIONS, None)
        with self._torch.inference_mode():
            read = self._model(**encoded, use_cache=bool(self._cache_name), **self._kept(1))
            first = self._log_softmax(read.logits[0, -1])
            cache = getattr(read, self._cache_name, None) if self._cache_name else None
            if not _is_plain(cache):
                cache = None
            found = {
                row: (float(first[row[0]]), *self._rest(encoded, row, cache=cache))
                for row in dict.fromkeys(map(tuple, rows))
            }
        return [found[tuple(row)] for row in rows]

    def _rest(self, encoded: dict[str, Any], row: tuple[int, ...], *, cache: Any) -> list[float]:  # noqa: ANN401
        if len(row) == 1:
            return []
        count = len(row) - 1
        added = self._torch.tensor([row[:-1]], device=encoded["input_ids"].device)
        if cache is None:
            inputs = _longer(self._torch, encoded, added)
        else:
            # Nothing else is of the new tokens: images are in the prompt, and positions of Qwen-VL would be
            # counted through the mask of all tokens.
            # The model extends the cache that it is given: each continuation needs a copy.
            inputs = {"input_ids": added, self._cache_name: copy.deepcopy(cache), "use_cache": True}
        logits = self._model(**inputs, **self._kept(count)).logits[0, -count:]
        wanted = self._torch.tensor(row[1:], device=logits.device)
        logs: list[float] = self._log_softmax(logits).gather(1, wanted[:, None])[:, 0].tolist()
        return logs

    def _kept(self, count: int) -> dict[str, int]:
        # Logits of a long prompt would take gigabytes: one number per token and word of the vocabulary.
        return {KEEP: count} if self._can_keep else {}

    def _log_softmax(self, logits: Any) -> Any:  # noqa: ANN401
        # bf16 has two to three decimal digits, too few for a sum over a vocabulary.
        return self._torch.log_softmax(logits.float(), dim=-1)


def without_end(encoded: dict[str, Any], count: int) -> dict[str, Any]:
    """Return the inputs of a prompt without its last tokens."""
    shape = encoded["input_ids"].shape
    return {
        name: value[:, : shape[1] - count] if value.shape == shape else value
        for name, value in encoded.items()
    }


def _longer(torch: Any, encoded: dict[str, Any], added: Any) -> dict[str, Any]:  # noqa: ANN401
    shape, longer = encoded["input_ids"].shape, {}
    for name, value in encoded.items():
        if value.shape != shape:
            longer[name] = value
            continue
        # Ids, mask and, for some architectures, the type of each token, which is 0 for text.
        more = {"input_ids": added, "attention_mask": torch.ones_like(added)}.get(
            name, torch.zeros_like(added)
        )
        longer[name] = torch.cat((value, more.to(value.dtype)), dim=1)
    return longer


def _is_plain(cache: Any) -> bool:  # noqa: ANN401
    return all(type(layer).__name__ in PLAIN_LAYERS for layer in getattr(cache, "layers", (None,)))
