"""The recipe of `assets/models/storyteller`: a GPT-2 of about a million parameters, on two CPU cores, within the hour.

Muon for the matrices inside the blocks, AdamW for the rest (Jordan 2024, https://kellerjordan.github.io/posts/muon/).
In trials the held-out loss after two million tokens was 1.69 with AdamW alone and 0.81 with Muon, which had a
coreference head by then.
A short warm-up, then a cosine down to almost nothing; how far along a run is, the clock tells, so that a busy machine
gets a shorter run and not an unfinished one. The stories never run out and never come back: each stretch of steps
draws fresh ones from its own seed.

For a while, once the stories are known a little, the windows are short and most of them noise (`DRILL`). Left to the
usual mix the induction head did not come within seven million tokens; drilled, it came within one.
"""

import time
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import cos, log10, pi
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
from core.train.folder import publish
from core.train.stories import stories
from core.train.windows import CONTEXT, DRILL, UNCOUNTED, USUAL, batches

STRETCH = 200  # steps from one checkpoint to the next, and per seed of stories
PEAKS = {"matrices": 0.02, "positions": 0.001, "others": 0.003}  # learning rates at the end of the warm-up
WAVES, HEIGHT, LENGTHS = 40, 0.15, (2.2, 628.0)  # the position table's first sinusoids; lengths in tokens a wave
WARM_UP = 0.02  # of the whole run
DRILLED = (0.2, 0.32)  # between these shares of the run the windows are short and most of them noise
SEED = 1
TOKENS = 2560  # a step, in either mix
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


def schedule(passed: float) -> float:
    """The share of the peak learning rate after `passed`, a share of the whole run."""
    if passed < WARM_UP:
        return passed / WARM_UP
    return 0.02 + 0.98 * 0.5 * (1 + cos(pi * min(1.0, passed)))


@dataclass
class Progress:
    """A run that can be put down and taken up again: everything that the next step depends on."""

    network: Decoder
    optimizers: dict[str, torch.optim.Optimizer]
    stretches: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.stretches * STRETCH * TOKENS

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        moments = {name: optimizer.state_dict() for name, optimizer in self.optimizers.items()}
        torch.save([self.network.state_dict(), moments, self.stretches, self.seconds], path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)  # a run killed before this line keeps the old one

    def load(self, path: Path) -> None:
        weights, moments, self.stretches, self.seconds = torch.load(path)
        self.network.load_state_dict(weights)
        for name, optimizer in self.optimizers.items():
            optimizer.load_state_dict(moments[name])


def begin(vocab_size: int) -> Progress:
    network = fresh(config(vocab_size))
    matrices = [w for w in network.decoder.blocks.parameters() if w.dim() == 2]
    positions = [network.get_parameter("decoder.embed.add_positions.table")]
    taken = {id(w) for w in matrices + positions}
    others = [w for w in network.parameters() if id(w) not in taken]
    adamw = partial(torch.optim.AdamW, betas=(0.9, 0.98), weight_decay=0.01)
    optimizers = {
        "matrices": torch.optim.Muon(matrices, weight_decay=0.01),
        "positions": adamw(positions),
        "others": adamw(others),
    }
    return Progress(network, optimizers)


def train(progress: Progress, tokenizer: Tokenizer, minutes: float, checkpoint: Path) -> None:
    """Trains until the clock, counted over all sittings of the run, says that the minutes are over."""
    while progress.seconds < 60 * minutes:
        start, loss = time.monotonic(), torch.zeros(())
        drilled = DRILLED[0] <= progress.seconds / (60 * minutes) < DRILLED[1]
        mix = DRILL if drilled else USUAL
        for inputs, targets in batches(tokenizer, SEED + progress.stretches, STRETCH, mix):
            share = schedule((progress.seconds + time.monotonic() - start) / (60 * minutes))
            loss = step(progress, inputs, targets, share)
        progress.stretches += 1
        progress.seconds += time.monotonic() - start
        progress.save(checkpoint)
        print(f"{progress.seconds:6.0f} s  {progress.tokens / 1e6:6.1f} M tokens  loss {loss:.4f}", flush=True)


def step(progress: Progress, inputs: Tensor, targets: Tensor, share: float) -> Tensor:
    """One step at a share of the peak learning rates; returns the loss in nats per counted token."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = progress.network(inputs)
    loss = F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=UNCOUNTED)
    progress.network.zero_grad()
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(progress.network.parameters(), 1.0)
    for name, optimizer in progress.optimizers.items():
        for group in optimizer.param_groups:
            group["lr"] = share * PEAKS[name]
        optimizer.step()
    return loss.detach()


def make(folder: Path, minutes: float, scratch: Path, *, resume: bool, note: str = "") -> dict[str, Any]:
    """Trains, writes the model folder with its card, and returns the card. A killed run can be resumed."""
    tokenizer = vocabulary.train(story.text for story in islice(stories(VOCABULARY_SEED), VOCABULARY_STORIES))
    progress, checkpoint = begin(tokenizer.get_vocab_size()), scratch / "storyteller.pt"
    if resume and checkpoint.is_file():
        progress.load(checkpoint)
    train(progress, tokenizer, minutes, checkpoint)
    network = Decoder(progress.network.config)  # the plain attention, whose patterns can be read
    network.load_state_dict(progress.network.state_dict())
    parameters = sum(weight.numel() for weight in network.parameters())
    training = Training(progress.seconds / 60, progress.tokens, parameters, torch.get_num_threads(), note)
    return publish(folder, network, tokenizer, training)
