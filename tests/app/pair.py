"""A tiny encoder-decoder of the visitor's own, as a folder: it has learnt three sentences by heart, and ends them."""

from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors
from torch.nn.functional import cross_entropy

from core.checkpoints.original import save
from core.config import Config
from core.models import Seq2Seq

SPECIAL = ["<pad>", "<s>", "</s>", "<unk>", "<zh>"]
KNOWN = {
    "the red car is old .": "la voiture rouge est vieille .",
    "the car is not red": "la voiture n'est pas rouge",
    "<zh> the red car": "红 车",
}
WORDS = [*SPECIAL, *dict.fromkeys(" ".join([*KNOWN, *KNOWN.values(), "<b>$x$</b>"]).replace("<zh>", "").split())]


def folder(path: Path) -> Path:
    """Write it to `path`: three encoder layers and two decoder layers, so that a mixed-up stack shows."""
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    tokenizer.add_special_tokens([AddedToken(word, special=True) for word in SPECIAL])
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    config = Config(
        vocab_size=len(WORDS),
        d_model=24,
        n_layers=3,
        n_decoder_layers=2,
        n_heads=4,
        n_kv_heads=4,
        d_head=6,
        d_ff=32,
        context=40,
        kind="seq2seq",
        placement="post",
        final_norm=False,
        positions="sinusoidal",
        activation="relu",
        embed_scale=True,
    )
    network = Seq2Seq(config)
    _learn(network, tokenizer)
    save(path, network.eval(), tokenizer, eos_token_id=2, decoder_start_token_id=1, pad_token_id=0)
    return path


def _learn(network: Seq2Seq, tokenizer: Tokenizer) -> None:
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(1 + 0.1 * noise if name.endswith("gain") else 0.2 * noise)
    adam = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(60):
        for source, target in KNOWN.items():
            ids = torch.tensor([tokenizer.encode(source).ids])
            written = torch.tensor([[1, *tokenizer.encode(target).ids]])  # ends with the token that ends a text
            adam.zero_grad()
            cross_entropy(network(ids, written[:, :-1])[0], written[0, 1:]).backward()
            adam.step()
