"""A word is a mixture: from each word being itself to what attention makes of it, weight by weight."""

from app import state
from app.components.encoder import caption
from app.components.mixture import MixtureState, mixture
from app.components.page import chosen_head
from app.look import Look
from app.plots.maps import window
from app.views.encoder_words import chosen, longest
from app.words import _

HEIGHT = 287  # pixels of the list of words


def picture(look: Look) -> None:
    """The chosen word of the chosen head, mixed under the finger."""
    token = chosen(look, lambda: longest(look.tokens))
    layer, head = chosen_head(look.model, "encoder.attn")
    values, mixed = look.maps("v", "encoder.attn"), look.maps("z", "encoder.attn")[:, :, token]
    weights = look.maps("pattern", "encoder.attn")[:, :, token]
    first, sent = window(values, layer)
    part = slice(first, first + len(sent))
    mixture(
        tokens=look.tokens,
        weights=weights[part],
        values=sent,
        mixed=mixed[part],
        first_layer=first,
        n_layers=len(values),
        layer=layer,
        head=head,
        token=token,
        amount=state.current().amount,
        height=HEIGHT,
        key="mixture",
        on_change=_store,
    )
    caption(
        _("At 0 each word is itself; at 1 stands what the head does. On the way the weights are a blend of the two."),
        live=False,
    )


def _store(view: MixtureState) -> None:
    state.change(layer=view.layer, head=view.head, token=view.token, amount=view.amount)
