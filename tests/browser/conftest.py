"""A real server and a real Chromium, one of each for all browser tests."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.serving import serving

FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-gpu", "--no-first-run", "--disable-sync"]


def chromium() -> str | None:
    """Where a Chromium is: GLASSFORMER_CHROMIUM, or one on the path."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("GLASSFORMER_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = chromium()
    if found is None:
        reason = "no Chromium here: install one, or say where it is with GLASSFORMER_CHROMIUM"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of one app for all browser tests."""
    with serving() as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh visitor at 1280 x 720; an error in the page's own scripts fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert not errors
