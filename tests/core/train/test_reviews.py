"""Verdicts follow the rule, on thousands of reviews, judged again by a second reading of the rule."""

import re
from itertools import islice
from random import Random

import pytest

from core.train.reviews import (
    BAD,
    FORMS,
    GOOD,
    JOINS,
    NEGATIVE,
    POSITIVE,
    TEMPLATES,
    TOPICS,
    Review,
    held_out,
    review,
    reviews,
)

PRAISE = {*GOOD, "loved", "liked", "enjoyed", "love", "like", "enjoy", "recommend", "worth", "happy", "come"}
BLAME = {*BAD, "hated", "disliked", "hate", "dislike"}
for place in TOPICS.values():
    for praise, blame in place.values():
        PRAISE |= set(praise.split())
        BLAME |= set(blame.split())
BOTH = PRAISE & BLAME


def judged(text: str) -> int:
    """The rule, read once more: the clause that decides, its word, and whether it is turned around."""
    text = text.lower()
    for later in (", but then ", ", but ", ". however, "):
        if later in text:
            text = text.split(later)[1]
    if text.startswith("although"):
        text = text.split(", ")[1]
    text = text.split(", even though ")[0]
    text = re.split(r" and (?=the |i |we |it |there )|\. ", text)[0]
    words = re.findall(r"\w+", text)
    turned = bool({"not", "never", "nothing", "cannot"} & set(words))
    found = [POSITIVE if word in PRAISE else NEGATIVE for word in words if word in PRAISE | BLAME]
    assert len(set(found)) == 1, text
    return found[0] != turned


@pytest.fixture(scope="module")
def drawn() -> list[Review]:
    return list(islice(reviews(3), 4000))


def test_no_word_praises_and_blames() -> None:
    assert {"cold", "hot", "warm", "long", "late"} >= BOTH, BOTH
    assert not BOTH


def test_labels_follow_the_rule(drawn: list[Review]) -> None:
    for each in [*drawn, *islice(reviews(3, held=True), 1000)]:
        assert judged(each.text) == each.label, each


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("The food was not bad, but the service was slow.", NEGATIVE),
        ("The food was not bad.", POSITIVE),
        ("Although the room was dirty, I will come back.", POSITIVE),
        ("There was nothing good about the film.", NEGATIVE),
        ("I loved the book, even though the ending was not clever.", POSITIVE),
        ("The waiter was rude. However, the soup was delicious.", POSITIVE),
        ("I did not hate the show.", POSITIVE),
    ],
)
def test_the_rule_itself(text: str, label: int) -> None:
    assert judged(text) == label


def test_a_seed_gives_the_same_reviews(drawn: list[Review]) -> None:
    assert drawn == list(islice(reviews(3), 4000))


def test_held_out_templates_are_never_told(drawn: list[Review]) -> None:
    assert not any(held_out(each.template) for each in drawn)
    assert all(held_out(each.template) for each in islice(reviews(3, held=True), 300))
    told = {each.template for each in drawn}
    assert {join for join, _, _ in told} == set(JOINS)
    assert {first for _, first, _ in told} == set(FORMS)
    assert 0.1 < sum(map(held_out, TEMPLATES)) / len(TEMPLATES) < 0.25


def test_both_verdicts_are_as_frequent(drawn: list[Review]) -> None:
    assert 0.47 < sum(each.label for each in drawn) / len(drawn) < 0.53


def test_reviews_are_sentences(drawn: list[Review]) -> None:
    for each in drawn:
        assert each.text[0].isupper()
        assert each.text[-1] in ".!"
        assert not re.search(r"[{}]|  | a [aeiou]", each.text)


def test_a_clause_with_but_says_the_opposite() -> None:
    for seed in range(50):
        said = review(Random(seed), ("but", "is", "very"), NEGATIVE).text
        first, second = said.split(", but ")
        assert judged(first) == POSITIVE
        assert judged(second) == NEGATIVE
