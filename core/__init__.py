"""Glassformer's core: a Transformer that runs, and shows every number on the way.

import core

model = core.load("storyteller")
run = model.run("The cat sat because it was tired")
run["decoder.0.attn.pattern"]  # [head, query, key]
"""

from core import sampling
from core.errors import GlassformerError
from core.library import load, models
from core.model import Model
from core.run import Run
from core.tape import Tape, put, scale, zero
from core.text import Token

__all__ = [
    "GlassformerError",
    "Model",
    "Run",
    "Tape",
    "Token",
    "load",
    "models",
    "put",
    "sampling",
    "scale",
    "zero",
]
