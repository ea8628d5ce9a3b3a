# SPDX-License-Identifier: MIT
"""Everything `make check` checks, in one list: format, lint, types, layering, stubs, the page of
the browser, reports of experiments, signature.

All checks run even if one fails; the exit code is 1 if any did. Continuous integration runs
exactly this.
"""

from __future__ import annotations

import subprocess
import sys
import time
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
        "types of the page": [python, "scripts/web_types.py"],
        "page": [python, "scripts/web_page.py"],
        "results": [python, "scripts/results.py"],
        "bench signature": [python, "scripts/signature.py"],
    }


def main() -> int:
    failed: list[str] = []
    for name, command in checks().items():
        start = time.monotonic()
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - start
        print(
            f"{'ok  ' if result.returncode == 0 else 'FAIL'} {name} ({seconds:.1f} s)", flush=True
        )
        if result.returncode != 0:
            failed.append(name)
            print(result.stdout + result.stderr)
    print(f"{len(checks()) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
