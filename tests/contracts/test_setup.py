"""./vantage on machines made of a few fake commands: what it installs, says and leaves behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

REPO = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the fake machine is a Linux one")

# What the script may use of a bare system; nothing else is on the path.
PLAIN_COMMANDS = """
    basename cat cksum cp dirname env find getconf grep ln mkdir mktemp readlink rm rmdir sed sh sleep sort
    tail tr true
"""
TEST_COMMANDS = ("Xvfb", "xdotool", "openbox", "make")
# A Python that is new enough: writes down its calls, and makes an environment with itself in it.
FAKE_PYTHON = """#!/bin/sh
case $* in '-I -S -'*) cat >/dev/null; echo '11 whole'; exit ;; esac
echo "python $*" >>"$CALLS"
case $* in
    '-P -m venv '*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
    *package_imports.py*) [ ! -e "$MACHINE/damaged" ] || echo 'click cannot be loaded: no such file' ;;
    '-P -m pip '*) [ ! -e "$MACHINE/pip-breaks" ] || { echo 'ERROR: no such package'; exit 1; } ;;
    *requirements.py*--bare*) ;;
    *requirements.py*) echo numpy ;;
    *'main.py demo '*) mkdir "$3" && : >"$3/demo.vantage" ;;
    *main.py*) echo "$PWD: ${QT_QPA_PLATFORM:-window}"; exit 7 ;;
