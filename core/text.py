"""Text to tokens and back, with labels that can be read aloud.

The `tokenizers` library does the splitting; this module says what each token *is*. How a raw token spells a space
or a byte depends on the kind of tokenizer, so the kind is read from its file, never guessed from a letter:

    byte-level   every byte has a stand-in letter (a space is U+0120)      GPT-2, Llama 3; Radford et al. 2019
    metaspace    a space is U+2581, odd bytes are <0xF0>                    T5, Llama 2; Kudo and Richardson 2018
    wordpiece    a piece inside a word starts with ##                       BERT; Wu et al. 2016
    plain        a token is what it says
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tokenizers import Encoding, Tokenizer
from tokenizers import __version__ as tokenizers_version

from core.errors import CheckpointError, TextError

Kind = Literal["byte-level", "metaspace", "wordpiece", "plain"]


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a text.

    `text` is its label: a space shows as ␣, a line end as ↵, a tab as ⇥, a byte that is no letter by itself as <F0>.
    `raw` is how the vocabulary spells it. `start` and `end` count letters of the source text, end excluded; both
    are 0 for a token that is not in it (`added`). `padding` marks a token that a mask hides from every reader.
    """

    id: int
    text: str
    raw: str
    start: int = 0
    end: int = 0
    special: bool = False
    added: bool = False
    padding: bool = False


class Vocabulary:
    """A tokenizer with the size of the embedding table that its ids must fit."""

    def __init__(self, tokenizer: Tokenizer, size: int) -> None:
        spec = json.loads(tokenizer.to_str())
        if trims := [part for part in _parts(spec.get("post_processor")) if part.get("trim_offsets")]:
            for part in trims:  # a blank is a part of its token, so it is a part of its slice
                part["trim_offsets"] = False
            tokenizer = Tokenizer.from_str(json.dumps(spec))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.tokenizer, self.size = tokenizer, size
        self.kind: Kind = _kind(spec)
        self._special = {t["id"] for t in spec.get("added_tokens", ()) if t.get("special")}
        self._literal = {t["id"] for t in spec.get("added_tokens", ())}  # spelt as they are, in no alphabet

    @classmethod
    def read(cls, path: Path, size: int) -> "Vocabulary":
        """Open a tokenizer.json. Raises `CheckpointError` when it is missing or cannot be read."""
        if not path.is_file():
            others = sorted(
                p.name for p in path.parent.glob("*") if re.match(r"vocab|merges|tokenizer|.*\.model$", p.name)
            )
            there = f"; {', '.join(others)} cannot stand in for it" if others else ""
            raise CheckpointError(f"{path.name} is missing: a model needs one to turn text into tokens{there}.")
        try:
            return cls(Tokenizer.from_file(str(path)), size)
        except Exception as error:  # the library raises bare exceptions
            raise CheckpointError(
                f"{path.name} cannot be read by the installed tokenizers {tokenizers_version}; save it again with"
                " this version or one of its neighbours."
            ) from error

    def encode(self, text: str) -> tuple[Token, ...]:
        """The tokens of `text`, with those that the tokenizer's own template adds.

        Raises `TextError` for a text without tokens of its own, and for a token that the table has no row for.
        """
        return self.pair(text)[0]

    def pair(self, text: str, other: str | None = None) -> tuple[tuple[Token, ...], tuple[int, ...]]:
        """The tokens of a text, or of two as one, and the sentence that each belongs to. Errors as in `encode`."""
        encoding = self._encode(text, other)
        tokens = self._tokens(encoding)
        if all(token.added for token in tokens):
            raise TextError("There is no text to read yet: type a word or a sentence.")
        return tokens, tuple(encoding.type_ids)

    def plain(self, text: str) -> tuple[Token, ...]:
        """The tokens of `text` alone, maybe none, without those of the template. Errors as in `encode`."""
        return self._tokens(self._encode(text, template=False))

    def _encode(self, text: str, other: str | None = None, template: bool = True) -> Encoding:
        whole, pair = (None if part is None else part.encode("utf-8", "replace").decode() for part in (text, other))
        try:
            return self.tokenizer.encode(whole, pair, add_special_tokens=template)
        except Exception:  # the library raises bare exceptions: for a word that a vocabulary has no way to spell
            raise TextError(
                "This model's vocabulary has no token for a part of the text, nor one for what it lacks."
            ) from None

    def _tokens(self, encoding: Encoding) -> tuple[Token, ...]:
        tokens = tuple(
            self.token(id, start, end, added=word is None and start == end)
            for id, (start, end), word in zip(encoding.ids, encoding.offsets, encoding.word_ids, strict=True)
        )
        self.check([t.id for t in tokens])
        return tokens

    def token(self, id: int, start: int = 0, end: int = 0, added: bool = False) -> Token:
        """The token with this id, wherever it came from."""
        raw = self.tokenizer.id_to_token(id)
        if raw is None:
            return Token(id, f"#{id}", f"#{id}", start, end, added=added)
        return Token(id, visible(self.bytes(id)) or "∅", raw, start, end, id in self._special, added)

    def tokens(self, ids: Sequence[int]) -> tuple[Token, ...]:
        """The tokens for ids given as numbers; `start` and `end` count letters of what they spell together."""
        spelt = [self.bytes(id) for id in ids]
        begun, found = 0, []  # letters begun so far; a token may start inside the last of them
        for id, part in zip(ids, spelt, strict=True):
            start = begun - bool(part and begun and _continues(part[0]))
            begun += sum(not _continues(byte) for byte in part)
            found.append(self.token(id, start, begun))
        return tuple(found)

    def check(self, ids: Sequence[int]) -> None:
        """Raise `TextError` when an id has no row in the embedding table."""
        for id in ids:
            if not 0 <= id < self.size:
                raw = self.tokenizer.id_to_token(id) if 0 <= id < 2**32 else None
                name = f"Token {raw!r} has id {id}" if raw is not None else f"There is no token {id}"
                raise TextError(f"{name}, but this model's table has {self.size} rows, 0 to {self.size - 1}.")

    def bytes(self, id: int) -> bytes:
        """What a token spells, as bytes: for a byte-level token maybe a part of a letter."""
        raw = self.tokenizer.id_to_token(id)
        if raw is None:
            return b""
        if id in self._literal:
            return raw.encode()
        if self.kind == "byte-level" and all(c in _BYTE for c in raw):
            return bytes(_BYTE[c] for c in raw)
        if self.kind == "metaspace":
            if len(raw) == 6 and raw.startswith("<0x") and raw.endswith(">"):
                return bytes.fromhex(raw[3:5])
            return raw.replace("▁", " ").encode()
        return raw.encode()

    def running(self, ids: Sequence[int]) -> str:
        """The text that ids spell together, nothing lost: special tokens stay, unfinished letters show as bytes.

        The piece that a step adds is the difference to the text before it, so blanks fall where they belong.
        """
        spelt = _readable(b"".join(self.bytes(id) for id in ids))
        if self.kind == "byte-level":
            return spelt
        text = str(self.tokenizer.decode(list(ids), skip_special_tokens=False))
        if self.kind == "metaspace":  # the library knows how many blanks lead, we know what unfinished letters are
            return " " * (len(text) - len(text.lstrip(" "))) + spelt.lstrip(" ")
        return text


