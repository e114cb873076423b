"""What a person gives a model to read, checked and turned into tokens: a text, a pair, a target, or ids."""

from collections.abc import Sequence
from operator import index

from core.errors import TextError
from core.text import Token, Vocabulary

Tokens = tuple[Token, ...]


def one_text(vocabulary: Vocabulary, text: str | None, ids: Sequence[int] | None) -> Tokens:
    """The tokens of a text, or those with these ids. Raises `TextError` unless there is one of the two, and a row for
    each in the embedding table."""
    if (text is None) == (ids is None):
        raise TextError("Give a text or token ids: one of the two.")
    if text is not None:
        return vocabulary.encode(text)
    assert ids is not None
    ids = [index(id) for id in ids]  # from a tensor, too
    if not ids:
        raise TextError("There is no text to read yet: give at least one token id.")
    vocabulary.check(ids)
    return vocabulary.tokens(ids)


def a_target(vocabulary: Vocabulary, start: int | None, text: str | None, ids: Sequence[int] | None) -> Tokens:
    """What the decoder of a pair reads: the ids as given, or the start token and then the text, if there is one.

    Raises `TextError` for both at once, and where nobody says which token starts.
    """
    if text is not None and ids is not None:
        raise TextError("Give a target or target ids: one of the two.")
    if ids is not None:
        first, *rest = (token.id for token in one_text(vocabulary, None, ids))
        return (vocabulary.token(first, added=first == start), *vocabulary.tokens(rest))
    if start is None:
        raise TextError("This model does not say which token starts a target; give target_ids, that token first.")
    vocabulary.check([start])
    return (vocabulary.token(start, added=True), *vocabulary.plain(text or ""))


def sentences(
    vocabulary: Vocabulary,
    n: int,
    text: str | None,
    ids: Sequence[int] | None,
    pair: str | None,
    segments: Sequence[int] | None,
) -> tuple[Tokens, tuple[int, ...]]:
    """The tokens of an encoder's text or pair, and the sentence of each, where the network tells n of them apart.

    Raises `TextError` for a pair without a first text, and for segments that do not fit.
    """
    if pair is not None and text is None:
        raise TextError("A pair is two texts; give the first one too.")
    if text is not None and ids is None:
        tokens, parts = vocabulary.pair(text, pair)
    else:
        tokens = one_text(vocabulary, text, ids)
        parts = (0,) * len(tokens)
    if segments is None:
        return tokens, tuple(min(part, n - 1) for part in parts) if n else ()
    found = tuple(index(part) for part in segments)
    if len(found) != len(tokens) or not all(0 <= part < n for part in found):
        raise TextError(f"Segments are one number from 0 to {n - 1} for each token; {len(tokens)} are needed.")
    return tokens, found
