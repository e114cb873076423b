"""Generate: from logits to the next token, one step at a time."""

from dataclasses import dataclass

import streamlit as st

from app import runs, state
from app.components.page import again, chosen_head, notice, page
from app.components.sampler import SamplerState, sampler
from app.components.strip import StripState, strip
from app.look import Story
from app.words import _
from core.sampling import Distribution

ALL_NAMED = 4096  # up to this size of vocabulary the browser can call every token by its name
NAMED = 60  # beyond it, only so many of the likeliest
MANY = 10


def show() -> None:
    """Draw the view."""
    page(_picture, runs.story, "generate", kinds=("decoder",))


@dataclass(frozen=True)
class Place:
    """Where the visitor is: step i is the choice of the token after i drawn ones."""

    drawn: tuple[int, ...]
    step: int
    room: int  # tokens that can still be read after the text; one more can be drawn, and then not be read

    @property
    def last(self) -> int:
        """The newest step that can be shown."""
        return min(len(self.drawn), self.room)

    @property
    def over(self) -> bool:
        """Whether the context is used up, so that no further token can be drawn."""
        return len(self.drawn) > self.room

    @property
    def behind(self) -> tuple[int, ...]:
        """The tokens that were read when this step's token is chosen."""
        return self.drawn[: self.step]

    @property
    def here(self) -> int | None:
        """The token that was taken at this step, if one was."""
        return self.drawn[self.step] if self.step < len(self.drawn) else None


def _picture(story: Story) -> None:
    place = _place(story)
    _growing(story, place)
    _steps(story, place)
    _next_token(story, place)
    _branches(story, place)


def _place(story: Story) -> Place:
    now, config = state.current(), story.model.config
    room = config.room(len(story.tokens))
    drawn = now.continuation
    if len(drawn) > room + 1 or any(id >= config.vocab_size for id in drawn):
        sentence = _("The address holds a continuation that this model cannot have written; it is left out.")
        state.give_up("continuation", sentence)
        drawn = ()
    last = Place(drawn, 0, room).last
    step = last if now.step is None else now.step
    if step > last:
        state.give_up("step", _("There is no step {n} here; the newest one is shown.").format(n=step))
        step = last
    return Place(drawn, step, room)


def _growing(story: Story, place: Place) -> None:
    layer, head = chosen_head(story.model, "decoder.attn")
    vocabulary = story.model.vocabulary
    view = strip(
        tokens=(*story.tokens, *(vocabulary.token(id) for id in place.drawn)),
        prompt_length=len(story.tokens),
        rows=story.rows(place.behind),
        layer=layer,
        head=head,
        current=len(story.tokens) + place.step - 1,
        key="strip",
        on_change=_read_with,
    )
    if view.step is not None:
        _go(min(view.step + 1, place.last), place)


def _read_with(view: StripState) -> None:
    state.change(layer=view.layer, head=view.head)


def _steps(story: Story, place: Place) -> None:
    """The buttons. What they do is done here, not in a callback: a callback acts on what was on the screen before."""
    newest, over = place.step == place.last, place.over
    columns = st.columns([1.2, 1.4, 1.4, 4, 1.6, 1], vertical_alignment="bottom")
    back = columns[0].button(_("Previous"), disabled=place.step == 0, width="stretch")
    forward = columns[1].button(
        _("Next"),
        type="primary",
        help=_("Draw the next token with these settings.") if newest else _("Go on to what was taken here."),
        disabled=newest and over,
        width="stretch",
    )
    many = columns[2].button(_("Write {n}").format(n=MANY), disabled=not newest or over, width="stretch")
    if place.last:
        columns[3].slider(
            _("Step"),
            0,
            place.last,
            key=state.widget("step-box", place.step),
            on_change=state.from_widget("step-box", "step"),
        )
    columns[4].number_input(
        _("Seed"),
        min_value=0,
        max_value=state.MAX_SEED,
        step=1,
        key=state.widget("seed-box", state.current().seed),
        on_change=state.from_widget("seed-box", "seed"),
        help=_(
            "The seed and the number of the step fix the draw: with the same settings everybody gets the same token."
        ),
    )
    restart = columns[5].button(_("Start over"), disabled=not place.drawn, width="stretch")
    if newest and over:
        limit = len(story.tokens) + place.room
        notice(_("The model has read {n} tokens, which is all that it can read.").format(n=limit))
    elif newest and place.drawn and place.drawn[-1] in story.model.stop:
        notice(_("The model has written the token that ends a text. Next goes on all the same."))
    if back:
        _go(place.step - 1, place)
    elif forward and not newest:
        _go(place.step + 1, place)
    elif forward or many:
        _write_on(_drawn(story, place, MANY if many else 1))
    elif restart:
        _write_on(())


def _next_token(story: Story, place: Place) -> None:
    now, vocab = state.current(), story.model.config.vocab_size
    if now.top_k > vocab:
        sentence = _("This model has {vocab} tokens, so a top-k of {k} cuts nothing: it is off.")
        state.give_up("top_k", sentence.format(vocab=vocab, k=now.top_k))
        now = state.current()
    chances = story.chances(place.behind, now.temperature, now.top_k, now.top_p)
    view = sampler(
        logits=story.logits(place.behind),
        labels=_labels(story, chances, place.here),
        temperature=now.temperature,
        top_k=now.top_k,
        top_p=now.top_p,
        uniform=runs.uniform_number(now.seed, place.step),
        drawn=place.here,
        key="sampler",
        on_change=_settings,
    )
    if view.chosen is not None:
        _write_on((*place.behind, view.chosen))


def _labels(story: Story, chances: Distribution, here: int | None) -> dict[int, str]:
    """Names for the tokens that the picture may show: all of a small vocabulary, else the likeliest and the drawn."""
    logits = chances.logits
    ids = set(range(len(logits)) if len(logits) <= ALL_NAMED else logits.topk(NAMED).indices.tolist())
    if here is not None:
        ids.add(here)
    return {id: story.model.vocabulary.token(id).text for id in ids}


def _settings(view: SamplerState) -> None:
    state.change(temperature=view.temperature, top_k=view.top_k, top_p=view.top_p)


def _go(step: int, place: Place) -> None:
    """Show another step; what was drawn stays."""
    state.change(step=step if step < place.last else None)
    again()


def _drawn(story: Story, place: Place, count: int) -> tuple[int, ...]:
    """What was drawn and up to `count` tokens more, as far as the text does not end and the context reaches."""
    now, drawn = state.current(), place.drawn
    for i in range(count):
        if len(drawn) > place.room or (i and drawn[-1] in story.model.stop):
            break
        drawn = (*drawn, story.draw(drawn, now.temperature, now.top_k, now.top_p, now.seed).id)
    return drawn


def _write_on(drawn: tuple[int, ...]) -> None:
    """Go on with `drawn`; the way that is left for it is kept among the branches."""
    state.branches()
    state.change(continuation=drawn, step=None)
    again()


def _branches(story: Story, place: Place) -> None:
    """Ways on that were left for another one, to go back to."""
    others = [branch for branch in state.branches() if branch[: len(place.drawn)] != place.drawn or not place.drawn]
    if not others:
        return
    st.html(f'<p class="glass-sub">{_("Other ways on")}</p>')
    for i, branch in enumerate(others):
        left, right = st.columns([1, 9], vertical_alignment="center")
        if left.button(_("Go back to it"), key=f"branch-{i}", width="stretch"):
            _write_on(branch)
        right.text(story.model.vocabulary.running(branch))
