"""One calm palette for the whole app: the page, the figures and the components.

The components' JavaScript is sent `PALETTES` (`app.components.bundle`), Plotly figures take `colorscale`, and
`app/.streamlit/config.toml` repeats the same values for Streamlit's own widgets. A sequential ramp is interpolated
in OKLab, where equal steps look equally large (Ottosson, https://bottosson.github.io/posts/oklab/).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

Mode = Literal["light", "dark"]
Ramp = Literal["sequential", "diverging"]


@dataclass(frozen=True)
class Palette:
    background: str
    surface: str
    ink: str
    muted: str
    accent: str
    amber: str  # what was drawn, as opposed to what is likeliest
    hairline: str
    sequential: tuple[str, ...]  # weights, from 0 up
    diverging: tuple[str, ...]  # scores, from most negative over 0 to most positive; safe for red-green blindness
    series: tuple[str, ...]  # things to tell apart, like sentences; each has a sign of its own as well


LIGHT = Palette(
    background="#FBFAF7",
    surface="#FFFFFF",
    ink="#1F2430",
    muted="#667085",
    accent="#3457D5",
    amber="#B45309",
    hairline="#E4E2DC",
    sequential=("#F6F5F1", "#3457D5", "#101C66"),
    diverging=("#00504A", "#2A9D8F", "#F6F5F1", "#E08A2E", "#7A3E00"),
    series=("#3457D5", "#B45309", "#00806F", "#8B3FB8", "#B3245F", "#667085"),
)
DARK = Palette(
    background="#12151C",
    surface="#1A1F2A",
    ink="#E8EAF0",
    muted="#9AA4B5",
    accent="#8FA8FF",
    amber="#FFB454",
    hairline="#2A3140",
    sequential=("#1F2532", "#5B7CFF", "#E6EDFF"),
    diverging=("#8FF0E2", "#2A9D8F", "#1F2532", "#D9822B", "#FFD9A8"),
    series=("#8FA8FF", "#FFB454", "#4FD1BD", "#CFA6FF", "#FF8FB8", "#9AA4B5"),
)
PALETTES: dict[Mode, Palette] = {"light": LIGHT, "dark": DARK}

FONT = (
    "Inter, 'Source Sans 3', system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, "
    "'PingFang SC', 'PingFang TC', 'Microsoft YaHei', 'Microsoft JhengHei', 'Noto Sans CJK SC', 'Noto Sans SC', "
    "'Noto Sans Arabic', 'Noto Color Emoji', sans-serif"
)
MONO = (
    "ui-monospace, 'SF Mono', 'Cascadia Mono', Consolas, 'Noto Sans Mono', 'DejaVu Sans Mono', "
    "'Noto Sans Mono CJK SC', monospace"
)

_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(color: str) -> np.ndarray:
    rgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    lab: np.ndarray = _TO_LAB @ np.cbrt(_TO_LMS @ linear)
    return lab


def _hex(lab: np.ndarray) -> str:
    linear = np.clip(np.linalg.solve(_TO_LMS, np.linalg.solve(_TO_LAB, lab) ** 3), 0, 1)
    rgb = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(float(c) * 255):02X}" for c in rgb)


def ramp(stops: Sequence[str], n: int) -> list[str]:
    """`n` colours through `stops` (equally spaced, "#RRGGBB"), interpolated in OKLab."""
    labs = np.stack([_oklab(stop) for stop in stops])
    at = np.linspace(0, len(stops) - 1, n)
    mixed = np.stack([np.interp(at, np.arange(len(stops)), labs[:, i]) for i in range(3)], axis=1)
    return [_hex(lab) for lab in mixed]


def colorscale(kind: Ramp = "sequential", mode: Mode = "light", n: int = 17) -> list[list[float | str]]:
    """The ramp as Plotly wants it: [[0.0, "#F6F5F1"], ..., [1.0, "#101C66"]]."""
    palette = PALETTES[mode]
    colors = ramp(palette.sequential if kind == "sequential" else palette.diverging, n)
    return [[i / (n - 1), color] for i, color in enumerate(colors)]


def palettes() -> dict[str, dict[str, object]]:
    """Both palettes as plain data, for the components' JavaScript."""
    return {mode: asdict(palette) for mode, palette in PALETTES.items()}
