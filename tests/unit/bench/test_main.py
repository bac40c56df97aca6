from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench import __main__ as program
from tests.bench.process import run_python


def test_bench_when_no_figure_has_the_name_then_ends_with_wrong_use(tmp_path, capsys) -> None:
    out = tmp_path / "bench.json"
    assert program.main(["--only", "no.such_figure", "--out", str(out)]) == program.WRONG_USE
    assert "no.such_figure" in capsys.readouterr().err
    assert not out.exists()


def test_bench_when_an_option_is_unknown_then_ends_with_wrong_use(capsys) -> None:
    assert program.main(["--figures"]) == program.WRONG_USE
    assert "--figures" in capsys.readouterr().err


@pytest.mark.slow
def test_bench_when_run_as_a_module_then_prints_and_writes_the_figure(tmp_path: Path) -> None:
    out = tmp_path / "bench.json"
    ran = run_python(("-m", "tests.bench", "--only", "media.group_s", "--out", str(out), "--json"))
    assert json.loads("\n".join(ran.lines)) == json.loads(out.read_bytes())
    assert json.loads(out.read_bytes())["media.group_s"]["value"] > 0
