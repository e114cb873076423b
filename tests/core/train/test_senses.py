"""Sentences whose ambiguous word has one sense, some of whose frames are kept back."""

from itertools import islice

import pytest

from core.train.senses import FRAMES, HELD_OUT, KEPT, SENSES, WORDS, Sensed, frames, sentences
from core.train.stories import CHOICE, SLOT

COUNT = 100 * len(SENSES)


@pytest.fixture(scope="module")
def drawn() -> list[Sensed]:
    return list(islice(sentences(3), COUNT))


def test_a_seed_gives_the_same_sentences(drawn: list[Sensed]) -> None:
    assert drawn == list(islice(sentences(3), COUNT))
    assert drawn[:50] != list(islice(sentences(4), 50))


def test_every_word_has_at_least_two_senses_equally_often(drawn: list[Sensed]) -> None:
    assert len(WORDS) == 12
    for word in WORDS:
        assert len([sense for sense in SENSES if sense.split()[0] == word]) >= 2
    for sense in SENSES:
        assert sum(sentence.sense == sense for sentence in drawn) == 100


def test_spans_slice_to_the_word(drawn: list[Sensed]) -> None:
    for sentence in [*drawn, *islice(sentences(3, held=True), COUNT)]:
        assert sentence.spans
        assert {sentence.text[slice(*span)].lower() for span in sentence.spans} == {sentence.word}
        assert not SLOT.search(sentence.text)
        assert not CHOICE.search(sentence.text)


def test_frames_are_kept_back() -> None:
    for sense in SENSES:
        told, held = frames(sense), frames(sense, held=True)
        assert len(held) == HELD_OUT
        assert len(told) >= 9
        assert set(told) | set(held) == set(FRAMES[sense])
        assert not set(told) & set(held)


def test_held_out_sentences_are_never_told(drawn: list[Sensed]) -> None:
    held = {s.text for s in islice(sentences(3, held=True), COUNT)}
    assert not {s.text for s in drawn} & held
    assert all(any(kept.fullmatch(text) for patterns in KEPT.values() for kept in patterns) for text in held)


def test_a_frame_stands_in_one_sense_only() -> None:
    every = [frame for sense in SENSES for frame in FRAMES[sense]]
    assert len(every) == len(set(every))
