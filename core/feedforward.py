"""The net of a block: each position by itself is widened, bent, and brought back.

    FFN(x) = f(x W1 + b1) W2 + b2                       Vaswani et al. 2017, eq. 2 (f = ReLU)
    GatedFFN(x) = (f(x W_gate) . (x W_up)) W_down       Shazeer 2020, SwiGLU where f = SiLU

Activations: relu; gelu = x Phi(x) and its tanh approximation (Hendrycks and Gimpel 2016); silu = x sigmoid(x).
At x = 1 the two GELUs are 0.841345 and 0.841192: near enough to be mixed up, far enough to matter.
"""

from collections.abc import Callable
from functools import partial

from torch import Tensor, nn
from torch.nn import functional as F

from core.config import Config
from core.probe import Probe, silent

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "silu": F.silu,
}


class FeedForward(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.up = nn.Linear(config.d_model, config.d_ff, bias=config.ffn_bias)
        self.down = nn.Linear(config.d_ff, config.d_model, bias=config.ffn_bias)
        self.activation = ACTIVATIONS[config.activation]

    def forward(self, x: Tensor, probe: Probe = silent) -> Tensor:
        pre = probe("pre", self.up(x))  # batch position d_ff
        act = probe("act", self.activation(pre))
        return probe("out", self.down(act))  # batch position d_model


class GatedFeedForward(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.gate = nn.Linear(config.d_model, config.d_ff, bias=config.ffn_bias)
        self.up = nn.Linear(config.d_model, config.d_ff, bias=config.ffn_bias)
        self.down = nn.Linear(config.d_ff, config.d_model, bias=config.ffn_bias)
        self.activation = ACTIVATIONS[config.activation]

    def forward(self, x: Tensor, probe: Probe = silent) -> Tensor:
        gate = probe("gate", self.gate(x))  # batch position d_ff
        pre = probe("pre", self.up(x))
        act = probe("act", self.activation(gate) * pre)
        return probe("out", self.down(act))  # batch position d_model


def feedforward(config: Config) -> nn.Module:
    """A fresh net of the kind that `config` names."""
    return GatedFeedForward(config) if config.gated else FeedForward(config)
