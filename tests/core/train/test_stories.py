"""The stories are what the recipe says of them: seeded, agreeing with themselves, and held out where they should be."""

from itertools import islice

import pytest

from core.train.plots import LINES, PLOTS
from core.train.stories import CHOICE, SHARES, SLOT, Story, held_out, stories
from core.train.world import KINDS, PRONOUNS, WORDS

COUNT = 3000


@pytest.fixture(scope="module")
def told() -> list[Story]:
    return list(islice(stories(7), COUNT))


@pytest.fixture(scope="module")
def unseen() -> list[Story]:
    return list(islice(stories(8, held=True), 400))


def test_a_seed_tells_the_same_stories(told: list[Story]) -> None:
    assert told == list(islice(stories(7), COUNT))
    assert told[:50] != list(islice(stories(9), 50))


def test_every_slot_is_filled(told: list[Story]) -> None:
    for story in told:
        assert not SLOT.search(story.text)
        assert not CHOICE.search(story.text)
        assert not set("<>|") & set(story.text.replace("<|endoftext|>", ""))
        assert "  " not in story.text
        assert story.text == story.text.strip()


def test_mentions_slice_to_the_nouns_that_they_claim(told: list[Story], unseen: list[Story]) -> None:
    kinds = {entity.noun: entity for entity in KINDS["any"]}
    for story in told + unseen:
        for pronoun in story.pronouns:
            for start, end in pronoun.antecedents:
                assert story.text[start:end] == pronoun.noun
                assert end <= pronoun.span[0]
            for start, end in pronoun.distractors:
                assert story.text[start:end] in kinds
                assert end <= pronoun.span[0]


def test_a_pronoun_agrees_with_whom_it_means_and_with_no_distractor(told: list[Story], unseen: list[Story]) -> None:
    she = {entity.noun: entity.she for entity in KINDS["any"]}
    for story in told + unseen:
        for pronoun in story.pronouns:
            word = story.text[slice(*pronoun.span)].lower()
            subject = she[pronoun.noun]
            assert word in (subject, *PRONOUNS[subject][:2])
            for span in pronoun.distractors:
                assert she[story.text[slice(*span)]] != subject


def test_most_pronouns_have_a_distractor_and_often_a_nearer_one(told: list[Story]) -> None:
    measured = [p for story in told for p in story.pronouns if p.antecedents and p.distractors]
    assert len(measured) > COUNT
    nearer = [p for p in measured if p.distractors[-1] > p.antecedents[-1]]
    assert len(nearer) > len(measured) / 5


def test_held_out_pairs_are_never_told(told: list[Story], unseen: list[Story]) -> None:
    pairs = {(story.plot, story.cast[0]) for story in told if story.cast and story.plot != "foreign"}
    assert not any(held_out(*pair) for pair in pairs)
    assert all(held_out(story.plot, story.cast[0]) for story in unseen)
    assert not {story.text for story in told} & {story.text for story in unseen}


def test_every_plot_is_told(told: list[Story]) -> None:
    names = {plot.name for plots in PLOTS.values() for plot in plots} | {"beats", "foreign"}
    assert {story.plot for story in told} == names
    assert set(SHARES) == {*PLOTS, "beats", "foreign"}
    assert len(names) > 30


def test_names_are_unique_and_habits_tell_people_apart() -> None:
    nouns = [entity.noun for entity in KINDS["any"]]
    assert len(nouns) == len(set(nouns))
    habits = [entity.did for kind in ("name", "role", "animal", "thing") for entity in KINDS[kind]]
    assert len(set(habits)) == len(habits)


@pytest.mark.parametrize("word", ["light", "bank", "bat", "spring", "ring", "bark", "well", "match", "watch", "trunk"])
def test_ambiguous_words_come_in_more_than_one_sense(word: str, told: list[Story]) -> None:
    senses = [plot.name for plot in PLOTS["senses"] if plot.name.split()[0] == word]
    assert len(senses) > 1
    for sense in senses:
        assert any(f"{word}" in story.text for story in told if story.plot == sense)


def test_agreement_spans_a_distance(told: list[Story]) -> None:
    for story in told:
        if story.plot == "agree things":
            first, second = story.text.rstrip(".").split(". ")
            assert first.split()[1] in WORDS["items"]
            assert {"are", "were"} & set(first.split())
            assert second.split()[1] in WORDS["item"]
            assert {"is", "was"} & set(second.split())


def test_counting_starts_at_one_and_ends_at_what_is_said(told: list[Story]) -> None:
    for story in told:
        if story.plot == "count":
            counted = story.text.split(": ")[1].split(". ")[0].split(", ")
            assert tuple(counted) == WORDS["upto"][: len(counted)]
            assert f"There were {counted[-1]} " in story.text


def test_lists_and_spells_are_said_again_verbatim(told: list[Story]) -> None:
    for story in told:
        if story.plot == "spell":
            spells = [part for part in story.text.split('"')[1::2]]
            assert len(spells) == 3
            assert len(set(spells)) == 1
        if story.plot == "list":
            wanted = story.text.split('"')[1].removeprefix("Please buy ").rstrip(",")
            assert story.text.count(wanted) == 3


def test_greetings_bring_other_scripts(told: list[Story]) -> None:
    foreign = [story.text for story in told if story.plot == "foreign"]
    assert 0.01 < len(foreign) / COUNT < 0.03
    assert {text.strip('"') for text in foreign} & set(LINES["foreign"])


@pytest.mark.parametrize(
    ("noun", "does"),
    [("Tom", "fishes"), ("cow", "moos"), ("knight", "fights dragons"), ("pilot", "flies the plane"), ("bees", "buzz")],
)
def test_a_habit_follows_the_number_of_its_subject(noun: str, does: str) -> None:
    assert [entity.does for entity in KINDS["any"] if entity.noun == noun] == [does]
