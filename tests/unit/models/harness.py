"""Log-likelihoods by lm-evaluation-harness, whose numbers are those of published results."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

Harness = Callable[..., list[float]]


def harness_of(model, tokenizer) -> Harness:
    """Return a function of a context and its continuations."""
    pytest.importorskip("lm_eval", reason="lm-eval is not installed; make test-models installs it")
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    # It warns of a model that is handed over, which is what a tiny one is.
    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    judge = HFLM(pretrained=model, tokenizer=tokenizer, device="cpu", batch_size=1)

    def told(context: str, *continuations: str) -> list[float]:
        asked = [
            Instance(request_type="loglikelihood", doc={}, arguments=(context, text), idx=index)
            for index, text in enumerate(continuations)
        ]
        return [log for log, _ in judge.loglikelihood(asked, disable_tqdm=True)]

    return told
