from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path

import msgspec
import pytest

from annotator.domain.profile import Adapter, ModelProfile
from annotator.errors import UserError
from annotator.progress import Progress
from models.model_catalog import INSTALLS, MODULES, InstalledModels, open_model
from tests.patience import PATIENCE_S

REPO = Path(__file__).resolve().parents[3]
LOCAL = ModelProfile(name="Local", adapter="openai", model="m", base_url="http://127.0.0.1:9/v1")


def test_catalogue_knows_a_module_of_the_house_for_each_adapter():
    assert set(MODULES) == set(Adapter.__args__)
    for name in MODULES.values():
        assert (REPO / f"{name.replace('.', '/')}.py").is_file(), name


def test_open_of_plain_values_opens_the_model_of_the_profile():
    model = InstalledModels().open(msgspec.to_builtins(LOCAL), progress=Progress())
    assert (model.identity.name, model.identity.base_url) == ("m", LOCAL.base_url)
    model.close()


def test_open_of_values_that_are_no_profile_says_what_is_wrong():
    with pytest.raises(UserError, match=r"Invalid model profile.*adapter"):
        InstalledModels().open({"name": "x", "adapter": "telepathy"}, progress=Progress())


@pytest.mark.parametrize("adapter", sorted(INSTALLS))
def test_open_when_a_package_is_missing_gives_the_command_that_installs_it(monkeypatch, adapter):
    def open_without_package(profile, progress=None):
        raise ModuleNotFoundError("No module named 'faraway'", name="faraway.inner")

    module = types.SimpleNamespace(open_model=open_without_package)
    monkeypatch.setitem(sys.modules, MODULES[adapter], module)
    with pytest.raises(UserError, match="needs a package that is not installed") as caught:
        open_model(ModelProfile(name="x", adapter=adapter))
    assert str(caught.value).endswith(f"Install it with: {INSTALLS[adapter]}")


def test_open_when_a_module_of_the_house_is_missing_is_a_bug(monkeypatch):
    def open_with_bug(profile):
        raise ModuleNotFoundError("No module named 'models.gone'", name="models.gone")

    monkeypatch.setitem(sys.modules, MODULES["openai"], types.SimpleNamespace(open_model=open_with_bug))
    with pytest.raises(ModuleNotFoundError):
        open_model(LOCAL)


def test_import_of_the_catalogue_brings_no_engine_along():
    code = (
        "import sys, models.model_catalog; "
        "print([name for name in ('openai', 'httpx2', 'torch', 'onnxruntime', 'cv2') if name in sys.modules])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert told.stdout.strip() == "[]"
