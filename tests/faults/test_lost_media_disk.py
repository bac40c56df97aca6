"""The disk of the media is removed under a run: it stops with words, and goes on once the disk is back."""

from __future__ import annotations

import subprocess
from pathlib import Path

from annotator.domain.eval_settings import EvalSettings
from annotator.domain.medium import Medium
from annotator.domain.work import RunOrder
from annotator.jobs.profile_file import write_profiles
from annotator.jobs.supervisor import program
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.patience import PATIENCE_S
from tests.servers.chat_server import ChatServer
from tests.unit.jobs.job_types.asking import choice, picture_file
from tests.unit.jobs.working import profile
from tests.unit.store.making import created, write

COUNT = 30


def work(project: Path) -> str:
    """Have a worker process work until nothing is left, and return what it prints."""
    made = subprocess.run(
        [*program(), "worker", str(project), "--until-done"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE_S,
        check=False,
    )
    return made.stdout.decode()


def test_work_when_the_media_folder_is_gone_then_the_run_stops_in_words_and_goes_on_when_it_is_back(
    tmp_path: Path,
) -> None:
    with ChatServer() as server, Session.create(tmp_path / "p.vantage") as session:
        write_profiles(config_folder(), [profile(base_url=server.base_url)])
        for n in range(COUNT):
            picture_file(session.media_root, f"{n}.png")
            medium = Medium(id=f"{n:032d}", name=f"{n}.png", path=f"{n}.png")
            write(session, created("medium", medium), created("item", choice(media=(medium.id,))))
        order = RunOrder(
            kind="consensus",
            models=("m",),
            settings=EvalSettings(visual_input="sighted").to_json(),
            title="t",
        )
        run, _ = session.runs.start(order).result(PATIENCE_S)
        away = session.media_root.with_name("unplugged")
        session.media_root.rename(away)
        printed = work(session.path)
        stopped, progress = session.reader.runs.get(run.id), session.reader.runs.progress(run.id)
        assert stopped is not None
        assert (stopped.state, progress.failed, progress.waiting) == ("stopped", 0, COUNT)
        assert stopped.message.startswith(f"The media folder {session.media_root} is missing.")
        assert "Connect its disk" in printed
        assert server.calls == []
        away.rename(session.media_root)
        session.runs.resume(run.id).result(PATIENCE_S)
        work(session.path)
        assert session.reader.runs.progress(run.id).done == COUNT
