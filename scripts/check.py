# SPDX-License-Identifier: MIT
"""Everything `make check` checks, in one list: format, lint, types, layering, stubs, the page of
the browser, reports of experiments, signature.

All checks run even if one fails; the exit code is 1 if any did. Continuous integration runs
exactly this.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]


def native_sources() -> list[str]:
    folders = (ROOT / "cpp", ROOT / "tests" / "cpp", ROOT / "benchmarks")
    files = (p for folder in folders for p in folder.rglob("*") if p.suffix in {".cpp", ".h"})
    return sorted(str(p.relative_to(ROOT)) for p in files)


def checks() -> dict[str, list[str]]:
    python = sys.executable
    return {
        "format (Python)": ["ruff", "format", "--check", "."],
        "format (C++)": ["clang-format", "--dry-run", "--Werror", *native_sources()],
        "lint": ["ruff", "check", "."],
        "types": ["mypy"],
        "layering": [python, "-m", "pytest", "-q", "tests/layering"],
        "stubs": [python, "scripts/stubs.py"],
        "facts of the page": [python, "scripts/web_facts.py"],
        "page": [python, "scripts/web_page.py"],
        "results": [python, "scripts/results.py"],
        "bench signature": [python, "scripts/signature.py"],
    }


def run(command: list[str]) -> tuple[int, str, float]:
    """Exit code, output and seconds of a command."""
    start = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr, time.monotonic() - start


def main() -> int:
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {name: pool.submit(run, command) for name, command in checks().items()}
        for name, one in running.items():
            code, output, seconds = one.result()
            print(f"{'FAIL' if code else 'ok  '} {name} ({seconds:.1f} s)", flush=True)
            if code:
                failed += 1
                print(output)
    print(f"{len(running) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
