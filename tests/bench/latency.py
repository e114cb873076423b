"""How long a picture takes to follow the finger: from an event to changed pixels, in a real Chromium.

    make bench    or    python tests/bench/latency.py [--url http://localhost:8501] [--samples 40] [--throttle 4]

`drawn` is when the picture has changed in the page, `frame` the next animation frame, which is what the eye gets;
milliseconds, median and 95th percentile. A picture's signature (the bars' own numbers and widths, or the heatmap's
pixels) is compared before and after, so a sample counts only when the picture really changed.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.browser.conftest import FLAGS, chromium  # noqa: E402
from tests.serving import serving  # noqa: E402

WATCH = r"""
([kind, selector]) => {
  const deep = (root) => { for (const e of root.querySelectorAll('*')) {
    if (e.matches(selector)) return e;
    const hit = e.shadowRoot && deep(e.shadowRoot); if (hit) return hit; } return null; };
  const element = deep(document);
  const small = Object.assign(document.createElement('canvas'), {width: 96, height: 96});
  const pen = small.getContext('2d', {willReadFrequently: true});
  const signature = () => {
    if (element.tagName !== 'CANVAS')
      return element.textContent + [...element.querySelectorAll('[style]')].map((e) => e.style.cssText).join();
    pen.clearRect(0, 0, 96, 96); pen.drawImage(element, 0, 0, 96, 96);
    return pen.getImageData(0, 0, 96, 96).data.join();
  };
  const w = window.__bench = {samples: [], missed: 0};
  let before = signature(), busy = false;
  const start = (event) => {
    if (busy) return;
    busy = true;
    const t0 = event.timeStamp, t = {drawn: null};
    const look = () => {
      if (t.drawn === null && signature() !== before) t.drawn = performance.now() - t0;
      return t.drawn !== null;
    };
    const end = () => {
      if (t.drawn !== null) w.samples.push(t); else w.missed += 1;
      before = signature(); busy = false;
    };
    const frame = () => {
      if (look()) { t.frame = performance.now() - t0; end(); }
      else if (performance.now() - t0 > 2000) end();
      else requestAnimationFrame(frame);
    };
    setTimeout(() => { look(); requestAnimationFrame(frame); }, 0);
  };
  addEventListener(kind, start, true);
}
"""


def press(page: Page, slider: str, samples: int) -> None:
    """One arrow key at a time, back and forth, with time to come to rest in between."""
    control = page.get_by_role("slider", name=slider, exact=True)
    control.focus()
    for i in range(samples):
        page.keyboard.press("ArrowRight" if i % 2 == 0 else "ArrowLeft")
        page.wait_for_timeout(60)


def drag(page: Page, slider: str, samples: int) -> None:
    """The finger goes down once and moves on, without a rest."""
    box = page.get_by_role("slider", name=slider, exact=True).bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.3, y)
    page.mouse.down()
    for i in range(samples):
        page.mouse.move(box["x"] + box["width"] * (0.3 + 0.5 * i / samples), y)
        page.wait_for_timeout(25)
    page.mouse.up()


LONG = " ".join(["Anna met the dog, and it barked at her. She painted flowers, and Tom saw it."] * 3)
CASES = (
    ("temperature, a key", "/generate", "Temperature", press, "keydown", ".gf-bars"),
    ("temperature, while dragging", "/generate", "Temperature", drag, "pointermove", ".gf-bars"),
    ("top-k, a key", "/generate", "Top-k", press, "keydown", ".gf-bars"),
    ("top-p, while dragging", "/generate?temperature=2", "Top-p", drag, "pointermove", ".gf-bars"),
    ("head, a key, 8 tokens", "/attention", "Head", press, "keydown", ".gf-base"),
    (f"head, a key, {len(LONG.split())} words", f"/attention?text={LONG}", "Head", press, "keydown", ".gf-base"),
    (
        f"layer, a key, {len(LONG.split())} words",
        f"/attention?text={LONG}",
        "Layer",
        press,
        "keydown",
        ".gf-base",
    ),
)


def first_picture(page: Page, url: str) -> float:
    """Seconds from opening the page to the first heatmap, the browser's cache empty."""
    start = time.monotonic()
    page.goto(url)
    page.get_by_role("img", name="reads mostly").first.wait_for()
    return time.monotonic() - start


def quantiles(values: list[float]) -> str:
    values = sorted(values)
    return f"{statistics.median(values):7.1f} {values[min(len(values) - 1, round(0.95 * (len(values) - 1)))]:7.1f}"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--url")
    options.add_argument("--samples", type=int, default=40)
    options.add_argument("--throttle", type=float, default=1, help="how many times slower the page's CPU is made")
    given = options.parse_args()
    found = chromium()
    if found is None:
        sys.exit("No Chromium here: install one, or say where it is with GLASSFORMER_CHROMIUM.")
    with serving() as own, sync_playwright() as play:
        url = given.url or own
        browser = play.chromium.launch(executable_path=found, args=FLAGS)
        print(f"first heatmap after opening the page: {first_picture(browser.new_page(), url):.1f} s (cold)")
        print(f"{'milliseconds':34}   drawn            frame\n{'':34}  median     p95  median     p95   n")
        for name, path, slider, move, kind, selector in CASES:
            page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
            page.goto(url + path)
            page.get_by_role("slider", name=slider, exact=True).wait_for()
            page.wait_for_timeout(1000)
            if given.throttle > 1:
                page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": given.throttle})
            page.evaluate(WATCH, [kind, selector])
            move(page, slider, given.samples)
            page.wait_for_timeout(300)
            result = page.evaluate("window.__bench")
            samples = result["samples"]
            if not samples:
                print(f"{name:34}  the picture never changed")
                continue
            drawn = [sample["drawn"] for sample in samples]
            frame = [sample["frame"] for sample in samples]
            counted = f"{len(samples):2} of {len(samples) + result['missed']}"
            print(f"{name:34} {quantiles(drawn)} {quantiles(frame)}  {counted}")
            page.context.close()
        browser.close()


if __name__ == "__main__":
    main()
