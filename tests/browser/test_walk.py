"""A visitor's walk through the views: what is on the screen, and what the address says of it."""

import re
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from app.theme import PALETTES

SENTENCE = "The cat sat because it was tired"


def query(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query, keep_blank_values=True).items()}


def settled(page: Page, **wanted: str) -> None:
    """Wait until the address holds these values."""
    page.wait_for_function(
        "wanted => { const q = new URLSearchParams(location.search);"
        " return Object.entries(wanted).every(([k, v]) => (q.get(k) ?? '') === v) }",
        arg=wanted,
        timeout=10_000,
    )


def test_start_opens_with_a_real_example_drawn(server: str, page: Page) -> None:
    page.goto(server)
    expect(page.get_by_role("img", name="reads mostly").first).to_be_visible(timeout=5_000)
    expect(page.get_by_role("group", name="From 8 tokens through 4 layers")).to_be_visible()


def test_the_state_travels_with_the_visitor_and_with_a_link(server: str, page: Page) -> None:
    page.goto(server + "/attention?layer=1&head=2")
    head = page.get_by_role("slider", name="Head")
    expect(head).to_have_value("2")
    head.press("ArrowRight")
    settled(page, layer="1", head="3")
    text = page.get_by_role("textbox", name="Text")
    text.fill(SENTENCE + ". It")
    settled(page, text=SENTENCE + ". It", head="3")
    page.get_by_role("link", name="Generate").click()
    expect(page.get_by_role("slider", name="Temperature")).to_be_visible()
    settled(page, text=SENTENCE + ". It", layer="1", head="3")
    expect(page.get_by_role("slider", name="Head")).to_have_value("3")
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_role("textbox", name="Text")).to_have_value(SENTENCE + ". It")
    expect(other.get_by_role("slider", name="Layer")).to_have_value("1")


def test_a_trailing_space_is_kept_and_counts(server: str, page: Page) -> None:  # B06
    page.goto(server + "/tokens?text=The+cat")
    expect(page.get_by_text("Tokens: 2")).to_be_visible()
    page.get_by_role("textbox", name="Text").fill("The cat ")
    expect(page.get_by_text("Tokens: 3")).to_be_visible()
    settled(page, text="The cat ")


def test_generation_steps_forward_and_back_and_never_draws_twice(server: str, page: Page) -> None:
    page.goto(server + "/generate?text=The+cat+sat")
    for n in range(1, 4):
        page.get_by_role("button", name="Next", exact=True).click()
        page.wait_for_function(
            "n => new URLSearchParams(location.search).get('continuation')?.split('.').length === n",
            arg=n,
        )
    drawn = query(page)["continuation"]
    page.get_by_role("button", name="Previous").click()
    settled(page, step="2", continuation=drawn)
    temperature = page.get_by_role("slider", name="Temperature")
    temperature.press("ArrowLeft")
    settled(page, temperature="0.99", continuation=drawn)
    page.get_by_role("slider", name="Head").press("ArrowRight")
    page.wait_for_timeout(600)
    assert query(page)["continuation"] == drawn  # B71: only the picture changed
    page.get_by_role("button", name="Next", exact=True).click()
    settled(page, continuation=drawn, step="")
    again = page.context.new_page()
    again.goto(page.url)
    expect(again.get_by_role("button", name="Previous")).to_be_enabled()
    assert query(again)["continuation"] == drawn


@pytest.mark.parametrize(
    "bad", ["layer=99", "head=-1", "layer=x", "step=7", "temperature=nan", "continuation=1.x", "model=nope"]
)
def test_an_address_that_is_not_valid_falls_back_and_says_so(server: str, page: Page, bad: str) -> None:
    page.goto(f"{server}/generate?{bad}")
    expect(page.get_by_role("slider", name="Temperature")).to_have_value("1")
    expect(page.get_by_role("alert")).to_have_count(1)


def test_an_empty_text_gets_a_sentence_and_no_old_picture(server: str, page: Page) -> None:  # B05
    page.goto(server + "/attention")
    expect(page.get_by_role("slider", name="Head")).to_be_visible()
    page.get_by_role("textbox", name="Text").fill("")
    expect(page.get_by_role("alert")).to_contain_text("type a word or a sentence")
    expect(page.get_by_role("slider", name="Head")).to_have_count(0)


