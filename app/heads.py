"""What an encoder's heads say of a text that `runs` has read: the hidden word, and the class. On the CPU, no caches."""

import numpy as np
import torch
from numpy.typing import NDArray

from app.look import Look
from core import GlassformerError
from core.models import Encoder
from core.models.heads import TextLabels, TokenLabels
from core.sampling import Distribution, distribution
from core.text import Vocabulary

HIDDEN = ("[MASK]", "<mask>")  # how vocabularies spell a hidden word


def blank(vocabulary: Vocabulary) -> str | None:
    """How a hidden word is spelt so that it is one token; None where the vocabulary has no such token."""
    for spelt in HIDDEN:
        try:
            if [token.raw for token in vocabulary.plain(spelt)] == [spelt]:
                return spelt
        except GlassformerError:  # a token without a row in the embedding table
            continue
    return None


def guess(look: Look, position: int) -> Distribution:
    """The word head's distribution over the vocabulary at a position."""
    return distribution(look.run.logits[position])


def classes(look: Look) -> NDArray[np.float64]:
    """The probability of each class: [class], or [position, class] where every token has one."""
    labels = look.run.labels
    rows = [distribution(row).probs for row in (labels[None] if labels.ndim == 1 else labels)]
    found: NDArray[np.float64] = torch.stack(rows).numpy()
    return found[0] if labels.ndim == 1 else found


def votes(look: Look) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The classifier's last layer: weights [class, number] and bias [class]."""
    classifier = _encoder(look).classifier
    assert isinstance(classifier, TextLabels | TokenLabels)
    layer = classifier.labels
    return layer.weight.detach().float().cpu().numpy(), layer.bias.detach().float().cpu().numpy()


@torch.no_grad()
def early(look: Look) -> NDArray[np.float64]:
    """The classes' probabilities if the text's classifier read each layer instead of the last, [layer, class].

    It was trained on the last layer only, so what it says of another is a comparison, not something that the model
    uses. The last row is what the model says.
    """
    network = _encoder(look)
    positions = torch.arange(len(look.tokens), device=look.model.device)[None]
    rows = []
    for i in range(look.model.config.layers("encoder")):
        x = network.encoder.final_norm(look.run[f"encoder.{i}.resid_post"][None])
        said = network.classifier(x, positions)
        assert said is not None
        rows.append(distribution(said[0]).probs)
    found: NDArray[np.float64] = torch.stack(rows).numpy()
    return found


def _encoder(look: Look) -> Encoder:
    network = look.model.network
    assert isinstance(network, Encoder)
    return network
