"""Who gets which records."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.assignment_plan import plan_assignments, plan_honeypots
from annotator.errors import UserError

PEOPLE = st.lists(st.sampled_from("abcdef"), min_size=2, unique=True)
GROUPS = st.lists(st.integers(min_value=0, max_value=12), min_size=1, max_size=4).map(
    lambda sizes: [[f"{group}-{number}" for number in range(size)] for group, size in enumerate(sizes)]
)


@given(groups=GROUPS, people=PEOPLE, overlap=st.integers(min_value=1, max_value=2), seed=st.integers(0, 9))
def test_plan_when_made_then_each_record_has_its_persons_and_all_have_as_many(
    groups: list[list[str]], people: list[str], overlap: int, seed: int
) -> None:
    pairs = plan_assignments(groups, people, overlap=overlap, seed=seed).pairs
    persons = defaultdict(set)
    for target, person in pairs:
        persons[target].add(person)
    assert [*persons] == [target for group in groups for target in group]
    assert {len(found) for found in persons.values()} <= {overlap}
    loads = Counter(person for _, person in pairs)
    counts = [loads[person] for person in people]
    assert max(counts) - min(counts) <= 1


@given(groups=GROUPS, people=PEOPLE, seed=st.integers(0, 9))
def test_plan_when_records_and_persons_come_in_another_order_then_is_the_same(
    groups: list[list[str]], people: list[str], seed: int
) -> None:
    turned = [group[::-1] for group in groups[::-1]]
    plans = [
        plan_assignments(one, two, share=0.5, seed=seed).pairs
        for one, two in ((groups, people), (turned, people[::-1]))
    ]
    assert sorted(plans[0]) == sorted(plans[1])


@given(groups=GROUPS, people=PEOPLE, overlap=st.integers(min_value=1, max_value=2))
def test_plan_when_it_is_carried_out_then_nothing_is_left_to_assign(
    groups: list[list[str]], people: list[str], overlap: int
) -> None:
    taken: dict[str, list[str]] = defaultdict(list)
    for target, person in plan_assignments(groups, people, share=0.5, overlap=overlap, seed=4).pairs:
        taken[target].append(person)
    assert plan_assignments(groups, people, share=0.5, overlap=overlap, seed=4, taken=taken).pairs == []


def test_plan_when_a_share_is_given_then_it_is_taken_of_each_group() -> None:
    groups = [[f"a{n}" for n in range(15)], [f"b{n}" for n in range(4)]]
    pairs = plan_assignments(groups, ["x", "y"], share=0.2, seed=1).pairs
    assert Counter(target[0] for target, _ in pairs) == {"a": 3, "b": 1}
    assert pairs != plan_assignments(groups, ["x", "y"], share=0.2, seed=2).pairs


def test_plan_when_somebody_has_records_already_then_the_others_come_first() -> None:
    taken = {"t1": ["x"], "t2": ["x"]}
    pairs = plan_assignments([["t1", "t2", "t3", "t4"]], ["x", "y"], taken=taken).pairs
    assert dict(pairs) == {"t3": "y", "t4": "y"}


def test_plan_when_a_person_is_barred_then_another_one_gets_the_record() -> None:
    barred = {"t1": ["x"], "t2": ["y"]}
    assert plan_assignments([["t1", "t2"]], ["x", "y"], excluded=barred).pairs == [("t1", "y"), ("t2", "x")]


def test_plan_when_nobody_can_have_a_record_then_the_others_are_planned_and_it_is_named() -> None:
    groups, people = [["t1", "t2", "t3"]], ["x", "y"]
    barred = {"t1": ["x", "y"], "t2": ["y"]}
    assert {target for target, _ in plan_assignments(groups, people, excluded=barred).pairs} == {"t2", "t3"}
    assert plan_assignments(groups, people, excluded=barred).missing == {"t1": 1}
    pairs = plan_assignments(groups, people, overlap=2, excluded=barred).pairs
    assert pairs == [("t3", "x"), ("t3", "y")]
    assert plan_assignments(groups, people, overlap=2, excluded=barred).missing == {"t1": 2, "t2": 1}
    # Who has the record already counts.
    assert plan_assignments(groups, people, excluded=barred, taken={"t1": ["z"]}).missing == {}


def test_plan_when_overlap_is_asked_then_every_pair_of_persons_meets() -> None:
    met = defaultdict(set)
    for target, person in plan_assignments([[f"{n}" for n in range(60)]], [*"abcd"], overlap=2).pairs:
        met[target].add(person)
    assert len({frozenset(pair) for pair in met.values()}) == 6


def test_plan_when_a_share_overlaps_then_that_share_has_several_persons_and_the_rest_one() -> None:
    groups = [[f"a{n}" for n in range(20)], [f"b{n}" for n in range(10)]]
    pairs = plan_assignments(groups, [*"xyz"], overlap=3, overlap_share=0.25, seed=5).pairs
    persons = Counter(target for target, _ in pairs)
    assert Counter((target[0], count) for target, count in persons.items()) == {
        ("a", 3): 5, ("a", 1): 15, ("b", 3): 3, ("b", 1): 7,
    }  # fmt: skip
    loads = Counter(person for _, person in pairs).values()
    assert max(loads) - min(loads) <= 1
    taken: dict[str, list[str]] = defaultdict(list)
    for target, person in pairs:
        taken[target].append(person)
    assert plan_assignments(groups, [*"xyz"], overlap=3, overlap_share=0.25, seed=5, taken=taken).pairs == []


def test_honeypots_when_planned_then_each_person_gets_a_share_that_is_not_barred() -> None:
    known = [f"h{n}" for n in range(30)]
    barred = {target: ["x"] for target in known[:25]}
    counts = {"x": 40, "y": 40, "z": 5}
    pairs = plan_honeypots(known, counts, share=0.1, seed=2, excluded=barred)
    assert Counter(person for _, person in pairs) == {"x": 4, "y": 4, "z": 1}
    assert {target for target, person in pairs if person == "x"} <= set(known[25:])
    assert plan_honeypots(known[::-1], counts, share=0.1, seed=2, excluded=barred) == pairs
    assert plan_honeypots(known, counts, share=0.1, seed=3, excluded=barred) != pairs


def test_honeypots_when_there_are_too_few_then_persons_get_what_there_is() -> None:
    assert plan_honeypots(["h1"], {"x": 40}, share=0.5, seed=0, excluded={}) == [("h1", "x")]
    assert plan_honeypots(["h1"], {"x": 0}, share=0.5, seed=0, excluded={}) == []
    with pytest.raises(UserError, match=r"share of honeypots 1\.5"):
        plan_honeypots(["h1"], {"x": 1}, share=1.5, seed=0, excluded={})


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"share": 0.0}, "share 0 is not"),
        ({"share": 1.5}, "share 1.5 is not"),
        ({"overlap": 0}, "overlap 0"),
        ({"overlap_share": -0.1}, "share of overlap -0.1 is not"),
        ({"overlap": 3}, "3 persons are required for each record, but 2"),
    ],
)
def test_plan_when_a_number_is_wrong_then_says_which(numbers: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        plan_assignments([["t"]], ["x", "y"], **numbers)
