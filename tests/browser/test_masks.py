"""A finger on the mask, in a real Chromium: the pattern and the prediction follow, and the address keeps it."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import core
from app import mask as masks
from tests.browser.test_walk import query, settled

CAT = "The cat sat because it was tired"
ADDRESS = "/masks?model=storyteller&text=" + CAT.replace(" ", "+")


def held(page: Page, name: str, array: str) -> list[float]:
    """The numbers that a component draws from, out of its shadow root."""
    return page.evaluate(
        """([name, array]) => { const find = root => { for (const e of root.querySelectorAll('*')) {
            if (e.classList.contains(name) && e.__glassformer) return e.__glassformer;
            if (e.shadowRoot) { const found = find(e.shadowRoot); if (found) return found; } } };
            const mount = find(document); return Array.from(mount.link.payload.arrays[array].data); }""",
        [name, array],
    )


def cell(page: Page, query: str, key: str):
    return page.get_by_role("gridcell", name=f"“{query}” reads “{key}”")


def test_a_click_on_a_cell_changes_the_pattern_and_the_prediction(server: str, page: Page) -> None:
    page.goto(server + ADDRESS)
    box = cell(page, "␣tired", "␣cat")
    expect(box).to_have_attribute("aria-selected", "true")
    before = held(page, "gf-contrast", "shares")
    assert before[0::2] == before[1::2]
    box.click()
    expect(box).to_have_attribute("aria-selected", "false")
    rows = np.tri(7, dtype=bool)
    rows[6, 1] = False
    settled(page, mask=masks.drawn(rows))
    run = core.load("storyteller").run(CAT, mask=rows.tolist())
    page.wait_for_function(
        """() => { const find = root => { for (const e of root.querySelectorAll('*')) {
            if (e.classList.contains('gf-contrast') && e.__glassformer) return e.__glassformer;
            if (e.shadowRoot) { const found = find(e.shadowRoot); if (found) return found; } } };
            const data = find(document).link.payload.arrays.shares.data;
            return data.some((value, at) => at % 2 === 0 && value !== data[at + 1]); }"""
    )
    pattern = np.array(held(page, "gf-attention", "maps"), dtype=np.float32).reshape(4, 4, 7, 7)
    assert not pattern[:, :, 6, 1].any()
    np.testing.assert_allclose(pattern[3], run["decoder.3.attn.pattern"].numpy(), atol=1e-5)  # another process
    after = held(page, "gf-contrast", "shares")
    assert max(after[1::2]) == pytest.approx(float(run.logits[-1].softmax(-1).max()), rel=1e-5)
    expect(page.get_by_role("radio", name="By hand")).to_be_checked()


def test_the_mask_can_be_drawn_with_keys_and_with_one_stroke(server: str, page: Page) -> None:
    page.goto(server + ADDRESS)
    cell(page, "The", "The").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(cell(page, "␣cat", "␣cat")).to_be_focused()
    page.keyboard.press("Space")
    rows = np.tri(7, dtype=bool)
    rows[1, 1] = False
    settled(page, mask=masks.drawn(rows))
    cell(page, "␣tired", "The").hover()
    page.mouse.down()
    for key in ("␣cat", "␣sat", "␣because", "␣it", "␣was", "␣tired"):
        cell(page, "␣tired", key).hover()
    page.mouse.up()
    rows[6] = False
    settled(page, mask=masks.drawn(rows))
    expect(page.get_by_text("may read nothing")).to_be_visible()


def test_a_padding_follows_its_counts_and_a_click_on_a_token(server: str, page: Page) -> None:
    page.goto(server + ADDRESS)
    page.get_by_text("Causal + padding").click()
    settled(page, mask="both")
    left = page.get_by_role("spinbutton", name="Hide from the left")
    expect(left).to_have_value("1")
    page.get_by_role("button", name="Hide or show “␣sat” for everybody").click()
    settled(page, mask="both:0101111")
    left.fill("2")
    left.press("Enter")
    settled(page, mask="both:0011111")
    page.get_by_text("By hand", exact=True).click()
    settled(page, mask=masks.drawn(masks.matrix("both:0011111", 7)))
    other = page.context.new_page()
    other.goto(page.url)
    expect(cell(other, "␣cat", "The")).to_have_attribute("aria-selected", "false")
    assert query(other)["mask"] == query(page)["mask"]