esac
"""
# Installing brings it all: the libraries, the fonts, the commands, and Python.
FAKE_APT = """#!/bin/sh
echo "apt-get $*" >>"$CALLS"
case $* in *' install '*) : >"$MACHINE/installed"; cp "$MACHINE"/new/* "$MACHINE/bin/" ;; esac
"""
FAKE_LDCONFIG = """#!/bin/sh
[ -e "$MACHINE/installed" ] || { echo '\tlibc.so.6 (libc6,x86-64) => /lib/libc.so.6'; exit; }
while read -r use probe rest; do echo "\t$probe (libc6,x86-64) => /lib/$probe"; done <"$TABLE"
"""
FAKE_FC_LIST = """#!/bin/sh
[ ! -e "$MACHINE/installed" ] || echo /usr/share/fonts/some.ttf
"""
FAKE_UNAME = """#!/bin/sh
case $1 in -m) echo x86_64 ;; *) echo Linux ;; esac
"""
FAKE_SUDO = """#!/bin/sh
echo "sudo $*" >>"$CALLS"
shift
exec "$@"
"""
FAKE_SUDO_THAT_ASKS = """#!/bin/sh
exit 1
"""


@dataclass
class Machine:
    """A made-up machine with a copy of what ./vantage needs of the tree."""

    folder: Path
    environment: dict[str, str]

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    @property
    def calls(self) -> list[str]:
        path = Path(self.environment["CALLS"])
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def calls_with(self, text: str) -> list[str]:
        return [line for line in self.calls if text in line]

    def add_command(self, name: str, source: str, *, folder: str = "bin") -> None:
        path = self.folder / folder / name
        # The links to the real machine's commands lie in a folder of their own; none may be written through.
        assert not path.is_symlink()
        path.write_text(source, encoding="utf-8")
        path.chmod(0o755)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run ./vantage from the machine's folder; the calls of earlier runs are forgotten."""
        Path(self.environment["CALLS"]).unlink(missing_ok=True)
        return subprocess.run(
            [str(self.tree / "vantage"), *arguments],
            cwd=self.folder,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            check=False,
            encoding="utf-8",
            timeout=PATIENCE_S,
        )

    def left_behind(self) -> list[str]:
        """Name what the tree holds beyond its own files."""
        own = {"vantage", "packaging", "constraints.txt", "pyproject.toml"}
        return sorted(path.name for path in self.tree.iterdir() if path.name not in own)


@pytest.fixture
def bare(tmp_path: Path, private_home: Path) -> Machine:
    """A Debian machine with nothing on it, and its root."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "new").mkdir()
    shutil.copytree(REPO / "packaging", tmp_path / "tree" / "packaging")
    for name in ("vantage", "constraints.txt", "pyproject.toml"):
        shutil.copy(REPO / name, tmp_path / "tree" / name)
    (tmp_path / "plain").mkdir()
    for name in PLAIN_COMMANDS.split():
        (tmp_path / "plain" / name).symlink_to(shutil.which(name) or name)
    environment = {
        "PATH": f"{tmp_path / 'bin'}:{tmp_path / 'plain'}",
        "HOME": str(private_home),
        "MACHINE": str(tmp_path),
        "CALLS": str(tmp_path / "calls"),
        "TABLE": str(REPO / "packaging" / "system-packages.txt"),
    }
    machine = Machine(tmp_path, environment)
    machine.add_command("python3", FAKE_PYTHON, folder="new")
    for name in TEST_COMMANDS:
        machine.add_command(name, "#!/bin/sh\n", folder="new")
    commands = {"apt-get": FAKE_APT, "ldconfig": FAKE_LDCONFIG, "fc-list": FAKE_FC_LIST, "uname": FAKE_UNAME}
    for name, source in {**commands, "id": "#!/bin/sh\necho 0\n"}.items():
        machine.add_command(name, source)
    return machine


@pytest.fixture
def person(bare: Machine) -> Machine:
    """The bare machine, and a person who is not its root."""
    bare.add_command("id", "#!/bin/sh\necho 1000\n")
    return bare


@pytest.fixture
def ready(person: Machine) -> Machine:
    """A machine on which everything of the system is there already."""
    (person.folder / "installed").touch()
    shutil.copytree(person.folder / "new", person.folder / "bin", dirs_exist_ok=True)
    return person


def test_setup_when_root_on_a_bare_machine_then_installs_all_and_finishes(bare: Machine) -> None:
    done = bare.run("setup")
    assert done.returncode == 0, done.stderr
    (install,) = bare.calls_with("apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends")
    assert {"python3-venv", "libgl1", "libegl1", "fonts-noto-cjk"} <= set(install.split())
    assert not {"libxcb-cursor0", "xvfb", "make"} & set(install.split())
    assert len(bare.calls_with("-m pip install")) == 1
    assert bare.left_behind() == [".venv"]


def test_setup_when_done_before_then_runs_no_installer(ready: Machine) -> None:
    assert ready.run("setup").returncode == 0
    assert ready.run("setup").returncode == 0
    (call,) = ready.calls
    assert call.endswith("package_imports.py")


def test_setup_when_a_window_or_tests_are_wanted_then_asks_for_more(bare: Machine) -> None:
    assert bare.run("setup", "check", DISPLAY=":0").returncode == 0
    (install,) = bare.calls_with(" install -y ")
    assert {"libxcb-cursor0", "libxkbcommon-x11-0", "xvfb", "xdotool", "openbox", "make"} <= set(
        install.split()
    )
    assert bare.calls_with("requirements.py test")


def test_setup_when_nothing_may_be_installed_then_says_the_command_and_leaves_nothing(
    person: Machine,
) -> None:
    person.add_command("sudo", FAKE_SUDO_THAT_ASKS)
    done = person.run("setup")
    assert done.returncode == 3
    (command,) = [line.strip() for line in done.stderr.splitlines() if "apt-get install" in line]
    assert command.startswith("sudo apt-get ")
    assert {"python3-venv", "libgl1", "fonts-dejavu-core"} <= set(command.split())
    assert person.calls == []
    assert person.left_behind() == []


def test_setup_when_there_is_no_sudo_then_says_a_command_for_su(person: Machine) -> None:
    done = person.run("setup")
    assert done.returncode == 3
    assert '    su -c "apt-get ' in done.stderr


def test_setup_when_sudo_needs_no_prompt_then_installs_with_it(person: Machine) -> None:
    person.add_command("sudo", FAKE_SUDO)
    assert person.run("setup").returncode == 0
    assert len(person.calls_with("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get")) >= 1
    assert person.left_behind() == [".venv"]


@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("dnf", "dnf install -y 'font(:lang=en)' 'font(:lang=zh-cn)' 'libEGL.so.1()(64bit)'"),
        ("zypper", "(64bit)' /usr/bin/Xvfb /usr/bin/openbox /usr/bin/xdotool python312"),
        ("pacman", "pacman -S --needed --noconfirm dbus fontconfig freetype2 "),
    ],
)
def test_setup_when_on_another_family_then_says_its_command(
    person: Machine, manager: str, command: str
) -> None:
    (person.folder / "bin" / "apt-get").unlink()
    person.add_command(manager, "#!/bin/sh\n")
    done = person.run("setup", *(["test"] if manager == "zypper" else []))
    assert done.returncode == 3
    assert command in done.stderr
    assert person.left_behind() == []


def test_setup_when_only_a_font_is_missing_then_says_so_and_goes_on(ready: Machine) -> None:
    ready.add_command("fc-list", "#!/bin/sh\n")
    done = ready.run("setup")
    assert done.returncode == 0
    assert "no installed font covers en zh-cn" in done.stderr


def test_setup_when_a_font_cannot_be_installed_then_says_so_and_goes_on(ready: Machine) -> None:
    ready.add_command("fc-list", "#!/bin/sh\n")
    ready.add_command("id", "#!/bin/sh\necho 0\n")
    ready.add_command("apt-get", FAKE_SUDO_THAT_ASKS)
    done = ready.run("setup")
    assert done.returncode == 0
    assert "no installed font covers en zh-cn" in done.stderr


def test_setup_when_packages_of_the_system_cannot_be_installed_then_stops(bare: Machine) -> None:
    bare.add_command("apt-get", "#!/bin/sh\necho 'E: no network'\nexit 100\n")
    done = bare.run("setup")
    assert done.returncode == 3
    assert "E: no network" in done.stderr
    assert bare.left_behind() == []


@pytest.mark.parametrize(("manager", "message"), [("apk", "musl"), ("pkgin", "no supported package manager")])
def test_setup_when_no_command_would_help_then_says_why(person: Machine, manager: str, message: str) -> None:
    (person.folder / "bin" / "apt-get").unlink()
    person.add_command(manager, "#!/bin/sh\n")
    done = person.run("setup")
    assert done.returncode == 3
    assert message in done.stderr
    assert person.left_behind() == []


def test_setup_when_a_library_goes_missing_later_then_is_noticed(ready: Machine) -> None:
    assert ready.run("setup").returncode == 0
    (ready.folder / "installed").unlink()
    done = ready.run("setup")
    assert done.returncode == 3
    assert "libgl1" in done.stderr


def test_setup_when_packages_fail_then_says_why_and_is_redone_from_the_start(ready: Machine) -> None:
    (ready.folder / "pip-breaks").touch()
    done = ready.run("setup")
    assert done.returncode == 3
    assert "ERROR: no such package" in done.stderr
    half_done = ready.tree / ".venv" / "half-done"
    half_done.touch()
    (ready.folder / "pip-breaks").unlink()
    assert ready.run("setup").returncode == 0
    assert not half_done.exists()
    assert ready.calls_with("-m venv")
    assert ready.left_behind() == [".venv"]


def test_setup_when_a_package_was_deleted_since_then_it_is_installed_again(ready: Machine) -> None:
    assert ready.run("setup").returncode == 0
    (ready.folder / "damaged").touch()
    # Each start would take seconds longer.
    ready.run("doctor")
    assert ready.calls_with("package_imports.py") == ready.calls_with("pip install") == []
    done = ready.run("setup")
    assert done.returncode == 0, done.stderr
    (install,) = ready.calls_with("-m pip install")
    assert install.endswith("constraints.txt click")
    assert "--force-reinstall" in install
    assert "Installing again what cannot be loaded: click" in done.stderr
    assert ready.left_behind() == [".venv"]
    (ready.folder / "damaged").unlink()
    assert ready.run("setup").returncode == 0
    assert ready.calls_with("pip install") == []


def test_setup_when_pins_change_then_brings_the_environment_to_them(ready: Machine) -> None:
    assert ready.run("setup").returncode == 0
    with (ready.tree / "constraints.txt").open("a", encoding="utf-8") as pins:
        pins.write("zzz==1\n")
    assert ready.run("setup").returncode == 0
    assert len(ready.calls_with("-m pip install")) == 1
    assert ready.calls_with("-m venv") == []


def test_setup_when_test_tools_are_there_then_keeps_them_in_step(ready: Machine) -> None:
    assert ready.run("setup", "test").returncode == 0
    with (ready.tree / "constraints.txt").open("a", encoding="utf-8") as pins:
        pins.write("zzz==1\n")
    assert ready.run("setup").returncode == 0
    assert ready.calls_with("requirements.py test")


def test_setup_when_the_base_python_is_gone_then_makes_the_environment_anew(ready: Machine) -> None:
    assert ready.run("setup").returncode == 0
    (ready.tree / ".venv" / "bin" / "python").unlink()
    assert ready.run("setup").returncode == 0
    assert ready.calls_with("-m venv")


def test_setup_when_a_foreign_folder_is_in_the_way_then_leaves_it_alone(ready: Machine) -> None:
    (ready.tree / ".venv").mkdir()
    kept = ready.tree / ".venv" / "somebody's"
    kept.touch()
    done = ready.run("setup")
    assert done.returncode == 3
    assert "move or rename it" in done.stderr
    assert kept.exists()


def test_setup_when_a_dead_set_up_left_its_lock_then_goes_on(ready: Machine) -> None:
    ended = subprocess.run(["sh", "-c", "echo $$"], capture_output=True, text=True, check=True)
    (ready.tree / ".venv.lock").symlink_to(ended.stdout.strip())
    assert ready.run("setup").returncode == 0
    assert ready.left_behind() == [".venv"]


def test_setup_when_another_is_at_work_then_waits_for_it(ready: Machine) -> None:
    lock = ready.tree / ".venv.lock"
    lock.symlink_to(str(os.getpid()))
    ready.add_command("sleep", f"#!/bin/sh\necho waited >>'{ready.environment['CALLS']}'\nrm -f '{lock}'\n")
    done = ready.run("setup")
    assert done.returncode == 0
    assert f"process {os.getpid()}" in done.stderr
    assert ready.calls_with("waited")


def test_setup_when_asked_for_an_unknown_use_then_refuses(ready: Machine) -> None:
    assert ready.run("setup", "tests").returncode == 2
    assert ready.left_behind() == []


def test_vantage_when_alone_without_a_display_then_takes_a_picture_of_the_demo(ready: Machine) -> None:
    done = ready.run()
    assert (done.returncode, done.stdout) == (7, f"{ready.folder}: offscreen\n")
    demo = Path(ready.environment["HOME"]) / ".local" / "share" / "vantage" / "demo"
    assert ready.calls[-2:] == [
        f"python {ready.tree}/main.py demo {demo} --size small",
        f"python {ready.tree}/main.py --screenshot {ready.tree}/build/vantage.png {demo}/demo.vantage",
    ]


def test_vantage_when_alone_with_a_display_then_opens_the_window_first_on_the_demo(ready: Machine) -> None:
    done = ready.run(DISPLAY=":0")
    assert (done.returncode, done.stdout) == (7, f"{ready.folder}: window\n")
    assert ready.calls_with("main.py") == [f"python {ready.tree}/main.py --demo"]


def test_vantage_when_given_arguments_then_hands_them_on_as_they_are(ready: Machine) -> None:
    done = ready.run("import", "a project", "--json", "f*.json")
    assert (done.returncode, done.stdout) == (7, f"{ready.folder}: window\n")
    assert ready.calls[-1] == f"python {ready.tree}/main.py import a project --json f*.json"


def test_vantage_when_called_through_a_link_then_finds_its_tree(ready: Machine) -> None:
    (ready.folder / "bin" / "vantage").symlink_to(ready.tree / "vantage")
    command = [str(ready.folder / "bin" / "vantage"), "stats"]
    done = subprocess.run(command, env=ready.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 7
    assert ready.calls[-1] == f"python {ready.tree}/main.py stats"


def test_vantage_test_when_called_then_runs_all_but_the_slow_with_the_arguments(ready: Machine) -> None:
    assert ready.run("test", "-k", "lane").returncode == 0
    assert ready.calls_with("requirements.py test")
    (run,) = ready.calls_with("-m pytest")
    assert run.endswith("-m not slow -k lane")