def test_a_text_past_the_context_is_answered_and_can_be_cut(server: str, page: Page) -> None:
    page.goto(server + "/attention?text=The" + "+cat" * 299)
    expect(page.get_by_role("alert")).to_contain_text("300 tokens")
    expect(page.get_by_role("textbox", name="Text")).to_have_value("The" + " cat" * 299)
    page.get_by_role("button", name="Read the first 256 tokens").click()
    expect(page.get_by_role("slider", name="Head")).to_be_visible()


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '" onmouseover="alert(1)',
        "<img src=x onerror=alert(1)>",
        "It costs $5 and $6, *not* _7_ :smile: `x` [l](u) # h",
        "javascript:alert(1) <!--",
    ],
)
@pytest.mark.parametrize("view", ["", "tokens", "attention", "generate", "masks"])
def test_typed_text_never_becomes_markup(server: str, page: Page, text: str, view: str) -> None:  # B65, B78
    page.goto(server)
    page.get_by_role("textbox", name="Text").fill(text)
    settled(page, text=text)
    if view:
        page.get_by_role("link", name=view.capitalize()).click()
    expect(page.get_by_role("img").or_(page.get_by_role("list")).first).to_be_visible()
    page.wait_for_timeout(300)
    found = page.evaluate(
        """() => { const bad = []; const walk = root => { for (const e of root.querySelectorAll('*')) {
            if (e.tagName === 'IMG' && (e.getAttribute('src') ?? '').length < 20) bad.push(e.outerHTML);
            if (e.tagName === 'SCRIPT' && e.textContent.includes('alert(1)')) bad.push(e.outerHTML);
            for (const a of e.attributes) if (a.name.startsWith('on') && a.value.includes('alert')) bad.push(a.value);
            if (e.shadowRoot) walk(e.shadowRoot); } }; walk(document); return bad; }"""
    )
    assert found == []


def test_a_visitor_who_types_on_loses_no_letter(server: str, page: Page) -> None:
    page.goto(server + "/attention?text=The")
    text = page.get_by_role("textbox", name="Text")
    text.click()
    page.keyboard.press("End")
    page.keyboard.type(" cat sat because it was tired and it slept", delay=45)
    settled(page, text="The cat sat because it was tired and it slept")
    expect(text).to_have_value("The cat sat because it was tired and it slept")
    expect(
        page.get_by_role("img", name="slept").or_(page.get_by_role("img", name="reads mostly")).first
    ).to_be_visible()


def test_nothing_is_fetched_from_anywhere_else(server: str, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for view in ("", "tokens", "attention", "generate", "translate", "masks"):
        page.goto(f"{server}/{view}")
        expect(page.get_by_text("What am I looking at?")).to_be_visible()
        page.wait_for_timeout(500)
    others = [url for url in asked if not url.startswith((server, "data:", "blob:", "ws://localhost"))]
    assert asked
    assert others == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_settings_hold(server: str, browser: Browser, scheme: Literal["light", "dark"]) -> None:
    """AppTest ignores config.toml, so this is where a setting that did not arrive is seen."""
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.goto(server)
    expect(page.get_by_text("What am I looking at?")).to_be_visible()
    background = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    wanted = PALETTES[scheme].background
    assert background == "rgb({}, {}, {})".format(*(int(wanted[i : i + 2], 16) for i in (1, 3, 5)))
    expect(page.get_by_role("button", name="Deploy")).to_have_count(0)
    context.close()


def test_the_text_goes_along_from_view_to_view_and_can_be_edited_in_each(server: str, page: Page) -> None:
    page.goto(server + "/attention?text=The+cat+sat")
    text = page.get_by_role("textbox", name="Text", exact=True)
    written = "The cat sat"
    for view in ("Tokens", "Generate", "Masks", "Start", "Attention"):
        page.wait_for_timeout(600)
        page.get_by_role("link", name=view, exact=True).click()
        expect(page.get_by_role("link", name=view, exact=True)).to_have_attribute("aria-current", "page")
        expect(text).to_have_value(written)
        text.click()
        page.keyboard.press("End")
        page.keyboard.type("!")
        written += "!"
        settled(page, text=written)
        expect(text).to_have_value(written)


def test_a_text_typed_just_before_a_tap_on_another_view_breaks_nothing(server: str, page: Page) -> None:
    page.goto(server + "/attention?text=The+cat+sat")
    text = page.get_by_role("textbox", name="Text", exact=True)
    expect(text).to_have_value("The cat sat")
    page.wait_for_timeout(500)
    text.fill("Lily ran away.")
    page.get_by_role("link", name="Masks", exact=True).click(delay=0)
    expect(page.get_by_role("slider", name="Head")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(text).to_have_value(re.compile("Lily ran away.|The cat sat"))
