"""The limit of a run against a server that bills images as its provider does."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from annotator.domain.eval_settings import EvalSettings
from annotator.domain.medium import Medium
from annotator.domain.work import RunOrder
from annotator.jobs.profile_file import write_profiles
from annotator.jobs.supervisor import program
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.patience import PATIENCE_S
from tests.servers.chat_server import Behaviour, ChatServer
from tests.unit.jobs.job_types.asking import choice
from tests.unit.jobs.working import profile
from tests.unit.store.making import created, write

COUNT, LIMIT = 12, 200_000
"""Millionths: at a price of one a million tokens, five images of a common model."""
IMAGE_TOKENS, TEXT_TOKENS = 36_835, 150


def billed() -> Behaviour:
    """Answer, and bill six tiles and some text."""
    usage = {"prompt_tokens": IMAGE_TOKENS + TEXT_TOKENS, "completion_tokens": 1}
    message = {"role": "assistant", "content": "A"}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
    return Behaviour(body=json.dumps(body).encode(), delay_s=0.1)


@pytest.mark.parametrize("model", ["gpt-4o-mini", "a-deployment-of-ours"])
def test_work_when_images_are_billed_by_tiles_then_the_limit_is_not_passed(
    tmp_path: Path, model: str
) -> None:
    from PIL import Image

    with ChatServer(behaviour=billed()) as server, Session.create(tmp_path / "p.vantage") as session:
        paid = profile(base_url=server.base_url, model=model, in_flight=8, price_in=1.0, price_out=1.0)
        write_profiles(config_folder(), [paid])
        session.media_root.mkdir()
        Image.new("RGB", (1280, 720), (90, 120, 90)).save(session.media_root / "a.png")
        medium = Medium(id="a" * 32, name="a.png", path="a.png", width_px=1280, height_px=720)
        items = [choice(media=(medium.id,), question=f"Which of these is number {n}?") for n in range(COUNT)]
        write(session, created("medium", medium), *(created("item", item) for item in items))
        order = RunOrder(
            kind="consensus",
            models=("m",),
            settings=EvalSettings(visual_input="sighted").to_json(),
            limit_micro=LIMIT,
        )
        run, _ = session.runs.start(order).result(PATIENCE_S)
        subprocess.run(
            [*program(), "worker", str(session.path), "--until-done"],
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_S,
            check=False,
        )
        progress, ended = session.reader.runs.progress(run.id), session.reader.runs.get(run.id)
        assert ended is not None
        assert ended.state == "stopped"
        assert progress.spent_micro == len(server.calls) * (IMAGE_TOKENS + TEXT_TOKENS + 1)
        assert 2 <= len(server.calls) <= 5
        assert progress.spent_micro <= LIMIT
