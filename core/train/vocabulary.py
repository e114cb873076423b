"""The vocabulary: byte-level BPE, as GPT-2 has it, learned from the texts themselves.

Text is cut into words that carry their leading space, words into UTF-8 bytes, and the pair of pieces seen most often
is merged, again and again. All 256 bytes are in the alphabet, so Chinese and emoji run too, byte by byte.
Reference: Sennrich et al. 2016, https://arxiv.org/abs/1508.07909; Radford et al. 2019 for the bytes.
"""

from collections.abc import Iterable, Sequence

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

END, END_ID = "<|endoftext|>", 0
SIZE = 2048


def train(texts: Iterable[str], special: Sequence[str] = (END,)) -> Tokenizer:
    """Learns `SIZE` tokens, the special ones first; like GPT-2's, the tokenizer adds nothing to a text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
