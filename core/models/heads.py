"""What is put on top of a stack: words (which token?) and labels (which class?).

    words     (x s) W_U + b
    masked    Norm(f(x W + c)) W_U + b         the guess at a hidden word; Devlin et al. 2019, task 1
    labels    f(x_1 W + c) V + d, the first token speaking for the text, or x V + d for every token

Where a model lacks a head, `no_head` stands in its place and its sites are absent.
"""

from collections.abc import Callable
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.config import Config
from core.feedforward import ACTIVATIONS
from core.norm import norm
from core.probe import Probe, silent

BEND: dict[str, Callable[[Tensor], Tensor]] = {"tanh": torch.tanh, "relu": F.relu}


class WordHead(nn.Module):
    """A vector to a number for each token of the vocabulary; tied, its weight is the embedding table itself."""

    def __init__(self, config: Config, table: nn.Embedding) -> None:
        super().__init__()
        self.weight = table.weight if config.tied else nn.Parameter(torch.empty_like(table.weight))  # vocab d_model
        self.bias = nn.Parameter(torch.zeros(config.vocab_size)) if config.head_bias else None
        self.scale = 1.0 / sqrt(config.d_model) if config.head_scale else 1.0
        if not config.tied:
            nn.init.normal_(self.weight, std=0.02)

    def forward(self, x: Tensor, probe: Probe = silent) -> Tensor:
        return probe("logits", F.linear(x * self.scale, self.weight, self.bias))  # batch position vocab


class MaskedWordHead(nn.Module):
    def __init__(self, config: Config, table: nn.Embedding) -> None:
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)
        self.activation = ACTIVATIONS[config.activation]
        self.norm = norm(config)
        self.words = WordHead(config, table)

    def forward(self, x: Tensor, probe: Probe = silent) -> Tensor:
        x = probe("head.dense", self.dense(x))  # batch position d_model
        x = probe("head.act", self.activation(x))
        x = probe("head.norm", self.norm(x))
        return self.words(x, probe)  # type: ignore[no-any-return]


class Pooler(nn.Module):
    """The vector of the first token, turned by a layer of its own."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)
        self.bend = BEND[config.pooler]

    def forward(self, x: Tensor, probe: Probe = silent) -> Tensor:
        return probe("pooler", self.bend(self.dense(x)))  # batch d_model


class TextLabels(nn.Module):
    """Classes of the whole text, read off its first token that is not padding."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.pooler = Pooler(config) if config.pooler != "none" else as_it_is
        self.labels = nn.Linear(config.d_model, config.labels)

    def forward(self, x: Tensor, positions: Tensor, probe: Probe = silent) -> Tensor:
        first = (positions == 0).sum(dim=-1) - 1  # padding before the first token stands at 0 too
        x = x.take_along_dim(first[:, None, None], dim=1).squeeze(1)  # batch d_model
        return probe("labels", self.labels(self.pooler(x, probe)))  # batch class


class TokenLabels(nn.Module):
    """Classes of each token."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.labels = nn.Linear(config.d_model, config.labels)

    def forward(self, x: Tensor, positions: Tensor, probe: Probe = silent) -> Tensor:
        return probe("labels", self.labels(x))  # batch position class


def as_it_is(x: Tensor, probe: Probe = silent) -> Tensor:
    """No pooler: the classifier reads the first token's vector."""
    return x


def no_head(*inputs: object) -> None:
    """For networks without this head."""


WORD_HEADS: dict[str, Callable[[Config, nn.Embedding], Callable[..., Tensor | None]]] = {
    "linear": WordHead,
    "masked": MaskedWordHead,
    "none": lambda config, table: no_head,
}
CLASSIFIERS: dict[str, Callable[[Config], Callable[..., Tensor | None]]] = {"first": TextLabels, "each": TokenLabels}
