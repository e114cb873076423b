"""The arrows of design section 2 run one way, and the habits of section 6 hold where a machine can see them."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import core

ROOT = Path(__file__).parent.parent

RANKS = {
    "errors": -1,  # below all
    **dict.fromkeys(("probe", "config", "table", "sites", "device"), 0),
    **dict.fromkeys(("norm", "position", "mask", "cache", "tape", "sampling", "text"), 1),
    **dict.fromkeys(("attention", "feedforward", "inputs"), 2),
    "block": 3,
    "models": 4,
    **dict.fromkeys(("run", "checkpoints"), 5),
    "reading": 6,
    **dict.fromkeys(("generate", "beam", "explain", "analysis", "export"), 7),
    "model": 8,
    "library": 9,
    "train": 10,
}
LEVEL = {("table", "config"), ("sites", "config"), ("sites", "table")}
"""Arrows on one rank: the table of names reads the config, and is looked into."""

OUTSIDE = {"torch", "numpy", "safetensors", "tokenizers", "jaxtyping"}
LATE = {"pandas", "click"}
"""What core may import inside a function, and nowhere else."""

MODULES = sorted((ROOT / "core").rglob("*.py"))
APP = sorted((ROOT / "app").rglob("*.py"))


def name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def each(paths: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", paths, ids=name)


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(tree: ast.AST) -> Iterator[str]:
    """The modules that are imported anywhere in it, by their full names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports say whole names"
            assert node.module
            if node.module in ("core", "app"):
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            else:
                yield node.module


def late(tree: ast.Module) -> set[str]:
    """The modules that are imported inside functions only."""
    inside = {
        found
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for found in imports(node)
    }
    top = {
        found
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom) and node in tree.body
        for found in imports(node)
    }
    return inside - top


def part(module: str) -> str:
    """The row of the table that a module of core belongs to."""
    return module.split(".")[1]


# ---- arrows


@each(MODULES)
def test_core_imports_from_lower_ranks_only(path: Path) -> None:
    module = name(path)
    if module == "core":
        return
    assert part(module) in RANKS, f"{module} has no rank: give it one in the design and here"
    for other in imports(parsed(path)):
        if other.split(".")[0] != "core" or part(other) == part(module):
            continue
        below = RANKS[part(other)] < RANKS[part(module)]
        assert below or (part(module), part(other)) in LEVEL, f"{module} (rank {RANKS[part(module)]}) imports {other}"


def test_the_arrows_inside_core_make_no_circle() -> None:
    arrows = {
        name(path): {found for found in imports(parsed(path)) if found.startswith("core.")}
        for path in MODULES
        if name(path) != "core"
    }

    def walk(module: str, above: tuple[str, ...]) -> None:
        assert module not in above, " -> ".join((*above, module))
        for other in arrows.get(module, ()):
            walk(other, (*above, module))

    for module in arrows:
        walk(module, ())


@each(MODULES)
def test_core_imports_few_libraries_and_never_the_app(path: Path) -> None:
    tree = parsed(path)
    for other in imports(tree):
        top = other.split(".")[0]
        assert top != "app"
        fine = top in OUTSIDE or top == "core" or top in sys.stdlib_module_names
        assert fine or (top in LATE and other in late(tree)), f"{name(path)} imports {other}"


def test_nothing_imports_the_training_recipes() -> None:
    for path in [*MODULES, *APP]:
        if not name(path).startswith("core.train"):
            assert not [other for other in imports(parsed(path)) if other.startswith("core.train")], name(path)


def test_importing_core_brings_no_web_library_along() -> None:
    code = "import sys, core; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "torch" in loaded
    assert not loaded & {"app", "streamlit", "plotly", "pandas", "click", "transformers", "sklearn"}


# ---- the interface


def test_core_offers_what_is_documented() -> None:
    assert sorted(core.__all__) == sorted(
        ["load", "models", "Model", "Run", "Token", "Tape", "zero", "scale", "put", "sampling", "GlassformerError"]
    )
    assert all(getattr(core, offered).__doc__ for offered in core.__all__)


