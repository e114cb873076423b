"""The networks, one file for each kind: embed, blocks, head, readable from top to bottom."""

from core.attention import Attend, attend
from core.config import Config
from core.models.decoder import Decoder
from core.models.encoder import Encoder
from core.models.seq2seq import Seq2Seq

Network = Decoder | Encoder | Seq2Seq
NETWORKS: dict[str, type[Decoder] | type[Encoder] | type[Seq2Seq]] = {
    "decoder": Decoder,
    "encoder": Encoder,
    "seq2seq": Seq2Seq,
}


def build(config: Config, attend: Attend = attend) -> Network:
    """A fresh network of the kind that `config` names."""
    return NETWORKS[config.kind](config, attend)


__all__ = ["Decoder", "Encoder", "Network", "Seq2Seq", "build"]
