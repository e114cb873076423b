"""The view Encoder in a real Chromium: the mixture that the browser computes is core's, also under the finger."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import core
from tests.browser.test_walk import settled

pytestmark = pytest.mark.skipif("reader" not in core.models(), reason="no encoder among the built-in models")
TEXT = "t5 t9 t2 t9"
FIND = """() => { const deep = root => { for (const e of root.querySelectorAll('*')) {
    if (e.__glassformer?.now?.sum) return e.__glassformer;
    const hit = e.shadowRoot && deep(e.shadowRoot); if (hit) return hit; } return null; };
  const g = deep(document); return g && {row: Array.from(g.now.row), sum: Array.from(g.now.sum)}; }"""


def address(topic: str, **query: str) -> str:
    given = {"topic": topic, "model": "reader", "text": TEXT, **query}
    return "/encoder?" + "&".join(f"{name}={value.replace(' ', '+')}" for name, value in given.items())


def test_the_mixture_is_core_s_from_the_identity_to_the_real_weights(server: str, page: Page) -> None:
    page.goto(server + address("mixture", layer="1", head="1", token="2", amount="0.3"))
    amount = page.get_by_role("slider", name="Attention")
    expect(amount).to_have_value("0.3")
    run = core.load("reader").run(TEXT)
    pattern, values = (run[f"encoder.1.attn.{name}"][1].double().numpy() for name in ("pattern", "v"))
    itself = np.eye(len(values))[2]
    for share, key in ((0.3, None), (0.31, "ArrowRight"), (0.0, "Home"), (1.0, "End")):
        if key:
            amount.press(key)
        found = page.evaluate(FIND)
        row = (1 - share) * itself + share * pattern[2]
        np.testing.assert_allclose(found["row"], row, atol=1e-6)
        np.testing.assert_allclose(found["sum"], row @ values, atol=1e-5)  # z itself is a float32 sum
    settled(page, layer="1", head="1", token="2", amount="")
    expect(page.get_by_role("img", name="Layer 1, head 1, attention 1.00").first).to_be_visible()


def test_a_click_on_a_word_mixes_that_word(server: str, page: Page) -> None:
    page.goto(server + address("mixture", layer="0", head="0", token="2"))
    words = page.locator(".gf-mix-row")
    expect(words.nth(2)).to_have_attribute("aria-pressed", "true")
    words.nth(0).click()
    settled(page, token="0")
    run = core.load("reader").run(TEXT)
    expect(words.nth(0).locator("span span")).to_have_text(f"{run['encoder.0.attn.pattern'][0, 0, 0]:.4f}")


def test_a_topic_a_layer_and_a_sentence_stay_in_the_address(server: str, page: Page) -> None:
    page.goto(server + address("maps"))
    page.get_by_role("radio", name="One word, two meanings").click()
    settled(page, topic="meanings")
    page.get_by_role("textbox", name="More sentences, one per line").fill("t1 t9\nt9 t3")
    page.get_by_role("textbox", name="More sentences, one per line").press("Control+Enter")
    settled(page, topic="meanings", text2="t1 t9\nt9 t3")
    page.get_by_role("slider", name="Layer").press("Home")
    settled(page, depth="0")
    expect(page.get_by_role("table", name="Cosine of")).to_be_visible()
