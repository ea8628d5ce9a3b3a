# SPDX-License-Identifier: MIT
"""For all tests: nets are baked into a folder of the test run, not into that of the user."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import pytest


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
