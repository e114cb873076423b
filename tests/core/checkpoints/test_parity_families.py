"""The same numbers as `transformers` and `torch.nn`: encoders and encoder-decoders, tiny and random, a fresh seed each.

All within 1e-4. What is left is rounding: where T5's maps were 2e-5 apart in float32, both in float64 were 1e-13 apart.

Names with B and a number are public troubles of other tools.
"""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForPreTraining,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertModel,
    DistilBertConfig,
    DistilBertForMaskedLM,
    DistilBertForSequenceClassification,
    DistilBertForTokenClassification,
    DistilBertModel,
    T5Config,
    T5ForConditionalGeneration,
)

import core
from core.checkpoints.original import save
from core.config import Config
from core.errors import GlassformerError
from core.models import Seq2Seq
from tests.core import tiny
from tests.core.checkpoints.test_parity import equal, shuffle

N, M = 9, 7
BERT = {"vocab_size": 24, "hidden_size": 12, "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 20}
BERT |= {"max_position_embeddings": 40, "type_vocab_size": 3}
DISTIL = {"vocab_size": 24, "dim": 12, "n_layers": 3, "n_heads": 3, "hidden_dim": 20, "max_position_embeddings": 40}
T5 = {"vocab_size": 24, "d_model": 12, "d_kv": 5, "d_ff": 20, "num_layers": 3, "num_heads": 3}
T5 |= {"relative_attention_num_buckets": 8, "relative_attention_max_distance": 10}
LABELS = {"num_labels": 5}

ENCODERS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "bert": (BertConfig, BertForMaskedLM, BERT),
    "bert relu": (BertConfig, BertForMaskedLM, BERT | {"hidden_act": "relu", "type_vocab_size": 1}),
    "bert tanh gelu": (BertConfig, BertForMaskedLM, BERT | {"hidden_act": "gelu_new", "layer_norm_eps": 0.1}),
    "bert untied": (BertConfig, BertForMaskedLM, BERT | {"tie_word_embeddings": False}),
    "bert pretraining": (BertConfig, BertForPreTraining, BERT),
    "bert bare": (BertConfig, BertModel, BERT),
    "bert text": (BertConfig, BertForSequenceClassification, BERT | LABELS),
    "bert text of two": (BertConfig, BertForSequenceClassification, BERT),
    "bert tokens": (BertConfig, BertForTokenClassification, BERT | LABELS),
    "distilbert": (DistilBertConfig, DistilBertForMaskedLM, DISTIL),
    "distilbert sines": (DistilBertConfig, DistilBertForMaskedLM, DISTIL | {"sinusoidal_pos_embds": True}),
    "distilbert bare": (DistilBertConfig, DistilBertModel, DISTIL),
    "distilbert text": (DistilBertConfig, DistilBertForSequenceClassification, DISTIL | LABELS),
    "distilbert tokens": (DistilBertConfig, DistilBertForTokenClassification, DISTIL | LABELS | {"activation": "relu"}),
}


def saved(theirs: nn.Module, folder: Path) -> core.Model:
    """Their network, written by themselves and opened by us.

    T5's scores have no scale and its stream no bound; what would let rounding grow there is made smaller.
    """
    shuffle(theirs)
    with torch.no_grad():
        for name, weight in theirs.named_parameters():
            weight *= 0.4 if re.search(r"Attention\.q\.|\.wo\.", name) else 1.0
    theirs.save_pretrained(folder)
    tiny.words(24).tokenizer.save(str(folder / "tokenizer.json"))
    return core.load(folder)


