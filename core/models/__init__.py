"""The networks, one file for each kind: embed, blocks, head, readable from top to bottom."""

from core.models.decoder import Decoder

__all__ = ["Decoder"]
