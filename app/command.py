"""The command `glassformer`: start the app, or write a run to a file."""

import logging
import os
from pathlib import Path

import click

import core
from core import export
from core.device import pick

MAIN = Path(__file__).with_name("main.py")


class _Group(click.Group):
    """Errors that a user can act on end the command with their sentence alone."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except core.GlassformerError as error:
            raise click.ClickException(str(error)) from None


@click.group(cls=_Group, invoke_without_command=True)
@click.option("--model", default=None, help="The model to open with: a built-in name, or a folder.")
@click.option("--device", default=None, help="cuda, mps or cpu; by default the best there is.")
@click.option("--port", default=8501, show_default=True, type=click.IntRange(1, 65535))
@click.option("--host", default="localhost", show_default=True, help="0.0.0.0 lets others on the network in.")
@click.version_option(package_name="glassformer")
@click.pass_context
def main(context: click.Context, model: str | None, device: str | None, port: int, host: str) -> None:
    """See through a Transformer. Without a command, start the app."""
    if context.invoked_subcommand:
        return
    if model is not None:
        if model not in core.models():
            core.load(model, device=device)  # a folder that cannot be opened is refused here, in a sentence
            model = str(Path(model).resolve())
        os.environ["GLASSFORMER_MODEL"] = model
    if device is not None:
        os.environ["GLASSFORMER_DEVICE"] = str(pick(device))
    _serve(["--server.port", str(port), "--server.address", host])


def _serve(options: list[str]) -> None:
    """Load what the first page shows, so that no visitor waits for it, then serve in this very process."""
    from streamlit.web import cli

    from app import runs

    quiet = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    quiet.setLevel(logging.ERROR)  # it warns that no visitor is there yet
    runs.boot()
    quiet.setLevel(logging.NOTSET)
    cli.main(["run", str(MAIN), *options], prog_name="glassformer")


@main.command()
@click.argument("text")
@click.option("--model", default="storyteller", show_default=True, help="A built-in name, or a folder.")
@click.option("--device", default=None, help="cuda, mps or cpu; by default the best there is.")
@click.option("--keep", multiple=True, help="Only tensors of this name or glob, such as '*.pattern'; may be repeated.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A .safetensors, .json or .csv file.")
def trace(text: str, model: str, device: str | None, keep: tuple[str, ...], out: Path) -> None:
    """Run TEXT through a model and write every tensor to a file."""
    run = core.load(model, device=device).run(text, keep=keep or None)
    export.write(run, out, model)
    click.echo(f"{out}: {len(run.sites)} tensors of {len(run.tokens)} tokens")


if __name__ == "__main__":
    main()
