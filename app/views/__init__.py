"""The views, one file for each idea, in the order of the menu."""

from collections.abc import Callable
from typing import NamedTuple

from app.views import attention, encoder, generate, masks, start, tokens, translate
from app.words import _


class View(NamedTuple):
    """A page: its path ("" is the first page), its name in the menu, and what draws it."""

    path: str
    title: str
    show: Callable[[], None]


VIEWS = (
    View("", _("Start"), start.show),
    View("tokens", _("Tokens"), tokens.show),
    View("attention", _("Attention"), attention.show),
    View("generate", _("Generate"), generate.show),
    View("encoder", _("Encoder"), encoder.show),
    View("translate", _("Translate"), translate.show),
    View("masks", _("Masks"), masks.show),
)
