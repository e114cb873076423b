"""Norms bring a vector to a common size before the next part reads it.

    LayerNorm(x) = (x - mean(x)) / sqrt(var(x) + eps) * gain + bias      Ba et al. 2016, eq. 3 and 4
    RMSNorm(x)   =  x / sqrt(mean(x^2) + eps) * gain                     Zhang and Sennrich 2019, eq. 4

Mean and variance (the biased one, divided by d_model) are taken over the d_model numbers of one position.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.config import Config


class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float) -> None:
        super().__init__()
        self.shape, self.eps = (d_model,), eps
        self.gain = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.shape, self.gain, self.bias, self.eps)


class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float) -> None:
        super().__init__()
        self.shape, self.eps = (d_model,), eps
        self.gain = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.shape, self.gain, self.eps)


NORMS: dict[str, type[nn.Module]] = {"layernorm": LayerNorm, "rmsnorm": RMSNorm}


def norm(config: Config) -> nn.Module:
    """A fresh norm of the kind that `config` names."""
    return NORMS[config.norm](config.d_model, config.norm_eps)
