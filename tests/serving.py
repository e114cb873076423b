"""The app, served as a visitor of the README would start it: for the browser tests and for the bench."""

import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


@contextmanager
def serving() -> Iterator[str]:
    """The address of the app on a free port, for as long as it is needed.

    Raises `RuntimeError` with what the server said when it does not start within a minute.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://localhost:{port}"
    with tempfile.TemporaryFile() as log:  # a pipe that nobody reads would fill up and stop the server
        command = [sys.executable, "-m", "app.command", "--port", str(port)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + 60
            while not _answers(address):
                if process.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    raise RuntimeError(f"the server did not start: {log.read().decode()}")
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=20)


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
    except OSError:
        return False
    return True
