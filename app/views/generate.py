"""Generate: from logits to the next token, one step at a time."""

import streamlit as st

from app import runs, state
from app.components.page import chosen_head, notice, page
from app.components.sampler import SamplerState, sampler
from app.components.strip import StripState, strip
from app.runs import Story
from app.words import _
from core.sampling import Distribution

ALL_NAMED = 4096  # up to this size of vocabulary the browser can call every token by its name
NAMED = 60  # beyond it, only so many of the likeliest
MANY = 10


def show() -> None:
    """Draw the view."""
    page(_picture, runs.story, "generate", kinds=("decoder",))


def _picture(story: Story) -> None:
    drawn, step = _place(story)
    _growing(story, drawn, step)
    _steps(story, drawn, step)
    _next_token(story, drawn, step)
    _branches(story, drawn)


def _place(story: Story) -> tuple[tuple[int, ...], int]:
    """What was drawn, and the step on the screen: step i is the choice of the token after i drawn ones."""
    now, config = state.current(), story.model.config
    room = config.room(len(story.tokens))
    drawn = now.continuation
    if len(drawn) > room + 1 or any(id >= config.vocab_size for id in drawn):
        sentence = _("The address holds a continuation that this model cannot have written; it is left out.")
        state.give_up("continuation", sentence)
        drawn = ()
    step = len(drawn) if now.step is None else now.step
    if step > len(drawn):
        state.give_up("step", _("There is no step {n} yet; the newest one is shown.").format(n=step))
        step = len(drawn)
    return drawn, min(step, room)


def _growing(story: Story, drawn: tuple[int, ...], step: int) -> None:
    layer, head = chosen_head(story.model, "decoder.attn")
    vocabulary = story.model.vocabulary
    view = strip(
        tokens=(*story.tokens, *(vocabulary.token(id) for id in drawn)),
        prompt_length=len(story.tokens),
        rows=story.rows(drawn[:step]),
        layer=layer,
        head=head,
        current=len(story.tokens) + step - 1,
        key="strip",
        on_change=_read_with,
    )
    if view.step is not None:
        state.change(step=view.step + 1)
        st.rerun(scope="fragment")


def _read_with(view: StripState) -> None:
    state.change(layer=view.layer, head=view.head)


def _steps(story: Story, drawn: tuple[int, ...], step: int) -> None:
    now = state.current()
    newest, full = step == len(drawn), story.model.config.room(len(story.tokens) + step) <= 0
    back, forward, many, slider, seed, again = st.columns([1.2, 1.4, 1.4, 4, 1.6, 1], vertical_alignment="bottom")
    back.button(_("Previous"), on_click=_go, args=(step - 1,), disabled=step == 0, width="stretch")
    forward.button(
        _("Next"),
        type="primary",
        help=_("Draw the next token with these settings.") if newest else _("The token that was drawn here."),
        on_click=_draw if newest else _go,
        args=(story, 1) if newest else (step + 1,),
        disabled=newest and full,
        width="stretch",
    )
    many.button(
        _("Write {n}").format(n=MANY), on_click=_draw, args=(story, MANY), disabled=not newest or full, width="stretch"
    )
    if drawn:
        slider.slider(
            _("Step"),
            0,
            len(drawn),
            key=state.widget("step-box", step),
            on_change=state.from_widget("step-box", "step"),
        )
    seed.number_input(
        _("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        step=1,
        key=state.widget("seed-box", min(now.seed, 2**31 - 1)),
        on_change=state.from_widget("seed-box", "seed"),
        help=_(
            "The seed and the number of the step fix the draw: with the same settings everybody gets the same token."
        ),
    )
    again.button(_("Start over"), on_click=_start_over, disabled=not drawn, width="stretch")
    if drawn and newest and drawn[-1] in story.model.stop:
        notice(_("The model has written the token that ends a text. Next goes on all the same."))
    if newest and full:
        notice(_("The model has read {n} tokens, which is all that it can read.").format(n=len(story.tokens) + step))


def _next_token(story: Story, drawn: tuple[int, ...], step: int) -> None:
    now, vocab = state.current(), story.model.config.vocab_size
    if now.top_k > vocab:
        sentence = _("This model has {vocab} tokens, so a top-k of {k} cuts nothing: it is off.")
        state.give_up("top_k", sentence.format(vocab=vocab, k=now.top_k))
        now = state.current()
    chances = story.chances(drawn[:step], now.temperature, now.top_k, now.top_p)
    here = drawn[step] if step < len(drawn) else None
    uniform = runs.uniform_number(now.seed, step)
    view = sampler(
        logits=story.logits(drawn[:step]),
        labels=_labels(story, chances, here),
        temperature=now.temperature,
        top_k=now.top_k,
        top_p=now.top_p,
        uniform=uniform,
        drawn=here,
        key="sampler",
        on_change=_settings,
    )
    if view.chosen is not None:
        state.branches()
        state.change(continuation=(*drawn[:step], view.chosen), step=None)
        st.rerun(scope="fragment")


def _labels(story: Story, chances: Distribution, here: int | None) -> dict[int, str]:
    """Names for the tokens that the picture may show: all of a small vocabulary, else the likeliest and the drawn."""
    logits = chances.logits
    ids = set(range(len(logits)) if len(logits) <= ALL_NAMED else logits.topk(NAMED).indices.tolist())
    if here is not None:
        ids.add(here)
    return {id: story.model.vocabulary.token(id).text for id in ids}


def _settings(view: SamplerState) -> None:
    state.change(temperature=view.temperature, top_k=view.top_k, top_p=view.top_p)


def _go(step: int) -> None:
    state.change(step=step if step < len(state.current().continuation) else None)


def _draw(story: Story, count: int) -> None:
    """Draw up to `count` tokens; stop where the text ends or the context is full."""
    now = state.current()
    drawn = now.continuation
    for i in range(count):
        full = story.model.config.room(len(story.tokens) + len(drawn)) <= 0
        if full or (i and drawn[-1] in story.model.stop):
            break
        drawn = (*drawn, story.draw(drawn, now.temperature, now.top_k, now.top_p, now.seed).id)
    state.change(continuation=drawn, step=None)


def _start_over() -> None:
    state.branches()
    state.change(continuation=(), step=None)


def _branches(story: Story, drawn: tuple[int, ...]) -> None:
    """Ways on that were left for another one, to go back to."""
    kept = state.branches()
    others = [branch for branch in kept if branch[: len(drawn)] != drawn or not drawn]
    if not others:
        return
    st.html(f'<p style="margin:.5rem 0 0;font-weight:600">{_("Other ways on")}</p>')
    vocabulary = story.model.vocabulary
    for i, branch in enumerate(others):
        left, right = st.columns([1, 9], vertical_alignment="center")
        left.button(_("Go back to it"), key=f"branch-{i}", on_click=_take, args=(branch,), width="stretch")
        right.text(vocabulary.running(branch))


def _take(branch: tuple[int, ...]) -> None:
    state.branches()
    state.change(continuation=branch, step=None)
