"""The translator's vocabulary: every word of its grammar is one token, and anything else is spelt in bytes.

A token is a word with the blank before it, an elided word with its apostrophe (l', n'), or one Chinese word: a map of
attention then reads word by word in all three languages. Chinese is written without blanks, so the words themselves
say where to cut, the longest first. The file is a byte-level BPE without merges: what is in the list stays whole
(`ignore_merges`), what is not falls apart into bytes.
"""

from collections import Counter
from collections.abc import Iterable

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from core.train.chinese import DRUNK
from core.train.lexicon import EVERY_ADJECTIVE, EVERY_NOUN, EVERY_PLACE, EVERY_PRONOUN, EVERY_VERB, OFTEN, PEOPLE, WHEN
from core.train.pairs import CHINESE, FRENCH, Pair

PAD, START, END = "<pad>", "<s>", "</s>"
SPECIAL = (PAD, START, END, FRENCH, CHINESE)
PAD_ID, START_ID, END_ID = range(3)

LATIN = r"[\p{L}&&[^\p{Han}]]+"
PARTICLES = "一 两 三 这 那些 一些 这些 的 了 吗 很 非常 不太 不 没有 从不 正在 在 是 有 因为 它 它们 他 他们 她 她们"


def chinese_words() -> list[str]:
    """Every Chinese word of the grammar, the longest first."""
    nouns = (*EVERY_NOUN.values(), *PEOPLE)
    words = {*PARTICLES.split(), *(p.chinese for p in EVERY_PRONOUN), *DRUNK.values()}
    words |= {word for noun in nouns for word in (noun.chinese, noun.measure)}
    words |= {word for verb in EVERY_VERB for word in (verb.chinese, verb.cannot)}
    words |= {word for adjective in EVERY_ADJECTIVE for word in adjective.chinese}
    words |= {p.preposition.chinese for p in EVERY_PLACE} | {a.chinese for a in (*OFTEN, *WHEN)}
    return sorted(words - {""}, key=lambda word: (-len(word), word))


def cutter() -> pre_tokenizers.PreTokenizer:
    """Cuts a text into words."""
    pattern = "|".join(
        (
            *chinese_words(),
            r"n't",
            r" ?[Aa]ujourd'hui",
            r" ?[Ee]st-ce",
            r" ?(?:[Qq]u|[cdjlmnstCDJLMNST])'(?=\p{L})",
            rf" ?{LATIN}(?=n't)",
            rf" ?{LATIN}",
            r" ?\p{N}+",
            r"\p{Han}",
            r" ?[^\s\p{L}\p{N}]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    )
    words = pre_tokenizers.Split(Regex(pattern), "isolated")
    return pre_tokenizers.Sequence([words, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def build(pairs: Iterable[Pair]) -> Tokenizer:
    """The tokenizer whose words are those of the pairs, the most frequent first; it adds nothing to a text."""
    cut = cutter()
    seen: Counter[str] = Counter()
    for pair in pairs:
        for text in (pair.source.removeprefix(f"{pair.language} "), pair.target):
            seen.update(word for word, _ in cut.pre_tokenize_str(text))
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = [word for word, _ in sorted(seen.items(), key=lambda item: (-item[1], item[0])) if word not in alphabet]
    vocabulary = {word: i for i, word in enumerate((*SPECIAL, *alphabet, *words))}
    tokenizer = Tokenizer(models.BPE(vocabulary, [], ignore_merges=True))
    tokenizer.normalizer = normalizers.Replace("’", "'")
    tokenizer.pre_tokenizer = cut
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(word, rstrip=word in (FRENCH, CHINESE)) for word in SPECIAL])
    return tokenizer
