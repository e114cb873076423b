"""The recipe of `assets/models/storyteller`: a GPT-2 of about a million parameters, on two CPU cores, within the hour.

For a while, once the stories are known a little, the windows are short and most of them noise (`DRILL`). Left to the
usual mix the induction head did not come within seven million tokens; drilled, it came within one.
"""

from collections.abc import Iterator
from itertools import islice
from math import log10, pi
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F

from core.attention import attend_fused
from core.config import Config
from core.models import Decoder
from core.train import vocabulary
from core.train.card import Training
from core.train.course import SEED, Course, spent, trained
from core.train.folder import publish
from core.train.stories import stories
from core.train.windows import CONTEXT, DRILL, UNCOUNTED, USUAL, batches

Batch = tuple[Tensor, Tensor]  # inputs, targets
STRETCH = 200  # steps from one checkpoint to the next, and per seed of stories
WAVES, HEIGHT, LENGTHS = 40, 0.15, (2.2, 628.0)  # the position table's first sinusoids; lengths in tokens a wave
DRILLED = (0.2, 0.32)  # between these shares of the run the windows are short and most of them noise
VOCABULARY_SEED, VOCABULARY_STORIES = 0, 60_000


def config(vocab_size: int, n_heads: int = 4) -> Config:
    width, layers = 128, 4
    return Config(
        vocab_size=vocab_size, d_model=width, n_layers=layers, n_heads=n_heads, n_kv_heads=n_heads,
        d_head=width // n_heads, d_ff=4 * width, context=CONTEXT,
    )  # fmt: skip


def fresh(config: Config) -> Decoder:
    """A network with GPT-2's first weights: N(0, 0.02), what writes to the stream scaled by 1 / sqrt(writes).

    The position table, learned like everything else, begins with sinusoids in most of its columns: "one before this"
    is then the same turn everywhere, and the previous-token head need not be found 256 times.
    """
    torch.manual_seed(SEED)
    network = Decoder(config, attend=attend_fused)
    writes = 2 * config.n_layers
    for name, weight in network.named_parameters():
        if weight.dim() > 1:
            scale = writes**-0.5 if name.endswith(("attn.out.weight", "ffn.down.weight")) else 1.0
            nn.init.normal_(weight, std=0.02 * scale)
        elif name.endswith("bias"):
            nn.init.zeros_(weight)
    with torch.no_grad():
        network.get_parameter("decoder.embed.add_positions.table")[:, : 2 * WAVES] = waves()
    return network


def waves() -> Tensor:
    """WAVES sines, as many cosines, over the context; the shortest alternate almost by token: [position, 2 * WAVES]."""
    lengths = torch.logspace(log10(LENGTHS[0]), log10(LENGTHS[1]), WAVES)
    angles = torch.arange(CONTEXT)[:, None] * 2 * pi / lengths
    return HEIGHT * torch.cat([angles.sin(), angles.cos()], dim=1)


def loss(network: nn.Module, batch: Batch) -> Tensor:
    """Nats per counted token."""
    inputs, targets = batch
    logits = network(inputs)
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=UNCOUNTED)


def course(tokenizer: Tokenizer) -> Course[Batch]:
    def drawn(seed: int, passed: float) -> Iterator[Batch]:
        return batches(tokenizer, seed, STRETCH, DRILL if DRILLED[0] <= passed < DRILLED[1] else USUAL)

    return Course(drawn, loss, lambda batch: batch[0].numel(), half=True)


def make(folder: Path, minutes: float, scratch: Path, *, resume: bool, note: str = "") -> dict[str, Any]:
    """Trains, writes the model folder with its card, and returns the card. A killed run can be resumed."""
    tokenizer = vocabulary.train(story.text for story in islice(stories(VOCABULARY_SEED), VOCABULARY_STORIES))
    network = fresh(config(tokenizer.get_vocab_size()))
    progress = trained(network, course(tokenizer), minutes, scratch / "storyteller.pt", resume=resume)
    shown = Decoder(network.config)  # the plain attention, whose patterns can be read
    shown.load_state_dict(network.state_dict())
    return publish(folder, shown, tokenizer, Training(**spent(progress), note=note))
