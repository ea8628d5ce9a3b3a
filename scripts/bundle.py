# SPDX-License-Identifier: MIT
"""Makes a bundle: one folder with all that is needed to build and run tengen on a machine without
package registries. `make bundle` runs it; docs/bundle.md tells how a bundle is used.

Takes what is installed beside the Python that runs it: nanobind, rich, and what rich needs.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tarfile
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUNDLE = ROOT / "dist" / "bundle"
NEEDED = "rich"  # at run time; NumPy is needed by `tengen.game.batch` alone, and not carried
MOST_BYTES = 20 << 20
# All that is written into a bundle.
ENTRIES = [
    *("tengen", "launcher.py", "README.md", "LICENSE", "licenses"),
    *("CMakeLists.txt", "cpp", "nanobind", "src", "configs", "benchmarks", "site"),
]
# Of benchmarks: those that need nothing but the package, and what they share.
SCRIPTS = ("bench_common.py", "gpuct.py", "levels.py")
LAUNCHER = """\
#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs tengen from this folder, and builds it first if need be. PYTHON names another Python.
self=$(readlink -f -- "$0" 2>/dev/null) || self=$0
here=$(CDPATH= cd -- "$(dirname -- "$self")" && pwd) || exit 1
for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        exec "$python" "$here/launcher.py" "$@"
    fi
done
echo "tengen bundle: no Python 3.11 or newer is found: install one, or name it in PYTHON" >&2
exit 1
"""


class CannotBundle(Exception):
    """What is missing, in words."""


def version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def copy_tree(source: Path, target: Path, *endings: str) -> None:
    """The files of a folder; only those with one of the endings, if any are given."""
    for file in sorted(source.rglob("*")):
        built = "__pycache__" in file.parts or file.suffix in (".pyc", ".so")
        if file.is_file() and not built and (not endings or file.suffix in endings):
            copied = target / file.relative_to(source)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copied)


def distribution(name: str) -> metadata.Distribution:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        words = f"{name} is not installed for {sys.executable}: `make bundle` takes care of it"
        raise CannotBundle(words) from None


def with_requirements(name: str) -> list[metadata.Distribution]:
    """A distribution and all that it needs, without extras."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [name]
    while waiting:
        one = distribution(waiting.pop())
        if one.name in found:
            continue
        found[one.name] = one
        for requirement in one.requires or ():
            needed, _, marker = requirement.partition(";")
            if match := re.match(r"[\w.-]+", needed):
                waiting += [] if marker else [match[0]]
    return list(found.values())


def copy_distribution(one: metadata.Distribution, site: Path, licenses: Path) -> None:
    """Its modules into `site`, the texts of its licence into `licenses`."""
    told = False
    for file in one.files or ():
        path = Path(str(one.locate_file(file)))
        if file.suffix in (".so", ".pyd"):
            raise CannotBundle(f"{one.name} has {file}: only pure Python can be carried")
        if ".dist-info" in file.parts[0]:
            if re.match(r"licen[cs]e|copying|authors", file.name, re.IGNORECASE):
                told = True
                copy_file(path, licenses / one.name / file.name)
        elif file.parts[0] not in ("..", "__pycache__") and file.suffix != ".pyc":
            copy_file(path, site / file)
    if not told:
        raise CannotBundle(f"{one.name} comes without the text of its licence")


def copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def copy_nanobind(bundle: Path) -> None:
    one = distribution("nanobind")
    package = Path(str(one.locate_file("nanobind")))
    for folder in ("cmake", "ext", "include", "src"):
        copy_tree(package / folder, bundle / "nanobind" / folder)
    for file in one.files or ():
        if file.name.startswith("LICEN"):
            copy_file(
                Path(str(one.locate_file(file))), bundle / "licenses" / "nanobind" / file.name
            )


def make_bundle(bundle: Path) -> None:
    """Write the folder anew; what was built in it, and what others put there, stays."""
    if bundle.exists() and any(bundle.iterdir()) and not (bundle / "launcher.py").is_file():
        raise CannotBundle(f"{bundle} is a folder with something else in it")
    for name in ENTRIES:
        if (bundle / name).is_dir():
            shutil.rmtree(bundle / name)
        else:
            (bundle / name).unlink(missing_ok=True)
    copy_file(ROOT / "scripts" / "bundle_launcher.py", bundle / "launcher.py")
    copy_tree(ROOT / "cpp", bundle / "cpp", ".cpp", ".h")
    copy_tree(ROOT / "src" / "tengen", bundle / "src" / "tengen")
    copy_tree(ROOT / "configs", bundle / "configs")
    for name in SCRIPTS:
        copy_file(ROOT / "benchmarks" / name, bundle / "benchmarks" / name)
    for name in ("CMakeLists.txt", "LICENSE"):
        copy_file(ROOT / name, bundle / name)
    copy_file(ROOT / "docs" / "bundle.md", bundle / "README.md")
    copy_nanobind(bundle)
    for one in with_requirements(NEEDED):
        copy_distribution(one, bundle / "site", bundle / "licenses")
    # So that the package knows its version, as an installed one does.
    told = bundle / "site" / f"tengen-{version()}.dist-info" / "METADATA"
    told.parent.mkdir()
    told.write_text(f"Metadata-Version: 2.1\nName: tengen\nVersion: {version()}\n", "utf-8")
    start = bundle / "tengen"
    start.write_text(LAUNCHER, "utf-8")
    start.chmod(0o755)


def size_of(bundle: Path) -> int:
    """Bytes of all that was written."""
    files = [file for name in ENTRIES for file in (bundle / name, *(bundle / name).rglob("*"))]
    return sum(file.stat().st_size for file in files if file.is_file())


def pack(bundle: Path) -> Path:
    """The bundle as one file beside it."""
    name = f"tengen-{version()}-bundle"
    target = bundle.parent / f"{name}.tar.gz"
    with tarfile.open(target, "w:gz") as archive:
        for entry in ENTRIES:
            archive.add(bundle / entry, f"{name}/{entry}")
    return target


def main() -> int:
    parser = argparse.ArgumentParser(description="make a bundle, see docs/bundle.md")
    parser.add_argument("--out", type=Path, default=BUNDLE, help="the folder to write")
    parser.add_argument("--pack", action="store_true", help="write it as one .tar.gz, too")
    args = parser.parse_args()
    try:
        make_bundle(args.out)
        if (size := size_of(args.out)) > MOST_BYTES:
            raise CannotBundle(f"{args.out} has {size >> 20} MiB: {MOST_BYTES >> 20} are allowed")
        print(f"{args.out}: {size / (1 << 20):.1f} MiB")
        if args.pack:
            print(pack(args.out))
    except CannotBundle as error:
        print(f"bundle: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
