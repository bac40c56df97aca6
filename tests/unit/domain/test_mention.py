from __future__ import annotations

import unicodedata

import pytest

from annotator.domain.actor import Actor
from annotator.domain.mention import find_mentions, with_present_names

PEOPLE = (
    Actor(id="ann", name="Ann"),
    Actor(id="lee", name="Ann Lee"),
    Actor(id="zhang", name="张伟"),
    Actor(id="rene", name="René"),
    Actor(id="weiss", name="Jan Weiß"),
    Actor(id="ipek", name="İpek"),
    Actor(id="gpu", name="gpu-1", role="worker"),
)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("@Ann please look", ["ann"]),
        ("see @ann lee, and @Ann", ["lee", "ann"]),
        ("请@张伟看一下", ["zhang"]),
        ("@张伟@Ann", ["zhang", "ann"]),
        ("@Annabel is nobody", []),
        ("@Ann请看", ["ann"]),
        ("mail ann@ann.org", []),
        (unicodedata.normalize("NFD", "@René!"), ["rene"]),
        ("@gpu-1 is a worker", []),
        ("@ @@ nobody", []),
        ("@Ann @Ann", ["ann"]),
        ("@Jan Weiß please look", ["weiss"]),
        ("@Jan Weiß", ["weiss"]),
        ("@JAN WEISS, see", ["weiss"]),
        ("@Jan Weißer is nobody", []),
        ("@İpek bak, @Ann", ["ipek", "ann"]),
    ],
)
def test_mentions_when_a_text_is_read_then_are_the_persons_it_addresses(text: str, people: list[str]) -> None:
    assert [one.person for one in find_mentions(text, PEOPLE)] == people


def test_mentions_when_two_persons_have_the_name_then_both_are_addressed() -> None:
    twins = (Actor(id="1", name="Kim"), Actor(id="2", name="kim"))
    assert [one.person for one in find_mentions("@Kim", twins)] == ["1", "2"]


def test_text_when_a_person_is_renamed_then_has_the_present_name_and_no_other_word_changes() -> None:
    text = "Ann: @Ann Lee, @Ann, @Annabel"
    mentions = find_mentions(text, PEOPLE)
    names = {"ann": "Anna", "lee": "Ann Lee"}
    assert with_present_names(text, mentions, names) == "Ann: @Ann Lee, @Anna, @Annabel"
    assert with_present_names(text, mentions, {}) == text


def test_text_when_a_name_has_letters_that_are_two_in_lower_case_then_the_rest_of_the_text_stays() -> None:
    text = "@Jan Weiß, see @İpek now"
    mentions = find_mentions(text, PEOPLE)
    assert [one.name for one in mentions] == ["Jan Weiß", "İpek"]
    assert with_present_names(text, mentions, {"weiss": "Jan", "ipek": "Ina"}) == "@Jan, see @Ina now"