@pytest.mark.parametrize("case", ENCODERS, ids=lambda name: name.replace(" ", "-"))
def test_encoders_equal_transformers(case: str, tmp_path: Path, seed: int) -> None:
    config_class, model_class, fields = ENCODERS[case]
    theirs = model_class(config_class(**fields, attn_implementation="eager")).eval()
    ours = saved(theirs, tmp_path)
    ids, inputs, given = torch.randint(24, (1, N)), {}, {}
    if ours.config.segments:
        inputs["token_type_ids"] = torch.randint(ours.config.segments, (1, N))
        given["segments"] = inputs["token_type_ids"][0].tolist()
    for mask in ([1] * N, [1] * 6 + [0] * 3):
        inputs["attention_mask"] = torch.tensor([mask])
        with torch.no_grad():
            right = theirs(ids, **inputs, output_attentions=True, output_hidden_states=True)
        run = ours.run(ids=ids[0].tolist(), mask=mask, **given)
        real = sum(mask)
        for i in range(3):
            equal(run[f"encoder.{i}.resid_pre"][:real], right.hidden_states[i][0, :real])
            equal(run[f"encoder.{i}.attn.pattern"][:, :real], right.attentions[i][0, :, :real])
        equal(run["encoder.final"][:real], right.hidden_states[-1][0, :real])
        if "labels" in run:
            rows = real if run["labels"].ndim == 2 else 5
            equal(run.labels[:rows], right.logits[0][:rows])
        if "logits" in run:
            name = "prediction_logits" if "pretraining" in case else "logits"
            equal(run.logits[:real], right[name][0, :real])
        assert ("logits" in run) == (ours.config.word_head == "masked")


