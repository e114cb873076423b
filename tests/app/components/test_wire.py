"""Numbers arrive in the browser as they left Python."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from app.components import wire

SHARED = Path(wire.__file__).parent / "shared"
ARRAYS = {
    "bytes": np.arange(5, dtype=np.uint8),
    "single": np.array([[1.5, -np.inf], [np.nan, 3e-38]], dtype=np.float32),
    "half": np.array([0.0, 1.0, -2.5, 6e-8, 65504.0, np.inf, -np.inf, 1 / 3], dtype=np.float16),
    "none": np.zeros((0, 4), dtype=np.float32),
    "turned": np.arange(12, dtype=np.float32).reshape(3, 4).T,
}


def test_round_trip():
    header, arrays = wire.unpack(wire.pack({"text": "猫 \ud83d </script>", "n": 3}, ARRAYS))
    assert header == {"text": "猫 \ud83d </script>", "n": 3}
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype


def test_every_part_starts_at_a_multiple_of_eight():
    for length in range(12):
        data = wire.pack({"x": "a" * length}, ARRAYS)
        assert (4 + int.from_bytes(data[:4], "little")) % 8 == 0
        assert len(data) % 8 == 0


@pytest.mark.parametrize("dtype", [np.float64, np.int64, bool])
def test_refuses_other_dtypes(dtype):
    with pytest.raises(ValueError, match="x: dtype"):
        wire.pack({}, {"x": np.zeros(3, dtype=dtype)})


def test_refuses_a_header_that_json_cannot_hold():
    with pytest.raises(ValueError, match="arrays"):
        wire.pack({"arrays": 1}, {})
    with pytest.raises(ValueError, match="JSON"):
        wire.pack({"x": float("nan")}, {})


def test_revision_follows_the_content():
    one = wire.pack({"a": 1}, {"x": np.zeros(3, np.float32)})
    assert wire.revision(one) == wire.revision(bytes(one))
    assert wire.revision(one) != wire.revision(wire.pack({"a": 2}, {"x": np.zeros(3, np.float32)}))


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed: wire.js is not run here")
def test_javascript_reads_what_python_wrote():
    # one byte in front, because protobuf hands out any offset
    script = (
        (SHARED / "wire.js").read_text(encoding="utf-8")
        + """
    const bytes = new Uint8Array(require("fs").readFileSync(0));
    const { header, arrays } = unpack(bytes.subarray(1));
    const read = (a) => Array.from(floats(a, 0, a.data.length), String);
    const entries = Object.entries(arrays).map(([name, array]) => [name, read(array)]);
    console.log(JSON.stringify({ header, arrays: Object.fromEntries(entries) }));
    """
    )
    data = b"\0" + wire.pack({"text": "猫🙂"}, ARRAYS)
    done = subprocess.run(["node", "-e", script], input=data, capture_output=True, check=True)
    got = json.loads(done.stdout)
    assert got["header"] == {"text": "猫🙂"}
    for name, array in ARRAYS.items():
        read = [float({"Infinity": "inf", "-Infinity": "-inf", "NaN": "nan"}.get(x, x)) for x in got["arrays"][name]]
        np.testing.assert_array_equal(np.array(read, dtype=array.dtype), array.ravel())
