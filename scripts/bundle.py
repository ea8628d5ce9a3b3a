# SPDX-License-Identifier: MIT
"""Makes a bundle: a folder with everything needed to build and run tengen on a machine without
package registries (`make bundle`, docs/bundle.md).

Copies nanobind, rich and the dependencies of rich from the Python that runs it.
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
REQUIRED = "rich"  # at run time; only `tengen.game.batch` needs NumPy, which is not included
MAX_BYTES = 20 << 20
PAGE_ENGINE = ROOT / "src" / "tengen" / "web" / "static" / "engine"  # by `make wasm`
# All files and folders of a bundle.
ENTRIES = [
    *("tengen", "launcher.py", "README.md", "LICENSE", "licenses"),
    *("CMakeLists.txt", "cpp", "nanobind", "src", "configs", "benchmarks", "site"),
]
# Benchmarks that need only the package, and their helper.
SCRIPTS = ("bench_common.py", "levels.py")
LAUNCHER = """\
#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs tengen from this folder; builds it first if necessary. PYTHON names another Python.
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


class BundleError(Exception):
    """What is missing."""


def version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def copy_tree(source: Path, target: Path, *endings: str) -> None:
    """Copy the files of a folder; with `endings`, only those."""
    for file in sorted(source.rglob("*")):
        built = file.suffix in (".pyc", ".so") or PAGE_ENGINE in file.parents
        if file.is_file() and not built and (not endings or file.suffix in endings):
            copy_file(file, target / file.relative_to(source))


def distribution(name: str) -> metadata.Distribution:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        problem = f"{name} is not installed for {sys.executable}: use `make bundle`"
        raise BundleError(problem) from None


def with_requirements(name: str) -> list[metadata.Distribution]:
    """A distribution and its requirements, without extras."""
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
    """Copy its modules to `site` and its licence to `licenses`."""
    has_licence = False
    for file in one.files or ():
        path = Path(str(one.locate_file(file)))
        if file.suffix in (".so", ".pyd"):
            raise BundleError(f"{one.name} has {file}: only pure Python can be included")
        if ".dist-info" in file.parts[0]:
            if re.match(r"licen[cs]e|copying|authors", file.name, re.IGNORECASE):
                has_licence = True
                copy_file(path, licenses / one.name / file.name)
        elif file.parts[0] not in ("..", "__pycache__") and file.suffix != ".pyc":
            copy_file(path, site / file)
    if not has_licence:
        raise BundleError(f"{one.name} has no licence file")


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
    """Replace the files of the bundle; builds and other files in the folder stay."""
    if bundle.exists() and any(bundle.iterdir()) and not (bundle / "launcher.py").is_file():
        raise BundleError(f"{bundle} is a folder with other files")
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
    for name in ("svelte", "clsx"):  # of the built page
        copy_file(ROOT / "licenses" / f"{name}.txt", bundle / "licenses" / name / "LICENSE")
    copy_nanobind(bundle)
    for one in with_requirements(REQUIRED):
        copy_distribution(one, bundle / "site", bundle / "licenses")
    # The package reads its version from here.
    about = bundle / "site" / f"tengen_gomoku-{version()}.dist-info" / "METADATA"
    about.parent.mkdir()
    about.write_text(f"Metadata-Version: 2.1\nName: tengen-gomoku\nVersion: {version()}\n", "utf-8")
    start = bundle / "tengen"
    start.write_text(LAUNCHER, "utf-8")
    start.chmod(0o755)


def size_of(bundle: Path) -> int:
    """Size of the bundle in bytes."""
    files = [file for name in ENTRIES for file in (bundle / name, *(bundle / name).rglob("*"))]
    return sum(file.stat().st_size for file in files if file.is_file())


def pack(bundle: Path) -> Path:
    """Write the bundle as one file beside it."""
    name = f"tengen-{version()}-bundle"
    target = bundle.parent / f"{name}.tar.gz"
    with tarfile.open(target, "w:gz") as archive:
        for entry in ENTRIES:
            archive.add(bundle / entry, f"{name}/{entry}")
    return target


def main() -> int:
    parser = argparse.ArgumentParser(description="make a bundle, see docs/bundle.md")
    parser.add_argument("--out", type=Path, default=BUNDLE, help="the folder to write")
    parser.add_argument("--pack", action="store_true", help="also write it as one .tar.gz")
    args = parser.parse_args()
    try:
        make_bundle(args.out)
        if (size := size_of(args.out)) > MAX_BYTES:
            raise BundleError(f"{args.out} has {size >> 20} MiB: {MAX_BYTES >> 20} are allowed")
        print(f"{args.out}: {size / (1 << 20):.1f} MiB")
        if args.pack:
            print(pack(args.out))
    except BundleError as error:
        print(f"bundle: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