PAIRS = {
    "1.0": T5,
    "1.0 more layers to write": T5 | {"num_decoder_layers": 4, "num_layers": 2},
    "1.0 a scale of its own": T5 | {"layer_norm_epsilon": 0.1, "feed_forward_proj": "gelu"},
    "1.1": T5 | {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    "1.1 silu": T5 | {"feed_forward_proj": "gated-silu", "tie_word_embeddings": False, "d_kv": 4},
}
END = 3


def t5(fields: dict[str, Any], own_head: bool) -> T5ForConditionalGeneration:
    ends = {"decoder_start_token_id": 0, "eos_token_id": END, "pad_token_id": 0, "attn_implementation": "eager"}
    theirs = T5ForConditionalGeneration(T5Config(**fields | ends)).eval()
    if own_head:
        theirs.lm_head.weight = nn.Parameter(torch.randn(24, fields["d_model"]))
    return theirs


@pytest.mark.parametrize("case", PAIRS, ids=lambda name: name.replace(" ", "-"))
def test_t5_equals_transformers(case: str, tmp_path: Path, seed: int) -> None:
    fields = PAIRS[case]
    theirs = t5(fields, own_head=case.startswith("1.1"))
    ours = saved(theirs, tmp_path)
    assert (ours.start, ours.stop) == (0, (END,))
    assert ours.config.head_scale == ours.config.tied == case.startswith("1.0")
    source = torch.randint(4, 24, (1, N))
    target = torch.cat([torch.zeros(1, 1, dtype=torch.long), torch.randint(4, 24, (1, M - 1))], 1)
    for mask in ([1] * N, [1] * 6 + [0] * 3):
        given = {"ids": source[0].tolist(), "mask": mask}
        with torch.no_grad():
            right = theirs(
                source,
                attention_mask=torch.tensor([mask]),
                decoder_input_ids=target,
                output_attentions=True,
                output_hidden_states=True,
            )
        run = ours.run(**given, target_ids=target[0].tolist())
        real = sum(mask)
        equal(run.logits, right.logits[0])
        equal(run["encoder.final"][:real], right.encoder_last_hidden_state[0, :real])
        for i in range(ours.config.layers("encoder")):
            equal(run[f"encoder.{i}.resid_pre"][:real], right.encoder_hidden_states[i][0, :real])
            equal(run[f"encoder.{i}.attn.pattern"][:, :real], right.encoder_attentions[i][0, :, :real])
        for i in range(ours.config.layers("decoder")):
            equal(run[f"decoder.{i}.resid_pre"], right.decoder_hidden_states[i][0])
            equal(run[f"decoder.{i}.attn.pattern"], right.decoder_attentions[i][0])
            equal(run[f"decoder.{i}.cross.pattern"], right.cross_attentions[i][0])
        equal(run["decoder.final"], right.decoder_hidden_states[-1][0])

        reading = ours.begin(**given)
        for n in range(1, M):
            equal(reading.logits, right.logits[0, n - 1])
            reading = reading.then(int(target[0, n]))
            for i in range(ours.config.layers("decoder")):
                here = right.decoder_attentions[i][0, :, n, : n + 1]
                equal(reading.run[f"decoder.{i}.attn.pattern"][:, 0], here)
                equal(reading.run[f"decoder.{i}.cross.pattern"][:, 0], right.cross_attentions[i][0, :, n])
        equal(reading.logits, right.logits[0, -1])


@pytest.mark.parametrize("case", ["1.0", "1.1"])
def test_t5_writes_what_transformers_writes(case: str, tmp_path: Path, seed: int) -> None:
    theirs = t5(PAIRS[case], own_head=case == "1.1")
    ours = saved(theirs, tmp_path)
    for _ in range(3):
        source = torch.randint(4, 24, (1, N))
        ids = source[0].tolist()
        plain = theirs.generate(source, do_sample=False, max_new_tokens=20)[0].tolist()
        steps = list(ours.generate(ids=ids, max_new_tokens=20, temperature=0))
        assert [0, *(step.token.id for step in steps)] == plain
        told = ours.run(ids=ids, target_ids=plain[:-1] if plain[-1] == END else plain)
        if plain[-1] == END:
            assert [t.id for t in ours.run(ids=ids).target_tokens] == plain[:-1]
            equal(ours.run(ids=ids).logits, told.logits, 0)
        for width, penalty in ((2, 1.0), (4, 1.0), (3, 0.0), (5, 2.0), (1, 1.0)):
            with torch.no_grad():
                right = theirs.generate(
                    source,
                    do_sample=False,
                    num_beams=width,
                    length_penalty=penalty,
                    max_new_tokens=12,
                    num_return_sequences=width,
                    return_dict_in_generate=True,
                    output_scores=True,
                )
            found = ours.beam(ids=ids, width=width, length_penalty=penalty, max_new_tokens=12)
            if width == 1:  # which they call greedy, and give no score
                assert [0, *(t.id for t in found.best.line)][: len(right.sequences[0])] == right.sequences[0].tolist()
                continue
            lines = [[0, *(t.id for t in one.line)] for one in found.finished]
            for one, line, row, score in zip(
                found.finished, lines, right.sequences, right.sequences_scores, strict=True
            ):
                assert one.score == pytest.approx(score.item(), abs=1e-4)
                assert row.tolist()[: len(line)] == line


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("placement", ["post", "pre"])
def test_the_original_equals_the_transformer_of_torch(placement: Any, scale: bool, tmp_path: Path, seed: int) -> None:
    """Encoder and decoder with the very same weights, written in our own layout and read back."""
    pre = placement == "pre"
    config = Config(
        kind="seq2seq",
        vocab_size=24,
        d_model=12,
        n_layers=3,
        n_decoder_layers=2,
        n_heads=3,
        n_kv_heads=3,
        d_head=4,
        d_ff=20,
        context=40,
        placement=placement,
        final_norm=pre,
        positions="sinusoidal",
        activation="relu",
        embed_scale=scale,
    )
    net = Seq2Seq(config)
    layers: dict[str, Any] = {"d_model": 12, "nhead": 3, "dim_feedforward": 20, "batch_first": True, "norm_first": pre}
    last = [nn.LayerNorm(12) if pre else None for _ in range(2)]
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**layers), 3, last[0], enable_nested_tensor=False)
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**layers), 2, last[1])
    theirs = nn.ModuleList([encoder, decoder]).eval()
    shuffle(theirs)
    with torch.no_grad():
        table = net.encoder.embed.token.weight.copy_(torch.randn(24, 12))
        for mine, other in zip((net.encoder, net.decoder), theirs, strict=True):
            for block, layer in zip(mine.blocks, other.layers, strict=True):
                copy(block, layer)
            if pre:
                renorm(mine.final_norm, other.norm)
    save(tmp_path, net, tiny.words(24).tokenizer, eos_token_id=3, decoder_start_token_id=2)
    ours = core.load(tmp_path)
    assert (ours.config, ours.family, ours.start, ours.stop) == (config, "glassformer", 2, (3,))

    source, target = torch.randint(24, (1, N)), torch.randint(24, (1, M))
    for mask in ([1] * N, [1] * 6 + [0] * 3):
        run = ours.run(ids=source[0].tolist(), mask=mask, target_ids=target[0].tolist())
        hidden = torch.tensor([mask]) == 0
        with torch.no_grad():
            x, y = embed(table, source, scale), embed(table, target, scale)
            equal(run["encoder.embed.out"], x[0], 1e-5)
            equal(run["decoder.embed.out"], y[0], 1e-5)
            real = sum(mask)
            for i, layer in enumerate(encoder.layers):
                x = layer(x, src_key_padding_mask=hidden)
                equal(run[f"encoder.{i}.resid_post"][:real], x[0, :real])
            x = x if last[0] is None else last[0](x)
            future = nn.Transformer.generate_square_subsequent_mask(M)
            for i, layer in enumerate(decoder.layers):
                seen: dict[str, Tensor] = {}
                watch(layer.multihead_attn, seen)
                y = layer(y, x, tgt_mask=future, memory_key_padding_mask=hidden)
                equal(run[f"decoder.{i}.resid_post"], y[0])
                equal(run[f"decoder.{i}.cross.out"], seen["out"])
            y = y if last[1] is None else last[1](y)
        equal(run["decoder.final"], y[0])
        equal(run.logits, (y @ table.T)[0])
        reading = ours.begin(ids=source[0].tolist(), mask=mask, target_ids=[int(target[0, 0])])
        for n in range(1, M):
            equal(reading.logits, run.logits[n - 1])
            reading = reading.then(int(target[0, n]))


