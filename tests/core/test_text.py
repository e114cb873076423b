"""Text to tokens and back. Names with B and a number are public troubles of other tools."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from tokenizers import __version__ as tokenizers_version

from core.errors import CheckpointError, TextError
from core.text import Token, Vocabulary, visible
from tests.core import tiny

R1 = tiny.byte_level()
MERGED = tiny.byte_level(
    (("a", "b"), ("Ġ", "a"), ("Ġa", "b"), ("Ċ", "Ċ"), ("Ġ", "Ġ"), ("ð", "Ł"), ("Ã", "©"), ("Ä", "ł"))
)
STAND_INS = "ĠĊĉ"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
TRICKY = st.lists(
    st.sampled_from(
        ["🙂", "👨‍👩‍👧", "e\u0301", "\u200b", "مرحبا", "\0", " ", "  ", "\n", "\r\n", "\t", "é", "Ġ", "ab", "\u3164"]
    )
).map("".join)
WORDS = st.one_of(TEXT, TRICKY)


def labels(vocabulary: Vocabulary, text: str) -> list[str]:
    return [t.text for t in vocabulary.encode(text)]


def slices(vocabulary: Vocabulary, text: str) -> list[tuple[int, int]]:
    return [(t.start, t.end) for t in vocabulary.encode(text)]


def steps(vocabulary: Vocabulary, ids: list[int]) -> list[str]:
    return [vocabulary.running(ids[:n]) for n in range(1, len(ids) + 1)]


# ---- the troubles


def test_b01_blanks_have_signs_and_the_raw_form_is_kept() -> None:
    assert labels(R1, "a b\n\t\r") == ["a", "␣", "b", "↵", "⇥", "␍"]
    assert [t.raw for t in R1.encode("a b\n")] == ["a", "Ġ", "b", "Ċ"]


def test_b01_the_bar_of_sentencepiece_is_a_blank_too() -> None:
    vocabulary = tiny.metaspace()
    assert vocabulary.kind == "metaspace"
    assert labels(vocabulary, "ab ab") == ["<s>", "␣a", "b", "␣a", "b"]
    assert [t.raw for t in vocabulary.encode("ab ab")] == ["<s>", "▁a", "b", "▁a", "b"]


def test_b01_a_word_vocabulary_keeps_its_maltese_letter() -> None:
    vocabulary = Vocabulary(tiny.word_level({"[UNK]": 0, "Ġurnata": 1, "fĠ": 2, "▁": 3}), 4)
    assert vocabulary.kind == "plain"
    assert labels(vocabulary, "Ġurnata fĠ ▁") == ["Ġurnata", "fĠ", "▁"]


def test_b01_a_byte_level_token_that_spells_a_maltese_letter_shows_it() -> None:
    assert labels(MERGED, "Ġ") == ["Ġ"]
    assert labels(R1, "Ġ") == ["<C4>", "<A0>"]


def test_b02_a_character_of_four_tokens_shows_bytes_never_replacement_signs() -> None:
    tokens = R1.encode("🙂")
    assert [t.text for t in tokens] == ["<F0>", "<9F>", "<99>", "<82>"]
    assert steps(R1, [t.id for t in tokens]) == ["<F0>", "<F0><9F>", "<F0><9F><99>", "🙂"]


def test_b02_nothing_is_lost_when_a_text_stops_half_way() -> None:
    ids = [t.id for t in R1.encode("é🙂")]
    assert R1.running(ids[:-1]) == "é<F0><9F><99>"
    assert R1.running([*ids[:-1], 0x61]) == "é<F0><9F><99>a"


def test_b02_bytes_of_a_sentencepiece_character_show_as_bytes() -> None:
    assert labels(tiny.metaspace(), "a🙂") == ["<s>", "␣a", "<F0>", "<9F>", "<99>", "<82>"]


def test_b02_a_sentencepiece_text_never_fills_with_replacement_signs() -> None:
    vocabulary = tiny.metaspace()
    ids = [t.id for t in vocabulary.encode("a🙂b")][1:]
    assert steps(vocabulary, ids) == ["a", "a<F0>", "a<F0><9F>", "a<F0><9F><99>", "a🙂", "a🙂b"]


def test_b03_slices_count_letters_not_bytes() -> None:
    assert slices(R1, "i ⭢ j") == [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (3, 4), (4, 5)]


def test_b03_a_lone_blank_has_a_slice_even_where_the_file_asks_to_trim_it() -> None:
    trims = tiny.byte_level(post_processor=processors.ByteLevel(trim_offsets=True))
    assert slices(trims, "a b\n  ") == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]


@pytest.mark.parametrize(("text", "n"), [("👨‍👩‍👧", 18), ("e\u0301", 3), ("\u200b", 3), ("مرحبا", 10), ("a\u0000b", 3)])
def test_b04_exactly_that_many_chips_none_of_them_empty(text: str, n: int) -> None:
    tokens = R1.encode(text)
    assert len(tokens) == n
    assert all(t.text.strip() for t in tokens)
    assert b"".join(R1.bytes(t.id) for t in tokens) == text.encode()


@pytest.mark.parametrize(
    ("letter", "label"),
    [
        ("\u200b", "U+200B"),
        ("\0", "U+0000"),
        ("\u200d", "U+200D"),
        ("\u202e", "U+202E"),
        ("\u00a0", "U+00A0"),
        ("\u3000", "U+3000"),
        ("\u2028", "U+2028"),
        ("\x7f", "U+007F"),
        ("\u0301", "◌\u0301"),
        ("\u20dd", "◌\u20dd"),
        ("\ufe0f", "U+FE0F"),
        ("\u034f", "U+034F"),
        ("\u3164", "U+3164"),
        ("\u115f", "U+115F"),
        ("\uffa0", "U+FFA0"),
        ("\u2800", "U+2800"),
        ("\U000e0041", "U+E0041"),
        ("e\u0301", "e\u0301"),
        ("😃", "😃"),
        ("م", "م"),
    ],
)
def test_b04_what_has_no_shape_gets_a_name(letter: str, label: str) -> None:
    assert visible(letter.encode()) == label


def test_b05_a_text_without_tokens_is_one_plain_sentence() -> None:
    with pytest.raises(TextError, match=r"^There is no text to read yet: type a word or a sentence\.$"):
        R1.encode("")
    with pytest.raises(TextError, match="no text to read yet"):
        tiny.words(24).encode("   ")


def test_b05_three_blanks_are_three_tokens() -> None:
    assert labels(R1, "   ") == ["␣", "␣", "␣"]


def test_b06_a_trailing_space_is_a_token_of_its_own() -> None:
    assert labels(R1, "a b") == ["a", "␣", "b"]
    assert labels(R1, "a b ") == ["a", "␣", "b", "␣"]


def test_b07_running_text_keeps_its_blanks() -> None:
    vocabulary = tiny.metaspace()
    ids = [t.id for t in vocabulary.encode("ab ab")]
    assert steps(vocabulary, ids[1:]) == ["a", "ab", "ab a", "ab ab"]


def test_b08_wordpiece_offsets_name_the_source_piece() -> None:
    vocabulary = tiny.wordpiece()
    assert vocabulary.kind == "wordpiece"
    text = "hello 😃 cat"
    tokens = vocabulary.encode(text)
    assert [t.text for t in tokens] == ["[CLS]", "hello", "[UNK]", "cat", "[SEP]"]
    assert text[tokens[2].start : tokens[2].end] == "😃"
    assert [(t.text, t.start, t.end) for t in vocabulary.encode("The Cafés")[1:-1]] == [
        ("the", 0, 3),
        ("cafe", 4, 8),
        ("##s", 8, 9),
    ]
    assert labels(vocabulary, "the \U000fe4fa cat") == ["[CLS]", "the", "cat", "[SEP]"]


def test_b09_special_text_is_one_token_marked_special_and_stays_visible() -> None:
    tokens = R1.encode("x<|endoftext|>y")
    assert [(t.text, t.special, t.added) for t in tokens] == [
        ("x", False, False),
        ("<|endoftext|>", True, False),
        ("y", False, False),
    ]
    assert R1.running([t.id for t in tokens]) == "x<|endoftext|>y"
    sep = tiny.wordpiece().encode("hello [SEP] cat")
    assert [(t.text, t.special, t.added) for t in sep] == [
        ("[CLS]", True, True),
        ("hello", False, False),
        ("[SEP]", True, False),
        ("cat", False, False),
        ("[SEP]", True, True),
    ]


def test_b12_an_id_without_a_row_is_named_with_its_text_and_the_size_of_the_table() -> None:
    vocabulary = tiny.words(30, size=24)
    assert len(vocabulary.encode("t5 t23")) == 2
    with pytest.raises(TextError, match=r"^Token 't27' has id 27, but this model's table has 24 rows, 0 to 23\.$"):
        vocabulary.encode("t5 t27")
    for id in (24, 10**9, -1):
        with pytest.raises(TextError, match=r"table has 24 rows"):
            vocabulary.check([0, id])


def test_b13_a_tokenizer_of_another_version_is_named_with_the_installed_one(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    for text in ('{"version":"1.0","model":{"type":"BPE2","vocab":{}}}', "{", "", "[]", "\x00"):
        path.write_text(text)
        with pytest.raises(CheckpointError, match=rf"^tokenizer\.json .*{re.escape(tokenizers_version)}.*\.$"):
            Vocabulary.read(path, 24)


def test_b13_a_folder_without_tokenizer_json_says_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text("{}")
    (tmp_path / "merges.txt").write_text("")
    with pytest.raises(CheckpointError, match=r"^tokenizer\.json is missing.*merges\.txt, vocab\.json.*\.$"):
        Vocabulary.read(tmp_path / "tokenizer.json", 24)


def test_b14_only_what_the_template_adds_is_added_and_it_is_marked() -> None:
    assert [t.added for t in R1.encode("ab")] == [False, False]
    assert [(t.text, t.added) for t in tiny.metaspace().encode("ab")] == [("<s>", True), ("␣a", False), ("b", False)]
    assert [(t.text, t.added) for t in tiny.wordpiece().encode("cat")] == [
        ("[CLS]", True),
        ("cat", False),
        ("[SEP]", True),
    ]


# ---- the kind


@settings(max_examples=300)
@given(WORDS.filter(bool))
def test_property_bytes_labels_and_slices_of_any_text(text: str) -> None:
    for vocabulary in (R1, MERGED):
        tokens = vocabulary.encode(text)
        assert b"".join(vocabulary.bytes(t.id) for t in tokens) == text.encode()
        assert vocabulary.running([t.id for t in tokens]) == text
        for t in tokens:
            assert t.text.strip()
            assert not set(t.text) & set(STAND_INS) - set(text)
            assert "\ufffd" not in t.text or "\ufffd" in text
            assert all(c.isprintable() for c in t.text)
            assert 0 <= t.start < t.end <= len(text)
            assert vocabulary.bytes(t.id) in text[t.start : t.end].encode()
        assert [t.start for t in tokens] == sorted(t.start for t in tokens)
        assert tokens[0].start == 0
        assert tokens[-1].end == len(text)


@given(WORDS.filter(bool))
def test_property_ids_give_the_tokens_that_their_text_gives(text: str) -> None:
    for vocabulary in (R1, MERGED):
        tokens = vocabulary.encode(text)
        assert vocabulary.tokens([t.id for t in tokens]) == tokens


@settings(max_examples=200)
@given(st.lists(st.integers(0, 256), min_size=1, max_size=20))
def test_property_any_ids_at_all_have_labels_and_a_text(ids: list[int]) -> None:
    """A model may write bytes that make no letter; nothing is lost, and nothing shows as U+FFFD."""
    text = R1.running(ids)
    spelt = b"".join(b"<|endoftext|>" if id == 256 else bytes([id]) for id in ids)
    assert re.sub(rb"<([0-9A-F]{2})>", lambda m: bytes.fromhex(m[1].decode()), text.encode()) == re.sub(
        rb"<([0-9A-F]{2})>", lambda m: bytes.fromhex(m[1].decode()), spelt
    )
    assert "\ufffd" not in text or b"\xef\xbf\xbd" in spelt
    tokens = R1.tokens(ids)
    assert [t.id for t in tokens] == ids
    assert all(t.text.strip() and 0 <= t.start <= t.end for t in tokens)


@given(st.binary(max_size=12))
def test_property_a_label_can_always_be_seen(spelt: bytes) -> None:
    label = visible(spelt)
    assert all(c.isprintable() for c in label)
    assert "\ufffd" not in label or b"\xef\xbf\xbd" in spelt
    assert label.strip() or not spelt


def test_every_byte_has_its_letter() -> None:
    assert [R1.bytes(id) for id in range(256)] == [bytes([byte]) for byte in range(256)]
    assert R1.kind == "byte-level"


def test_a_token_without_letters_still_has_a_label() -> None:
    vocabulary = Vocabulary(tiny.word_level({"[UNK]": 0, "": 1}), 2)
    assert vocabulary.token(1).text


def test_an_id_that_the_tokenizer_does_not_know_is_shown_by_its_number() -> None:
    vocabulary = tiny.words(24, size=30)
    assert vocabulary.token(27) == Token(27, "#27", "#27")
    assert vocabulary.running([5, 27])


def test_half_a_surrogate_pair_is_read_as_a_question_mark() -> None:
    assert labels(R1, "\ud83dx") == ["?", "x"]


def test_a_normaliser_may_shorten_the_text_and_slices_stay_inside() -> None:
    vocabulary = tiny.byte_level(normalizer=normalizers.NFC())
    assert all(0 <= start < end <= 3 for start, end in slices(vocabulary, "e\u0301x"))


def test_settings_of_the_file_that_cut_or_pad_are_off(tmp_path: Path) -> None:
    tokenizer = tiny.words(24).tokenizer
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert labels(Vocabulary.read(tmp_path / "tokenizer.json", 24), "t1 t2 t3") == ["t1", "t2", "t3"]


def test_an_added_token_is_spelt_as_it_is_whatever_the_alphabet() -> None:
    tokenizer = tiny.byte_level().tokenizer
    tokenizer.add_tokens(["Ġnew"])
    vocabulary = Vocabulary(tokenizer, 258)
    (token,) = vocabulary.encode("Ġnew")
    assert (token.text, token.special) == ("Ġnew", False)


def test_a_word_that_a_vocabulary_cannot_spell_is_refused_in_a_sentence() -> None:
    tokenizer = Tokenizer(models.WordLevel(vocab={"a": 0}))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    with pytest.raises(TextError, match="no token for a part"):
        Vocabulary(tokenizer, 1).encode("a zzz")
