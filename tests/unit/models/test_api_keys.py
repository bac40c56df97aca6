from __future__ import annotations

import pickle

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import NoKeyringError

from annotator.errors import UserError
from models.api_keys import ApiKey, find_key

KEY = "sk-0123456789abcdef"


class Ring(KeyringBackend):
    priority = 1

    def __init__(self, held, *, is_headless=False):
        self.held, self.is_headless = held, is_headless

    def get_password(self, service, username):
        if self.is_headless:
            raise NoKeyringError(f"no backend; tried with {KEY}")
        return self.held.get((service, username))

    def set_password(self, service, username, password):
        self.held[service, username] = password


@pytest.fixture
def ring():
    before = keyring.get_keyring()
    backend = Ring({})
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


def test_find_key_when_the_variable_is_set_reads_it_without_blanks(monkeypatch):
    monkeypatch.setenv("LAB_KEY", f"  {KEY}\n")
    assert find_key("env:LAB_KEY").reveal() == KEY


def test_find_key_when_none_is_wanted_gives_none():
    assert find_key("") is None


def test_find_key_when_the_variable_is_missing_says_which():
    with pytest.raises(UserError, match="Set the environment variable LAB_KEY"):
        find_key("env:LAB_KEY")


def test_find_key_when_it_would_end_a_header_refuses_without_showing_it(monkeypatch):
    monkeypatch.setenv("LAB_KEY", f"{KEY}\r\nHost: elsewhere")
    with pytest.raises(UserError, match="invalid characters") as caught:
        find_key("env:LAB_KEY")
    assert KEY not in str(caught.value)


def test_find_key_in_the_keyring_reads_it(ring):
    keyring.set_password("vantage", "lab", KEY)
    assert find_key("keyring:lab").reveal() == KEY


def test_find_key_when_the_keyring_has_none_says_how_to_put_it_there(ring):
    with pytest.raises(UserError, match="keyring set vantage lab"):
        find_key("keyring:lab")


def test_find_key_on_a_machine_without_keyring_offers_the_environment(ring):
    ring.is_headless = True
    with pytest.raises(UserError, match="environment variable") as caught:
        find_key("keyring:lab")
    assert KEY not in str(caught.value)
    assert caught.value.__context__ is None


def test_secret_when_printed_or_formatted_shows_asterisks():
    secret = ApiKey(KEY)
    assert KEY not in f"{secret} {secret!r} {[secret]} {vars(type(secret))}"


def test_secret_is_not_written_anywhere():
    with pytest.raises(TypeError, match="not written"):
        pickle.dumps(ApiKey(KEY))


def test_scrub_replaces_the_key_wherever_it_stands():
    assert ApiKey(KEY).scrub(f"bad key {KEY}: {KEY}".encode()) == b"bad key ***: ***"
