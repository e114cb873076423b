"""Stepping through a translation in a real Chromium."""

import pytest
from playwright.sync_api import Page, expect

import core
from tests.browser.test_walk import settled

pytestmark = pytest.mark.skipif("translator" not in core.models(), reason="there is no translator built in yet")


def test_stepping_with_buttons_slider_and_chips(server: str, page: Page) -> None:
    page.goto(server + "/translate?target=t3+t4+t5+t6")
    step = page.get_by_role("slider", name="Step")
    expect(step).to_have_value("0")
    picture = page.get_by_role("img", name="the decoder reads mostly")
    expect(picture).to_be_visible()
    expect(page.get_by_role("button", name="Previous")).to_be_disabled()
    page.get_by_role("button", name="Next", exact=True).click()
    settled(page, step="1")
    step.press("ArrowRight")
    settled(page, step="2")
    page.get_by_role("button", name="Previous").click()
    settled(page, step="1")
    expect(page.get_by_role("img", name="step 1")).to_be_visible()
    head = page.get_by_role("slider", name="Head")
    if not head.is_disabled():
        head.press("ArrowRight")
        expect(page.get_by_role("img", name=f"head {head.input_value()}, step 1")).to_be_visible()


def test_a_target_can_be_typed_and_taken_back(server: str, page: Page) -> None:
    page.goto(server + "/translate")
    target = page.get_by_role("textbox", name="Target")
    target.fill("t7 t7")
    settled(page, target="t7 t7")
    expect(page.get_by_role("img", name="the decoder reads mostly")).to_be_visible()
    target.fill("")
    settled(page, target="")


def test_the_tree_is_walked_with_keys(server: str, page: Page) -> None:
    page.goto(server + "/translate")
    page.get_by_text("Beams", exact=True).click()
    settled(page, tab="beams")
    tree = page.get_by_role("img", name="Beam search with 4 lines")
    expect(tree).to_be_visible()
    tree.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("log p =").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.get_by_text("2 lines", exact=True).click()
    settled(page, width="2")
    expect(page.get_by_role("img", name="Beam search with 2 lines")).to_be_visible()


@pytest.mark.parametrize("tab", ["steps", "maps", "beams"])
def test_typed_text_never_becomes_markup(server: str, page: Page, tab: str) -> None:
    bad = "<img src=x onerror=alert(1)>"
    page.goto(f"{server}/translate?tab={tab}")
    page.get_by_role("textbox", name="Text").fill(bad)
    settled(page, text=bad)
    if tab != "beams":
        page.get_by_role("textbox", name="Target").fill(bad)
        settled(page, target=bad)
    page.wait_for_timeout(300)
    found = page.evaluate(
        """() => { const bad = []; const walk = root => { for (const e of root.querySelectorAll('*')) {
            if (e.tagName === 'IMG' && (e.getAttribute('src') ?? '').length < 20) bad.push(e.outerHTML);
            if (e.shadowRoot) walk(e.shadowRoot); } }; walk(document); return bad; }"""
    )
    assert found == []
