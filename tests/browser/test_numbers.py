"""The browser's arithmetic is a copy of `core`'s: here both are asked the same, and must agree."""

import numpy as np
import pytest
from playwright.sync_api import Page

import core

FIND = """() => { const deep = root => { for (const e of root.querySelectorAll('*')) {
    if (e.__glassformer?.probs) return e.__glassformer;
    const hit = e.shadowRoot && deep(e.shadowRoot); if (hit) return hit; } return null; };
  const g = deep(document); return g && {settings: g.settings, landed: g.landed, uniform: g.uniform,
    ...Object.fromEntries(['logits', 'tempered', 'kept', 'probs'].map(k => [k, Array.from(g[k], Number)]))}; }"""


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [(1, 0, 1), (0, 0, 1), (0.01, 0, 1), (2, 0, 1), (0.7, 40, 0.95), (1.3, 5, 1), (1, 0, 0.5), (1, 0, 0), (1, 1, 1)],
)
def test_the_browser_and_core_agree_on_every_probability(
    server: str, page: Page, temperature: float, top_k: int, top_p: float
) -> None:
    page.goto(f"{server}/generate?text=Once+upon+a+time&seed=11")
    for name, value in (("T", temperature), ("k", top_k), ("p", top_p)):
        page.get_by_role("spinbutton", name=f"{name}, as a number", exact=True).fill(str(value))
    found = page.evaluate(FIND)
    assert found["settings"] == {"temperature": temperature, "topK": top_k, "topP": top_p}
    model = core.load("storyteller")
    logits = model.run("Once upon a time").logits[-1]
    np.testing.assert_allclose(found["logits"], logits.numpy(), atol=1e-4)  # another process, maybe other threads
    mine = core.sampling.distribution(np.array(found["logits"], dtype=np.float32), temperature, top_k, top_p)
    np.testing.assert_allclose(found["tempered"], mine.tempered.numpy(), atol=1e-9)
    np.testing.assert_allclose(found["probs"], mine.probs.numpy(), atol=1e-9)
    np.testing.assert_array_equal(np.array(found["kept"], dtype=bool), mine.kept.numpy())
    assert found["landed"] == mine.at(core.sampling.uniform(11, 0)).id
