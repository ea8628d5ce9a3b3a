# SPDX-License-Identifier: MIT
"""Fixtures of all tests: nets are baked into a folder of the test run, and interrupts work.
Training tests use one torch thread and a small data set. Tests that run as another user get
accessible folders.
"""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# A loaded machine is no fault: tests check results, benchmarks measure time.
settings.register_profile("tengen", deadline=None)
settings.load_profile("tengen")

# Test processes share the cores; with a thread per core in each of them torch is slower.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session", autouse=True)
def _interrupts_are_heard() -> None:
    """A shell starts its background jobs deaf to SIGINT, and children inherit that: tests of Ctrl-C
    would wait for ever.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _cache_of_the_tests() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="tengen-tests-") as folder:
        before = os.environ.get("TENGEN_CACHE")
        os.environ["TENGEN_CACHE"] = folder
        yield
        if before is None:
            del os.environ["TENGEN_CACHE"]
        else:
            os.environ["TENGEN_CACHE"] = before


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Sums in torch are made in another order on another number of threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small data set to train on."""
    from train_samples import make_data

    return make_data(tmp_path_factory.mktemp("data") / "made")


@pytest.fixture
def entered_by_all(tmp_path: Path) -> None:
    """Lets anybody, as whom a test goes on, into `tmp_path` and the folders above it that pytest
    has made for its own user alone.
    """
    for folder in [tmp_path, *tmp_path.parents][: -len(Path(tempfile.gettempdir()).parts)]:
        folder.chmod(0o755)