def embed(table: Tensor, ids: Tensor, scale: bool) -> Tensor:
    place = [
        [(math.cos if i % 2 else math.sin)(pos / 10000 ** ((i - i % 2) / 12)) for i in range(12)]
        for pos in range(ids.shape[1])
    ]
    return table[ids] * (math.sqrt(12) if scale else 1) + torch.tensor(place)


def renorm(mine: Any, other: Any) -> None:
    mine.gain.copy_(other.weight)
    mine.bias.copy_(other.bias)


def copy(mine: Any, other: Any) -> None:
    """A layer of torch, put into a block of ours."""
    mine.attn.qkv.weight.copy_(other.self_attn.in_proj_weight)
    mine.attn.qkv.bias.copy_(other.self_attn.in_proj_bias)
    mine.attn.out.load_state_dict(other.self_attn.out_proj.state_dict())
    mine.ffn.up.load_state_dict(other.linear1.state_dict())
    mine.ffn.down.load_state_dict(other.linear2.state_dict())
    renorm(mine.norm1, other.norm1)
    if hasattr(mine, "cross"):
        for kind in ("weight", "bias"):
            whole = getattr(other.multihead_attn, f"in_proj_{kind}")
            getattr(mine.cross.query, kind).copy_(whole[:12])
            getattr(mine.cross.key_value, kind).copy_(whole[12:])
        mine.cross.out.load_state_dict(other.multihead_attn.out_proj.state_dict())
        renorm(mine.norm_cross, other.norm2)
        renorm(mine.norm2, other.norm3)
    else:
        renorm(mine.norm2, other.norm2)


def watch(module: nn.Module, seen: dict[str, Tensor]) -> None:
    module.register_forward_hook(lambda module, inputs, output: seen.update(out=output[0][0]))


# ---- folders whose numbers the page of public troubles gives


def probability(run: core.Run) -> tuple[int, float]:
    """The winner after the last position, and its probability."""
    bars = core.sampling.distribution(run.logits[-1]).probs
    return int(bars.argmax()), bars.max().item()