def test_every_name_of_core_in_the_readme_exists() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "core":
                assert node.attr in core.__all__


def test_the_code_in_the_readme_runs() -> None:
    if "storyteller" not in core.models():
        pytest.skip("the built-in model is not here yet")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "README.md", "exec"), {"print": lambda *values: None})


def test_the_tree_in_the_readme_is_what_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^((?:core|app|assets|tests)/[\w/]*) {2,}\S", text, re.MULTILINE)
    assert len(rows) > 8
    for row in rows:
        assert (ROOT / row).is_dir(), f"README.md lists {row}, which is not there"
    folders = {f"{path.parent.relative_to(ROOT).as_posix()}/" for path in [*MODULES, *APP]}
    said = {row for row in rows}
    for folder in folders:
        assert any(folder == row or (row.count("/") > 1 and folder.startswith(row)) for row in said), (
            f"README.md does not list {folder}"
        )


# ---- habits


@each([*MODULES, *APP])
def test_a_module_opens_with_its_idea_and_stays_readable(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    assert not text.strip() or ast.get_docstring(parsed(path)), f"{name(path)} does not say what it is for"


@each([path for path in MODULES if not name(path).startswith("core.train")])  # recipes are run, not called
def test_public_functions_say_what_they_do(path: Path) -> None:
    tree = parsed(path)
    scopes: list[tuple[str, ast.AST]] = [("", tree)]
    scopes += [(f"{node.name}.", node) for node in tree.body if isinstance(node, ast.ClassDef)]
    for prefix, scope in scopes:
        if prefix.startswith("_"):
            continue
        for node in ast.iter_child_nodes(scope):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.name != "forward":
                assert ast.get_docstring(node), f"{name(path)}.{prefix}{node.name} has no docstring"


@each(MODULES)
def test_no_class_inherits_from_another_of_ours(path: Path) -> None:
    """Abstract or final: errors, which add nothing, are the only family."""
    ours = {node.name for module in MODULES for node in ast.walk(parsed(module)) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ClassDef):
            bases = {base.id for base in node.bases if isinstance(base, ast.Name)} & ours
            plain = all(isinstance(line, ast.Expr) for line in node.body)
            assert not bases or plain, f"{name(path)}.{node.name} inherits from {bases}"


@each(MODULES)
def test_a_forward_has_no_branch_on_the_config(path: Path) -> None:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef) and node.name in ("forward", "stack", "attend", "attend_fused"):
            for inner in ast.walk(node):
                if isinstance(inner, ast.If | ast.IfExp | ast.Match):
                    asked = inner.subject if isinstance(inner, ast.Match) else inner.test
                    assert "config" not in ast.dump(asked), f"{name(path)}.{node.name}, line {inner.lineno}"


@each(MODULES)
def test_core_puts_nothing_on_a_module_that_runs(path: Path) -> None:
    """Many people share one model: no hooks, and a forward sets no attribute."""
    text = path.read_text(encoding="utf-8")
    assert "_hook(" not in text
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef) and node.name in ("forward", "stack"):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Assign | ast.AugAssign | ast.AnnAssign):
                    targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                    assert not any(isinstance(target, ast.Attribute) for target in targets), f"{name(path)}: forward"


@each(APP)
def test_the_app_keeps_its_layers(path: Path) -> None:
    module, found = name(path), set(imports(parsed(path)))
    text = path.read_text(encoding="utf-8")
    if module.startswith("app.plots"):
        assert not [other for other in found if other.split(".")[0] in ("torch", "streamlit", "core")]
    if module.startswith("app.views"):
        assert "torch" not in found
    if module not in ("app.state", "app.components.mount"):  # mount reads what a component of its own reports
        assert not re.search(r"\bst\.(session_state|query_params)\b", text), f"{module}: app.state alone may"
    if module != "app.runs":
        assert not re.search(r"@st\.cache_(data|resource)\b", text), f"{module}: app.runs alone may"


def test_no_file_has_a_name_that_streamlit_takes_for_itself() -> None:
    assert not (ROOT / "app" / "app.py").exists()
    assert not (ROOT / "app" / "pages").exists()
