"""The view Encoder by AppTest: each topic on texts of every kind, its numbers core's, and models that lack a head."""

import gc
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import core
from app import heads, runs
from app.components.wire import unpack
from core.model import Model
from tests.app import reader

TOPICS = ("maps", "meanings", "mixture", "blank", "class")
TEXTS = {
    "one token": "light",
    "a sentence": "The bag is light",
    "repeated words": "the cat the cat the",
    "blank": "   ",
    "Chinese": "你好，世界",
    "emoji": "🙂 👨‍👩‍👧",
    "markup": "<b>$x$</b> *not* :smile: [l](u)",
    "a mask": "The [MASK] is [MASK]",
    "two hundred tokens": "The cat sat. " * 50,
}


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Model:
    """The model of this test, in a folder of a name of its own, since models are cached by name."""
    wanted = getattr(request, "param", "words and text")
    name = re.sub(r"\W+", "-", f"{wanted}-{tmp_path.name}")
    folder = reader.folder(tmp_path / name, wanted)
    monkeypatch.setenv("GLASSFORMER_MODEL", str(folder))
    return core.load(folder)


def visit(topic: str, **query: str) -> AppTest:
    at = AppTest.from_string("from app.views import encoder; encoder.show()", default_timeout=30)
    for name, value in ({"topic": topic} | query).items():
        at.query_params[name] = value
    return at.run()


def html(at: AppTest) -> str:
    return "".join(each.proto.body for each in at.get("html"))


def alerts(at: AppTest) -> list[str]:
    return [each.proto.body for each in at.get("html") if 'role="alert"' in each.proto.body]


def plain(body: str) -> str:
    """What a reader sees of HTML."""
    return unescape(re.sub(r"<[^>]+>", "", body))


def rows(at: AppTest, name: str) -> list[list[str]]:
    """The table of numbers that is opened by `name`."""
    found = re.search(rf"<summary>{name}</summary><div><table><tr>.*?</tr>(.*?)</table>", html(at), re.S)
    assert found, name
    return [[plain(cell) for cell in re.findall(r"<td>(.*?)</td>", row)] for row in found[1].split("</tr>")[:-1]]


def sent(at: AppTest, name: str) -> tuple[dict, dict]:
    found = [each for each in at.get("bidi_component") if name in each.proto.component_name]
    return unpack(found[0].proto.bytes)


@pytest.mark.usefixtures("given")
@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_topic_draws_any_text(topic: str, text: str) -> None:
    at = visit(topic, text=text)
    assert not at.exception
    assert at.text_input[0].value == text
    few = [sentence for sentence in alerts(at) if topic != "meanings"]
    assert len(few) == (topic != "meanings" and not text.strip())  # a blank is no word to a WordPiece model
    if topic == "meanings":
        assert not visit(topic, text=text, cloud="words").exception


@pytest.mark.parametrize("given", list(reader.HEADS), indirect=True)
@pytest.mark.parametrize("topic", TOPICS)
def test_a_model_that_lacks_a_head_says_so_in_one_sentence(given: Model, topic: str) -> None:
    at = visit(topic, text="The bag is light")
    assert not at.exception
    lacks = (topic == "blank" and given.config.word_head == "none") or (topic == "class" and not given.config.labels)
    said = [sentence for sentence in alerts(at) if given.name in sentence]
    assert bool(said) == lacks
    assert len(said) <= 1


def test_nothing_is_masked_and_the_caption_says_where_a_word_reads(given: Model) -> None:
    at = visit("maps", text="The bag is light", layer="1", head="1", token="3")
    run = given.run("The bag is light")
    pattern = run["encoder.1.attn.pattern"][1]
    header, arrays = sent(at, "attention")
    np.testing.assert_array_equal(arrays["maps"][1, 1], pattern.numpy())
    said = plain(html(at))
    assert "36 of 36 cells" in said
    read = (pattern[3, :3].sum(), pattern[3, 3], pattern[3, 4:].sum())
    for number in read:
        assert f"{number:.2f}" in said
    assert header["queries"] == header["keys"]