def spelt(fixtures: Path, tmp_path: Path, change: Any, **settings: Any) -> core.Model:
    """The bert folder with other names for its tensors."""
    tensors = load_file(fixtures / "bert" / "model.safetensors")
    config = json.loads((fixtures / "bert" / "config.json").read_text()) | settings
    return core.load(tiny.folder(tmp_path, config, change(tensors)))


def test_b15_b40_b41_b42_reference_folders(fixtures: Path) -> None:
    for name, inputs in (("bert", {"segments": tiny.SEGMENTS}), ("distilbert", {})):
        right, model = load_file(fixtures / f"{name}.ref.safetensors"), core.load(fixtures / name)
        for run in (model.run("t5 t9 t2 t9 t7 t1", **inputs), model.run(ids=tiny.IDS, **inputs)):
            equal(run.logits, right["logits"][0])
            for i in range(2):
                equal(run[f"encoder.{i}.attn.pattern"], right[f"attentions.{i}"][0], 1e-5)


def test_b15_segments_are_read(fixtures: Path) -> None:
    model = core.load(fixtures / "bert")
    run, without = model.run(ids=tiny.IDS, segments=tiny.SEGMENTS), model.run(ids=tiny.IDS)
    assert probability(run) == (15, pytest.approx(0.330653, abs=1e-5))
    assert (run.logits - without.logits).abs().max().item() == pytest.approx(2.75, abs=0.01)
    assert int((run.logits.argmax(-1) != without.logits.argmax(-1)).sum()) == 3
    assert run.segments == tiny.SEGMENTS
    assert without.segments == (0,) * 6


def test_b19_each_picture_has_the_size_of_its_own_text(fixtures: Path) -> None:
    model = core.load(fixtures / "bert")
    short = model.run(ids=[5, 9, 2])
    padded = model.run(ids=[5, 9, 2, 0, 0, 0], mask=[1, 1, 1, 0, 0, 0])
    assert short["encoder.0.attn.pattern"].shape == (2, 3, 3)
    assert padded["encoder.0.attn.pattern"].shape == (2, 6, 6)
    assert [t.padding for t in padded.tokens] == [False] * 3 + [True] * 3
    equal(padded.logits[:3], short.logits)


