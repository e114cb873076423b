"""The interface's strings, in the language shown.

English is written where it is used; `_` turns it into another language as soon as `assets/locale` has one.
"""

from pathlib import Path

from core.library import assets


def _(english: str) -> str:
    """The string in the language shown."""
    return english


def prose(name: str) -> str:
    """A text of `assets/text/<language>/`, as Markdown. Raises `FileNotFoundError` for one that does not exist."""
    return _folder().joinpath(f"{name}.md").read_text(encoding="utf-8")


def _folder() -> Path:
    return assets() / "text" / "en"