def test_a_word_has_one_embedding_and_a_cosine_for_each_pair_and_layer(given: Model) -> None:
    texts = ["The bag is light", "The light is on", "light light"]
    at = visit("meanings", text=texts[0], text2="\n".join(texts[1:]), token="4")
    assert not at.exception
    runs_ = [given.run(text) for text in texts]
    places = [(0, 4), (1, 2), (2, 1), (2, 2)]
    sites = ["encoder.embed.token", "encoder.embed.out", *(f"encoder.{i}.resid_post" for i in range(3))]
    found = rows(at, "All layers as a table")
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    for row, site in zip(found, sites, strict=True):
        vectors = torch.stack([runs_[i][site][j] for i, j in places]).double()
        for cell, (a, b) in zip(row[1:], pairs, strict=True):
            wanted = torch.cosine_similarity(vectors[a], vectors[b], dim=0)
            assert float(cell) == pytest.approx(wanted.item(), abs=6e-5)
    assert [cell for cell in found[0][1:]] == ["1.0000"] * 6
    names = re.findall(r'<th scope="row"><b class="glass-badge"[^>]*>\S+ (\w+)</b>', html(at))
    assert names == ["1", "2", "3a", "3b"]


def test_the_projection_draws_the_vectors_of_the_run(given: Model) -> None:
    at = visit("meanings", text="The bag is light", text2="The light is on", cloud="words", depth="3", token="4")
    chart = json.loads(at.get("plotly_chart")[0].proto.spec)
    assert [list(trace["customdata"]) for trace in chart["data"]] == [
        ["the", "bag", "is", "light"],
        ["the", "light", "is", "on"],
    ]
    drawn = np.array([[float(x) for x in row[2:]] for row in rows(at, "The points as a table")])
    both = [given.run(text)["encoder.1.resid_post"][1:-1] for text in ("The bag is light", "The light is on")]
    vectors = torch.cat(both).double()
    vectors -= vectors.mean(dim=0)
    variance = torch.linalg.eigvalsh(vectors.T @ vectors).flip(0)
    np.testing.assert_allclose((drawn**2).sum(axis=0), variance[:2], rtol=1e-3)
    shares = variance[:2] / variance.sum()
    assert f"{shares[0]:.0%} + {shares[1]:.0%}" in plain(html(at))


@pytest.mark.usefixtures("given")
def test_one_word_alone_is_no_plane_and_says_so() -> None:
    at = visit("meanings", text="light", text2="")
    assert len(alerts(at)) == 2
    assert not at.get("plotly_chart")


@pytest.mark.usefixtures("given")
def test_sentences_that_cannot_be_read_or_lack_the_word_are_left_out_with_a_sentence() -> None:
    at = visit("meanings", text="The bag is light", text2="cat " * 300 + "\n\nThe light is on\nThe cat sat", token="4")
    assert not at.exception
    (said,) = alerts(at)
    assert "at most 256" in said
    assert len(re.findall(r'<th scope="row">', html(at))) == 2


def test_the_mixture_is_sent_the_row_the_values_and_their_sum(given: Model) -> None:
    at = visit("mixture", text="The bag is light", layer="2", head="1", token="2", amount="0.25")
    header, arrays = sent(at, "mixture")
    run = given.run("The bag is light")
    for layer in range(3):
        np.testing.assert_array_equal(arrays["weights"][layer], run[f"encoder.{layer}.attn.pattern"][:, 2].numpy())
        np.testing.assert_array_equal(arrays["values"][layer], run[f"encoder.{layer}.attn.v"].numpy())
        np.testing.assert_array_equal(arrays["mixed"][layer], run[f"encoder.{layer}.attn.z"][:, 2].numpy())
    assert header["view"] == {"layer": 2, "head": 1, "token": 2, "amount": 0.25}
    summed = np.einsum("lhk,lhkd->lhd", arrays["weights"], arrays["values"])
    np.testing.assert_allclose(summed, arrays["mixed"], atol=1e-5)