def _continues(byte: int) -> bool:
    """Whether a byte of UTF-8 goes on with a letter that an earlier byte began."""
    return byte & 0xC0 == 0x80


def _kind(spec: dict[str, object]) -> Kind:
    """The kind of tokenizer, from the parts that its file names."""
    model = spec["model"]
    assert isinstance(model, dict)
    parts = {part["type"] for name in ("normalizer", "pre_tokenizer", "decoder") for part in _parts(spec.get(name))}
    if model.get("type") == "WordPiece":
        return "wordpiece"
    if "ByteLevel" in parts:
        return "byte-level"
    if "Metaspace" in parts or "Prepend" in parts or model.get("byte_fallback") or model.get("type") == "Unigram":
        return "metaspace"
    return "plain"


def _parts(spec: object) -> list[dict[str, object]]:
    """A part of the pipeline and the parts inside it."""
    if isinstance(spec, list):
        return [part for item in spec for part in _parts(item)]
    if not isinstance(spec, dict):
        return []
    inner = [part for value in spec.values() for part in _parts(value)]
    return [spec, *inner] if "type" in spec else inner


def _byte_alphabet() -> dict[str, int]:
    """The stand-in letter of each byte: itself where it prints, else the next letter from U+0100 on (GPT-2)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(256) if b not in printable]
    return {chr(b): b for b in printable} | {chr(256 + i): b for i, b in enumerate(others)}


_BYTE = _byte_alphabet()
_SIGNS = {" ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍"}
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # fillers: letters to Unicode, empty to the eye
_SELECTOR = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # accents without ink


def visible(spelt: bytes) -> str:
    """A label in which every letter can be seen: signs for blanks, U+200B for what has no shape, <F0> for a byte."""
    label = []
    for i, c in enumerate(spelt.decode("utf-8", "surrogateescape")):
        category = unicodedata.category(c)
        if c in _SIGNS:
            label.append(_SIGNS[c])
        elif category == "Cs":  # a byte that is no letter by itself, smuggled through as a surrogate
            label.append(f"<{ord(c) - 0xDC00:02X}>")
        elif category in ("Cc", "Cf", "Zs", "Zl", "Zp", "Cn", "Co") or c in _BLANK or (i == 0 and _SELECTOR.match(c)):
            label.append(f"U+{ord(c):04X}")
        elif category in ("Mn", "Me") and i == 0:
            label.append("◌" + c)  # an accent needs something to stand on
        else:
            label.append(c)
    return "".join(label)


def _readable(spelt: bytes) -> str:
    """Text as it is, with <F0> for a byte that is no letter by itself."""
    text = spelt.decode("utf-8", "surrogateescape")
    return "".join(f"<{ord(c) - 0xDC00:02X}>" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in text)
