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
    [("gpt2", "eager"), ("original", "eager"), ("llama gqa", "aot_eager"), ("one layer", "inductor")],
)
def test_a_pass_compiles_whole_silent_or_recorded(preset: str, backend: str) -> None:
    net = tiny.network(tiny.PRESETS[preset], seed=1)
    ids = torch.tensor([tiny.IDS])

    def silent(ids: Tensor) -> Tensor:
        return net(ids)

    def recorded(ids: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        seen: dict[str, Tensor] = {}

        def probe(name: str, x: Tensor) -> Tensor:
            seen[name] = x
            return x

        return net(ids, probe=probe), seen

    with torch.no_grad():
        right, sites = recorded(ids)
        if backend != "inductor":  # machine code takes seconds: once is enough
            compiled = torch.compile(silent, fullgraph=True, backend=backend)(ids)
            assert (compiled - right).abs().max() < 1e-4
        logits, seen = torch.compile(recorded, fullgraph=True, backend=backend)(ids)
    assert (logits - right).abs().max() < 1e-4
    assert list(seen) == list(sites)
    for name, x in sites.items():
        finite = x.isfinite()
        assert torch.equal(finite, seen[name].isfinite())
        assert torch.allclose(seen[name][finite].float(), x[finite].float(), atol=1e-4), name
