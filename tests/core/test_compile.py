"""A forward pass has no branch that a compiler must guess: it compiles whole, looked at or not."""

import shutil

import pytest
import torch
from torch import Tensor

from tests.core import tiny

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture(autouse=True)
def _compiler() -> None:
    if not (shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")):
        pytest.skip("torch.compile needs a C++ compiler, and none is here")
    torch._dynamo.reset()


@pytest.mark.parametrize(
    ("preset", "backend"),
    [
        ("gpt2", "eager"),
        ("original", "eager"),
        ("llama gqa", "aot_eager"),
        ("bert text", "eager"),
        ("two heads", "eager"),
        ("original pair", "eager"),
        ("t5 1.1", "aot_eager"),
        ("one layer", "inductor"),
    ],
)
def test_a_pass_compiles_whole_silent_or_recorded(preset: str, backend: str) -> None:
    net = tiny.network(tiny.PRESETS[preset], seed=1)
    rows = [torch.tensor([row]) for name, row in tiny.inputs(net.config).items() if name != "segments"]

    def silent(*rows: Tensor) -> Tensor | dict[str, Tensor]:
        return net(*rows)

    def recorded(*rows: Tensor) -> tuple[Tensor | dict[str, Tensor], dict[str, Tensor]]:
        seen: dict[str, Tensor] = {}

        def probe(name: str, x: Tensor) -> Tensor:
            seen[name] = x
            return x

        return net(*rows, probe=probe), seen

    def near(found: Tensor | dict[str, Tensor], right: Tensor | dict[str, Tensor]) -> None:
        one, two = (list(x.values()) if isinstance(x, dict) else [x] for x in (found, right))
        assert all((x - y).abs().max() < 1e-4 for x, y in zip(one, two, strict=True))

    with torch.no_grad():
        right, sites = recorded(*rows)
        if backend != "inductor":  # machine code takes seconds: once is enough
            near(torch.compile(silent, fullgraph=True, backend=backend)(*rows), right)
        found, seen = torch.compile(recorded, fullgraph=True, backend=backend)(*rows)
    near(found, right)
    assert list(seen) == list(sites)
    for name, x in sites.items():
        finite = x.isfinite()
        assert torch.equal(finite, seen[name].isfinite())
        assert torch.allclose(seen[name][finite].float(), x[finite].float(), atol=1e-4), name
