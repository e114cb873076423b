"""Every word of the grammar is one token in each language, and nothing else is lost."""

from itertools import islice

import pytest
from tokenizers import Tokenizer

from core.text import Vocabulary
from core.train import wordlist
from core.train.pairs import CHINESE, pairs
from core.train.wordlist import END, END_ID, PAD, PAD_ID, START, START_ID


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return wordlist.build(islice(pairs(0), 60_000))


def test_a_word_is_a_token(tokenizer: Tokenizer) -> None:
    single = set("AIyaàyôt,.?!")  # words of one letter, and points
    for pair in islice(pairs(5), 3000):
        for text in (pair.source, pair.target):
            for word in tokenizer.encode(text).tokens:
                assert len(word) > 1 or word in single, (text, word)


def test_tokens_are_the_words_of_the_links(tokenizer: Tokenizer) -> None:
    for pair in islice(pairs(6), 2000):
        offsets = {
            (start + pair.target[start:end].startswith(" "), end)
            for start, end in tokenizer.encode(pair.target).offsets
        }
        for link in pair.links:
            if " " not in pair.target[slice(*link.span)]:
                assert link.span in offsets, (pair, link)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<zh> The cat doesn't see", ["<zh>", "The", " cat", " does", "n't", " see"]),
        ("L'arbre n'est pas aujourd'hui", ["L'", "arbre", " n'", "est", " pas", " aujourd'hui"]),
        ("Est-ce qu'il a faim ?", ["Est-ce", " qu'", "il", " a", " faim", " ?"]),
        ("Il dort parce qu’elle", ["Il", " dort", " parce", " qu'", "elle"]),
        ("一只红色的大汽车没有坏。", ["一", "只", "红色", "的", "大", "汽车", "没有", "坏", "。"]),
        (
            "猫正在花园里睡觉，因为它不太高兴。",
            ["猫", "正在", "花园", "里", "睡觉", "，", "因为", "它", "不太", "高兴", "。"],
        ),
    ],
)
def test_where_it_cuts(tokenizer: Tokenizer, text: str, words: list[str]) -> None:
    vocabulary = Vocabulary(tokenizer, tokenizer.get_vocab_size())
    assert [vocabulary.bytes(token.id).decode() for token in vocabulary.encode(text)] == words
    ids = tokenizer.encode(text).ids
    assert tokenizer.decode(ids) == text.removeprefix("<zh> ").replace("’", "'")
    assert (tokenizer.token_to_id(CHINESE) in ids) == text.startswith(CHINESE)


def test_bytes_catch_the_rest(tokenizer: Tokenizer) -> None:
    text = "zebra 🐱 naïve\n龙"
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert tokenizer.encode("").ids == []


def test_the_blank_after_a_tag_belongs_to_it(tokenizer: Tokenizer) -> None:
    plain, tagged = tokenizer.encode("The cat").ids, tokenizer.encode("<zh> The cat").ids
    assert tagged == [tokenizer.token_to_id(CHINESE), *plain]


def test_special_ids(tokenizer: Tokenizer) -> None:
    assert [tokenizer.token_to_id(word) for word in (PAD, START, END)] == [PAD_ID, START_ID, END_ID] == [0, 1, 2]
    assert tokenizer.get_vocab_size() < 2500