def test_b40_old_names_of_norms_and_all_that_hub_files_carry(fixtures: Path, tmp_path: Path) -> None:
    def old(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        renamed = {
            re.sub(r"LayerNorm\.weight$", "LayerNorm.gamma", re.sub(r"LayerNorm\.bias$", "LayerNorm.beta", name)): x
            for name, x in tensors.items()
        }
        assert sum(name.endswith("gamma") for name in renamed) == 6
        table = tensors["bert.embeddings.word_embeddings.weight"]
        renamed |= {"cls.predictions.decoder.weight": table.clone(), "cls.predictions.decoder.bias": torch.zeros(24)}
        renamed |= {"cls.seq_relationship.weight": torch.zeros(2, 16), "cls.seq_relationship.bias": torch.zeros(2)}
        renamed |= {"bert.pooler.dense.weight": torch.zeros(16, 16), "bert.pooler.dense.bias": torch.zeros(16)}
        return renamed | {"bert.embeddings.position_ids": torch.arange(16)[None]}

    run = spelt(fixtures, tmp_path / "a", old).run(ids=tiny.IDS, segments=tiny.SEGMENTS)
    assert probability(run) == (15, pytest.approx(0.330653, abs=1e-5))
    assert "pooler" not in run

    def elsewhere(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        return tensors | {"bert.encoder.layer.0.output.dense.gamma": torch.zeros(16)}

    with pytest.raises(GlassformerError, match=r"hold bert\.encoder\.layer\.0\.output\.dense\.gamma"):
        spelt(fixtures, tmp_path / "b", elsewhere)


def test_b41_the_bias_of_the_masked_word_head_is_its_own(fixtures: Path, tmp_path: Path) -> None:
    right = core.load(fixtures / "bert").run(ids=tiny.IDS, segments=tiny.SEGMENTS).logits
    flat = lambda tensors: tensors | {"cls.predictions.bias": torch.zeros(24)}  # noqa: E731
    other = spelt(fixtures, tmp_path, flat).run(ids=tiny.IDS, segments=tiny.SEGMENTS).logits
    assert (right - other).abs().max().item() == pytest.approx(0.447, abs=1e-3)
    assert int((right.argmax(-1) != other.argmax(-1)).sum()) == 3


def test_b41_a_bare_bert_shows_its_maps_and_says_that_it_has_no_words(fixtures: Path, tmp_path: Path) -> None:
    def bare(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        return {name.removeprefix("bert."): x for name, x in tensors.items() if not name.startswith("cls.")}

    model = spelt(fixtures, tmp_path, bare, architectures=["BertModel"])
    run = model.run(ids=tiny.IDS, segments=tiny.SEGMENTS)
    right = load_file(fixtures / "bert.ref.safetensors")
    equal(run["encoder.1.attn.pattern"], right["attentions.1"][0], 1e-5)
    assert "logits" not in run
    with pytest.raises(
        GlassformerError, match=r"^This model has no word head and predicts no words, so its run has no 'logits'\.$"
    ):
        _ = run.logits


def test_b42_distilbert_says_its_sizes(fixtures: Path) -> None:
    model = core.load(fixtures / "distilbert")
    assert (model.config.d_model, model.config.d_ff, model.config.segments) == (16, 32, 0)
    run = model.run(ids=tiny.IDS)
    assert probability(run) == (20, pytest.approx(0.363776, abs=1e-5))
    assert "encoder.embed.segment" not in run
    with pytest.raises(GlassformerError, match=r"^distilbert is an encoder: .* has no segments\.$"):
        model.run(ids=tiny.IDS, segments=tiny.SEGMENTS)


def test_b23_b43_b44_b46_the_t5_folder(fixtures: Path) -> None:
    right, model = load_file(fixtures / "t5_v10.ref.safetensors"), core.load(fixtures / "t5_v10")
    run = model.run(ids=tiny.IDS, target_ids=tiny.TARGET)
    equal(run.logits, right["logits"][0])
    for i in range(2):
        equal(run[f"encoder.{i}.attn.pattern"], right[f"encoder_attentions.{i}"][0], 1e-5)
        equal(run[f"decoder.{i}.attn.pattern"], right[f"decoder_attentions.{i}"][0], 1e-5)
        equal(run[f"decoder.{i}.cross.pattern"], right[f"cross_attentions.{i}"][0], 1e-5)
        assert run[f"decoder.{i}.attn.pattern"].triu(1).max() == 0
    assert probability(run) == (0, pytest.approx(0.080232, abs=1e-5))
    table = model.network.encoder.embed.token.weight.detach()
    equal(run.logits, run["decoder.final"] @ table.T * 0.25, 1e-6)
    assert torch.equal(run["encoder.1.attn.scaled"], run["encoder.1.attn.scores"] + run["encoder.1.attn.bias"])


def test_b46_b58_t5_token_by_token_and_all_at_once(fixtures: Path) -> None:
    model = core.load(fixtures / "t5_v10")
    for step in model.generate(ids=tiny.IDS, max_new_tokens=12, temperature=2.0, seed=1, stop=()):
        whole = model.run(ids=tiny.IDS, target_ids=[t.id for t in step.run.target_tokens])
        equal(step.distribution.logits, whole.logits[-1], 1e-5)
        for i in range(2):
            row = whole[f"decoder.{i}.attn.pattern"][:, -1]
            equal(step.run[f"decoder.{i}.attn.pattern"][:, -1], row, 1e-5)


def test_b75_t5_has_no_table_that_bounds_a_text(fixtures: Path) -> None:
    model = core.load(fixtures / "t5_v10")
    assert model.run(ids=[5] * 40, target_ids=[0] * 50).logits.shape == (50, 24)
    bert = core.load(fixtures / "bert")
    assert bert.run(ids=[1] * 16).logits.shape == (16, 24)
    with pytest.raises(GlassformerError, match=r"^The text has 17 tokens, and this model reads at most 16"):
        bert.run(ids=[1] * 17)