def test_a_blank_shows_the_word_head_s_own_probabilities(given: Model) -> None:
    at = visit("blank", text="The [MASK] is [MASK]")
    run = given.run("The [MASK] is [MASK]")
    bodies = html(at).split("<section>")[1:]
    assert len(bodies) == 2
    for body, position in zip(bodies, (2, 4), strict=True):
        chances = run.logits[position].double().softmax(-1)
        best, ids = chances.topk(3)
        names = re.findall(r"<li[^>]*><bdi>(.*?)</bdi>", body)
        assert [unescape(name) for name in names[:3]] == [given.vocabulary.token(id).text for id in ids.tolist()]
        assert f"{best[0]:.6f}" in body
        assert f"{run.logits[position, ids[0]]:.4f}" in body


def test_hiding_a_word_and_filling_it_in(given: Model) -> None:
    at = visit("blank", text="The bag is light", token="2")
    next(button for button in at.button if button.label == "Hide this word").click().run()
    assert not at.exception
    assert at.query_params["text"] == "The [MASK] is light"
    next(button for button in at.button if button.label == "Fill in the likeliest").click().run()
    assert not at.exception
    best = int(given.run("The [MASK] is light").logits[2].argmax())
    assert at.query_params["text"] == f"The {given.vocabulary.token(best).raw.removeprefix('##')} is light"


def test_the_class_and_its_path_are_core_s_and_add_up(given: Model) -> None:
    text = "The bag is not light"
    at = visit("class", text=text)
    run = given.run(text)
    shares = run.labels.double().softmax(-1)
    numbers = rows(at, "All numbers as a table")
    first, pooled = run["encoder.final"][0], run["pooler"]
    for i, row in enumerate(numbers[:-1]):
        assert float(row[1]) == pytest.approx(first[i].item(), abs=6e-5)
        assert float(row[2]) == pytest.approx(pooled[i].item(), abs=6e-5)
    _, bias = heads.votes(runs.look(given.name, text))
    for i, total in zip(shares.argsort(descending=True).tolist(), numbers[-1][3:], strict=True):
        assert float(total) + bias[i] == pytest.approx(run.labels[i].item(), abs=2e-4)
    assert f"{shares.max():.1%}" in plain(html(at))
    assert "<b>class</b>" not in html(at)  # a class is called so, and its name is text


@pytest.mark.parametrize("given", ["words and text", "text, no pooler"], indirect=True)
def test_the_last_of_the_early_readings_is_what_the_model_says(given: Model) -> None:
    look = runs.look(given.name, "The bag is light")
    np.testing.assert_allclose(heads.early(look)[-1], heads.classes(look), atol=1e-6)
    np.testing.assert_allclose(heads.classes(look), look.run.labels.double().softmax(-1).numpy(), atol=1e-12)


@pytest.mark.parametrize("given", ["each token"], indirect=True)
def test_a_model_that_labels_tokens_shows_each_token_s_class(given: Model) -> None:
    at = visit("class", text="The bag is light")
    shares = given.run("The bag is light").labels.double().softmax(-1)
    found = rows(at, "All probabilities as a table")
    assert [row[1] for row in found] == ["[CLS]", "the", "bag", "is", "light", "[SEP]"]
    np.testing.assert_allclose([[float(x) for x in row[2:]] for row in found], shares.numpy(), atol=6e-5)


@pytest.mark.usefixtures("given")
def test_what_an_address_asks_for_and_there_is_not_is_said_in_a_sentence() -> None:
    (said,) = alerts(visit("meanings", text="The bag is light", text2="The light is on", depth="9"))
    assert "no depth 9" in said
    (said,) = alerts(visit("mixture", text="The bag is light", token="40"))
    assert "no token 40" in said
    (said,) = alerts(visit("mixture", text="The bag is light", layer="40"))
    assert "no layer 40" in said


def test_a_vocabulary_without_a_hidden_word_says_so(fixtures: Path, tmp_path: Path, monkeypatch) -> None:
    folder = reader.folder(tmp_path / "unhidden", special=reader.SPECIAL[:4])  # [MASK] falls apart into pieces
    monkeypatch.setenv("GLASSFORMER_MODEL", str(folder))
    at = visit("blank", text="The bag is light")
    (said,) = alerts(at)
    assert "no token for a hidden word" in said


def test_a_decoder_has_no_such_view_and_is_told_so() -> None:
    at = visit("maps", model="storyteller", text="The cat")
    assert not at.exception
    assert any("another kind of model" in sentence for sentence in alerts(at))
