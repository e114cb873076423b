"""Checkpoints of other libraries: one file a family, and `folder`, which opens them all the same way."""

from core.checkpoints.folder import Checkpoint, read
from core.checkpoints.tensors import fill

__all__ = ["Checkpoint", "fill", "read"]
