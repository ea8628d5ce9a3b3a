# SPDX-License-Identifier: MIT
"""The command `tengen` of a bundle: builds the native core for this Python unless that is done,
assembles the package, and runs the command. See docs/bundle.md.

Needs the standard library, a C++20 compiler and Python's headers; uses CMake if there is one.
Installed packages are ignored. `scripts/bundle.py` copies this file into bundles.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

BUNDLE = Path(__file__).resolve().parent
NANOBIND = BUNDLE / "nanobind"
NATIVE = (BUNDLE / "cpp", BUNDLE / "CMakeLists.txt", NANOBIND)
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX") or ".so"  # ".cpython-312-x86_64-linux-gnu.so"
MIN_CMAKE = (3, 22)
LOG_LINES = 40  # printed of a failed build


class BuildError(Exception):
    """Why the native core cannot be built."""


# --- environment ---


def fingerprint(*paths: Path) -> str:
    """A hash of the names and contents of files and folders."""
    digest = hashlib.sha256()
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                name = file.relative_to(BUNDLE).as_posix()
                data = file.read_bytes()
                digest.update(f"{name} {len(data)}\n".encode() + data)
    return digest.hexdigest()[:16]


def compiler() -> str:
    """The C++ compiler: $CXX, or the first of the usual ones."""
    wanted = os.environ.get("CXX", "").strip()
    for name in [wanted] if wanted else ["g++", "c++", "clang++"]:
        path = shutil.which(name)
        if path:
            return path
    if wanted:
        raise BuildError(f"there is no compiler {wanted!r}, which CXX names")
    raise BuildError("no C++ compiler is found: install g++ or clang++, or name one in CXX")


def python_headers() -> str:
    """The folder of Python.h."""
    folders = [sysconfig.get_path("include"), sysconfig.get_path("platinclude")]
    for folder in folders:
        if folder and Path(folder, "Python.h").is_file():
            return folder
    version = "{}.{}".format(*sys.version_info[:2])
    raise BuildError(
        f"the headers of Python {version} are not installed (no Python.h in {folders[0]}):"
        f" install python{version}-dev or python{version}-devel, or name another Python in PYTHON"
    )


def jobs() -> int:
    given = os.environ.get("TENGEN_BUNDLE_JOBS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def cmake_command() -> list[str] | None:
    """CMake with the arguments of its generator; None if it is missing or too old."""
    cmake = shutil.which("cmake")
    if cmake is None:
        return None
    output = subprocess.run([cmake, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"version (\d+)\.(\d+)", output.stdout)
    if found is None or (int(found[1]), int(found[2])) < MIN_CMAKE:
        return None
    if shutil.which("ninja"):
        return [cmake, "-G", "Ninja"]
    return [cmake, "-G", "Unix Makefiles"] if shutil.which("make") else None


# --- building ---


def call(command: Sequence[str | Path], log: Path) -> bool:
    """Run a command with its output in a file; returns whether it succeeded."""
    with log.open("ab") as file:
        file.write((" ".join(map(str, command)) + "\n").encode())
        file.flush()
        done = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, check=False)
    return done.returncode == 0


def failed(what: str, log: Path) -> BuildError:
    lines = log.read_text("utf-8", "replace").splitlines()[-LOG_LINES:]
    return BuildError("\n".join([f"{what} failed:", *lines, f"(full log: {log})"]))


def build_with_cmake(
    with_generator: list[str], folder: Path, log: Path, tuning: bool
) -> Path | None:
    """The module, or None if CMake cannot configure on this machine."""
    cmake, *generator = with_generator
    configure = [cmake, "-S", str(BUNDLE), "-B", str(folder), *generator]
    configure += ["-DCMAKE_BUILD_TYPE=Release", "-DTENGEN_MODULE=ON", "-DTENGEN_TESTS=OFF"]
    configure += [f"-DTENGEN_TUNING={'ON' if tuning else 'OFF'}"]
    configure += [f"-Dnanobind_ROOT={NANOBIND / 'cmake'}", f"-DPython_EXECUTABLE={sys.executable}"]
    configure += [f"-DCMAKE_CXX_COMPILER={compiler()}"]
    if not call(configure, log):
        return None
    if not call([cmake, "--build", folder, "--parallel", str(jobs())], log):
        raise failed("the build", log)
    modules = list(folder.glob("_core*.so"))
    return modules[0] if modules else None


def native_sources() -> tuple[list[str], list[str]]:
    """The files of the native core and of its bindings: those that CMakeLists.txt names."""
    text = (BUNDLE / "CMakeLists.txt").read_text("utf-8")

    def files_of(target: str) -> list[str]:
        (block,) = re.findall(rf"^\s*{re.escape(target)}([^)]*)\)", text, re.MULTILINE)
        return re.findall(r"cpp/[\w/]+\.cpp", block)

    return files_of("add_library(tengen_core STATIC"), files_of(
        "nanobind_add_module(_core NB_STATIC"
    )


def compile_commands(folder: Path, tuning: bool) -> Iterator[tuple[list[str], Path]]:
    """One command for each file, with the object that it makes; the flags are those of CMake."""
    base = [compiler(), "-std=c++20", "-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden"]
    base += ["-ffp-contract=off"]  # CMake sets it only for baking
    base += ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3"]
    base += ["-fvisibility-inlines-hidden", "-pthread", f"-I{BUNDLE / 'cpp'}"]
    base += ["-DTENGEN_TUNING"] if tuning else []
    bound = [f"-I{python_headers()}", f"-I{NANOBIND / 'include'}", "-fno-stack-protector"]
    bound += ["-ffunction-sections", "-fdata-sections"]
    own = ["-DNB_BUILD", "-DNB_COMPACT_ASSERTIONS", "-fno-strict-aliasing"]
    own += [f"-I{NANOBIND / 'ext' / 'robin_map' / 'include'}"]
    core, bindings = native_sources()
    sources = [(name, base) for name in core]
    sources += [(name, [*base, *bound, "-Os"]) for name in bindings]
    sources += [("nanobind/src/nb_combined.cpp", [*base, *bound, *own])]
    for number, (name, flags) in enumerate(sources):
        made = folder / f"{number:02}-{Path(name).stem}.o"
        yield [*flags, "-c", str(BUNDLE / name), "-o", str(made)], made


def build_without_cmake(folder: Path, log: Path, tuning: bool) -> Path:
    """The module, built by calling the compiler."""
    folder.mkdir(parents=True, exist_ok=True)
    commands = list(compile_commands(folder, tuning))

    def compiled(number: int) -> None:
        own = folder / f"{number:02}.log"
        own.unlink(missing_ok=True)
        if not call(commands[number][0], own):
            raise failed("the compiler", own)

    with ThreadPoolExecutor(jobs()) as pool:
        list(pool.map(compiled, range(len(commands))))
    module = folder / f"_core{SUFFIX}"
    mac = sys.platform == "darwin"
    link = ["-bundle", "-undefined", "dynamic_lookup"] if mac else ["-shared", "-Wl,-s"]
    link += ["-Wl,-dead_strip"] if mac else ["-Wl,--gc-sections"]
    objects = [made for _, made in commands]
    if not call([compiler(), *link, "-pthread", "-o", module, *objects], log):
        raise failed("the linker", log)
    return module


def build_module(place: Path, tuning: bool) -> Path:
    """The native module in `place`; builds it if it is missing."""
    module = place / f"native-{fingerprint(*NATIVE)}{SUFFIX}"
    if module.is_file():
        return module
    compiler()  # reports what is missing before the build
    python_headers()
    with_generator = cmake_command()
    how = "CMake" if with_generator else "the compiler alone"
    python = "Python {}.{}".format(*sys.version_info[:2])
    kind = ", the build for tuning" if tuning else ""
    say(f"building the native core for {python} on {platform.machine()} with {how}{kind}")
    work = place / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    log = work / "build.log"
    built = (
        build_with_cmake(with_generator, work / "cmake", log, tuning) if with_generator else None
    )
    if built is None:
        built = build_without_cmake(work / "plain", log, tuning)
    beside = module.with_suffix(".new")
    shutil.copyfile(built, beside)
    beside.replace(module)
    shutil.rmtree(work, ignore_errors=True)
    return module


# --- package ---


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Lock the folder against other builds."""
    try:
        import fcntl
    except ImportError:  # the system has no such locks
        yield
        return
    with (place / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("waiting for the build of another process")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def assemble(place: Path, tuning: bool) -> Path:
    """The folder with the complete package: sources, configs, native module."""
    package, configs = BUNDLE / "src" / "tengen", BUNDLE / "configs"
    ready = place / f"package-{fingerprint(package, configs, *NATIVE)}"
    if ready.is_dir():
        return ready
    place.mkdir(parents=True, exist_ok=True)
    with locked(place):
        if not ready.is_dir():
            module = build_module(place, tuning)
            beside = place / "package-new"
            shutil.rmtree(beside, ignore_errors=True)
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(package, beside / "tengen", ignore=ignored)
            shutil.copytree(configs, beside / "tengen" / "configs")
            shutil.copyfile(module, beside / "tengen" / f"_core{SUFFIX}")
            beside.rename(ready)
    return ready


def script(named: Sequence[str]) -> list[str]:
    """The Python file of that name, local or in the bundle; empty if there is none."""
    places = [Path(name) for name in named] + [BUNDLE / name for name in named]
    return [str(path.resolve()) for path in places if path.is_file()][:1]


def is_set(name: str) -> bool:
    """Whether an environment variable is set and not 0."""
    return os.environ.get(name, "") not in ("", "0")


def say(message: str) -> None:
    print(f"tengen bundle: {message}", file=sys.stderr, flush=True)


def main() -> str:
    """Replaces this process by the command; returns an error message if that fails."""
    arguments = sys.argv[1:]
    tuning = is_set("TENGEN_BUNDLE_TUNING")
    if arguments[:1] == ["--tuning"]:
        tuning, arguments = True, arguments[1:]
    what = ["-m", "tengen.cli.main"]
    if arguments[:1] == ["--script"]:
        what, arguments = [*script(arguments[1:2])], arguments[2:]
        if not what:
            return "tengen bundle: no such script: name a Python file after --script"
    builds = Path(os.environ.get("TENGEN_BUNDLE_BUILD") or BUNDLE / "build").absolute()
    tag = SUFFIX.strip(".").rpartition(".")[0] or platform.machine()
    try:
        package = assemble(builds / (tag + ("-tuning" if tuning else "")), tuning)
    except BuildError as error:
        return f"tengen bundle: {error}"
    except OSError as error:
        hint = "TENGEN_BUNDLE_BUILD names another folder to build in"
        return f"tengen bundle: {error.filename}: {error.strerror}; {hint}"
    environment = dict(os.environ)
    folders = [package, BUNDLE / "site", BUNDLE / "benchmarks"]
    environment["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    # -P: no modules from the current folder. -S: no installed packages.
    isolated = [] if is_set("TENGEN_BUNDLE_INSTALLED") else ["-S"]
    command = [sys.executable, "-P", *isolated, *what, *arguments]
    return os.execve(sys.executable, command, environment)


if __name__ == "__main__":
    sys.exit(main())
