"""Says how long each stage took: time on a GPU machine is counted."""
from __future__ import annotations

import time
from contextlib import contextmanager

_STARTED = time.monotonic()


def seconds_since_start() -> float:
    return time.monotonic() - _STARTED


def say(message: str) -> None:
    print(f"[{seconds_since_start():7.1f} s] {message}", flush=True)


@contextmanager
def stage(name: str):
    started = time.monotonic()
    yield
    say(f"{name}: {time.monotonic() - started:.1f} s")
