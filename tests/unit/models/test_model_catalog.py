from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from annotator.domain.profile import Adapter, ModelProfile
from annotator.errors import UserError
from annotator.progress import Progress
from models import adapters
from models.adapters import INSTALLS, OPENERS, open_model
from models.model_catalog import InstalledModels
from tests.patience import PATIENCE_S

REPO = Path(__file__).resolve().parents[3]
LOCAL = ModelProfile(name="Local", adapter="openai", model="m", base_url="http://127.0.0.1:9/v1")


def test_registry_when_compared_with_the_adapters_of_profiles_then_opens_each():
    assert set(OPENERS) == set(Adapter.__args__)


def test_open_of_plain_values_opens_the_model_of_the_profile():
    model = InstalledModels().open(msgspec.to_builtins(LOCAL), progress=Progress())
    assert (model.identity.name, model.identity.base_url) == ("m", LOCAL.base_url)
    model.close()


def test_open_of_values_that_are_no_profile_says_what_is_wrong():
    with pytest.raises(UserError, match=r"Invalid model profile.*adapter"):
        InstalledModels().open({"name": "x", "adapter": "telepathy"}, progress=Progress())


@pytest.mark.parametrize("adapter", sorted(INSTALLS))
def test_open_when_a_package_is_missing_gives_the_command_that_installs_it(monkeypatch, adapter):
    def open_without_package(_profile, _progress):
        raise ModuleNotFoundError("No module named 'faraway'", name="faraway.inner")

    monkeypatch.setattr(adapters, "OPENERS", {adapter: open_without_package})
    with pytest.raises(UserError, match="needs a package that is not installed") as caught:
        open_model(ModelProfile(name="x", adapter=adapter))
    assert str(caught.value).endswith(f"Install it with: {INSTALLS[adapter]}")


def test_open_when_a_module_of_the_house_is_missing_is_a_bug(monkeypatch):
    def open_with_bug(_profile, _progress):
        raise ModuleNotFoundError("No module named 'models.gone'", name="models.gone")

    monkeypatch.setattr(adapters, "OPENERS", {"openai": open_with_bug})
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
