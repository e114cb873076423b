"""Fill the blank: the words that an encoder expects behind a mask, from what stands before it and after it."""

from html import escape

import streamlit as st

from app import heads, state
from app.components.encoder import bars, caption, percent, sentence, table
from app.components.page import notice
from app.look import Look
from app.views.encoder_words import choose_word, chosen, longest
from app.words import _
from core.sampling import Distribution

TOP = 8  # words shown for a blank
LISTED = 50  # words in its table
MOST = 12  # blanks with bars; a text of blanks alone says nothing


def picture(look: Look) -> None:
    """The text with its blanks, and for each the likeliest words."""
    name = look.model.name
    if look.model.config.word_head == "none":
        notice(_("{name} has no word head: it makes vectors, but guesses no words.").format(name=name))
        return
    spelt = heads.blank(look.model.vocabulary)
    if spelt is None:
        notice(_("{name} has no token for a hidden word in its vocabulary, so no blank.").format(name=name))
        return
    blanks = [i for i, token in enumerate(look.tokens) if token.raw == spelt]
    st.html(sentence(look.tokens, {i: str(nth + 1) if len(blanks) > 1 else "" for nth, i in enumerate(blanks)}))
    _controls(look, spelt, blanks)
    if not blanks:
        caption(_("No word is hidden yet: choose one and hide it, or type {0} in the text."), spelt)
        return
    if len(blanks) > MOST:
        notice(_("The first {n} blanks are shown.").format(n=MOST))
    shown = [(i, heads.guess(look, i)) for i in blanks[:MOST]]
    st.html(f'<div class="glass-blanks">{"".join(_blank(look, nth, i, d) for nth, (i, d) in enumerate(shown))}</div>')


def _controls(look: Look, spelt: str, blanks: list[int]) -> None:
    """Which word to hide, and ways to hide it and to fill the first blank."""
    left, middle, right, _rest = st.columns([2, 1.6, 2.2, 4], vertical_alignment="bottom")
    with left:
        token = chosen(look, lambda: blanks[0] if blanks else longest(look.tokens))
        choose_word(look, token)
    word = look.tokens[token]
    middle.button(
        _("Hide this word"),
        type="secondary" if blanks else "primary",
        disabled=word.end <= word.start or word.raw == spelt,
        on_click=_put,
        args=(look, token, spelt),
        width="stretch",
    )
    right.button(
        _("Fill in the likeliest"),
        disabled=not blanks,
        help=_("Writes the likeliest word into the first blank; the model then reads the new text."),
        on_click=_fill,
        args=(look, blanks),
        width="stretch",
    )


def _put(look: Look, token: int, spelt: str) -> None:
    place = look.tokens[token]
    state.change(text=look.text[: place.start] + spelt + look.text[place.end :])


def _fill(look: Look, blanks: list[int]) -> None:
    best = int(heads.guess(look, blanks[0]).probs.argmax())
    spelt = look.model.vocabulary.running([best])
    _put(look, blanks[0], spelt.removeprefix("##").strip() or look.model.vocabulary.token(best).raw)


def _blank(look: Look, nth: int, position: int, chances: Distribution) -> str:
    shares, ids = chances.probs.topk(min(LISTED, len(chances.probs)))
    name = look.model.vocabulary.token
    rows = [(name(id).text, share) for share, id in zip(shares.tolist(), ids.tolist(), strict=True)]
    title = _("Blank {n}").format(n=nth + 1)
    label = _("{title}: most likely “{word}”, {share}.").format(title=title, word=rows[0][0], share=percent(rows[0][1]))
    rest = _("{n} likeliest tokens as a table").format(n=len(rows))
    numbers = [
        [str(i + 1), word, str(id), f"{chances.logits[id].item():.4f}", f"{share:.6f}"]
        for i, ((word, share), id) in enumerate(zip(rows, ids.tolist(), strict=True))
    ]
    heading = _("Blank {n}, token {i}").format(n=nth + 1, i=position)
    heads_ = ["#", _("Token"), _("Id"), _("Logit"), _("Probability")]
    return f"<section><h4>{escape(heading)}</h4>{bars(rows[:TOP], label)}{table(heads_, numbers, rest)}</section>"
