# SPDX-License-Identifier: MIT
"""What `tengen` of a bundle does: build the native core for the Python that runs it, if that was
not done before, put the package together, and run the command. See docs/bundle.md.

Needs the standard library, a C++20 compiler and Python's headers; CMake if there is one. Whatever
is installed beside Python's own library does not count. `scripts/bundle.py` puts it into bundles.
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
OLDEST_CMAKE = (3, 22)
TOLD_LINES = 40  # of a failed build


class CannotBuild(Exception):
    """Why the native core cannot be built, in words."""


# --- what is there ---


def fingerprint(*paths: Path) -> str:
    """A short text that changes with the names and contents of files, and of those in folders."""
    found = hashlib.sha256()
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                name = file.relative_to(BUNDLE).as_posix()
                data = file.read_bytes()
                found.update(f"{name} {len(data)}\n".encode() + data)
    return found.hexdigest()[:16]


def compiler() -> str:
    """The C++ compiler: $CXX, or the first of the usual ones."""
    wanted = os.environ.get("CXX", "").strip()
    for name in [wanted] if wanted else ["g++", "c++", "clang++"]:
        path = shutil.which(name)
        if path:
            return path
    if wanted:
        raise CannotBuild(f"there is no compiler {wanted!r}, which CXX names")
    words = "no C++ compiler is found: install g++ or clang++, or name one in CXX"
    raise CannotBuild(words)


def python_headers() -> str:
    """The folder of Python.h."""
    folders = [sysconfig.get_path("include"), sysconfig.get_path("platinclude")]
    for folder in folders:
        if folder and Path(folder, "Python.h").is_file():
            return folder
    version = "{}.{}".format(*sys.version_info[:2])
    raise CannotBuild(
        f"the headers of Python {version} are not installed (no Python.h in {folders[0]}):"
        f" install python{version}-dev or python{version}-devel, or name another Python in PYTHON"
    )


def jobs() -> int:
    given = os.environ.get("TENGEN_BUNDLE_JOBS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def cmake_with() -> list[str] | None:
    """CMake and the arguments that choose its generator; None if it is missing or too old."""
    cmake = shutil.which("cmake")
    if cmake is None:
        return None
    told = subprocess.run([cmake, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"version (\d+)\.(\d+)", told.stdout)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_CMAKE:
        return None
    if shutil.which("ninja"):
        return [cmake, "-G", "Ninja"]
    return [cmake, "-G", "Unix Makefiles"] if shutil.which("make") else None


# --- building ---


def call(command: Sequence[str | Path], log: Path) -> bool:
    """Run a command with its output into a file; whether it went well."""
    with log.open("ab") as file:
        file.write((" ".join(map(str, command)) + "\n").encode())
        file.flush()
        done = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, check=False)
    return done.returncode == 0


def failed(what: str, log: Path) -> CannotBuild:
    lines = log.read_text("utf-8", "replace").splitlines()[-TOLD_LINES:]
    return CannotBuild("\n".join([f"{what} failed:", *lines, f"(all of it: {log})"]))


def build_with_cmake(
    with_generator: list[str], folder: Path, log: Path, tuning: bool
) -> Path | None:
    """The module, or None if CMake cannot make sense of this machine."""
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
    names = re.findall(r"^\s+(cpp/[\w/]+\.cpp)", text, re.MULTILINE)
    bindings = [name for name in names if name.startswith("cpp/bind/")]
    return [name for name in names if name not in bindings], bindings


def compile_commands(folder: Path, tuning: bool) -> Iterator[tuple[list[str], Path]]:
    """One command for each file, with the object that it makes; the flags are those of CMake."""
    base = [compiler(), "-std=c++20", "-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden"]
    base += ["-ffp-contract=off"]  # in CMake only where it matters, for baking
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


def build_plainly(folder: Path, log: Path, tuning: bool) -> Path:
    """The module, by calling the compiler."""
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
    """The native module in `place`, built if it is not there."""
    module = place / f"native-{fingerprint(*NATIVE)}{SUFFIX}"
    if module.is_file():
        return module
    compiler()  # what is missing is told before anything begins
    python_headers()
    with_generator = cmake_with()
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
        built = build_plainly(work / "plain", log, tuning)
    beside = module.with_suffix(".new")
    shutil.copyfile(built, beside)
    beside.replace(module)
    shutil.rmtree(work, ignore_errors=True)
    return module


# --- putting together ---


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Keep other processes from building the same meanwhile."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    with (place / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("waiting for another process that builds")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def put_together(place: Path, tuning: bool) -> Path:
    """The folder with the package as it would be installed: sources, configs, native module."""
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
    """The Python file of that name, here or in the bundle; empty if there is none."""
    places = [Path(name) for name in named] + [BUNDLE / name for name in named]
    return [str(path.resolve()) for path in places if path.is_file()][:1]


def is_set(name: str) -> bool:
    """Whether a variable of the environment asks for something."""
    return os.environ.get(name, "") not in ("", "0")


def say(words: str) -> None:
    print(f"tengen bundle: {words}", file=sys.stderr, flush=True)


def main() -> str:
    """Does not return if all goes well: the command takes its place. Else why not, in words."""
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
        package = put_together(builds / (tag + ("-tuning" if tuning else "")), tuning)
    except CannotBuild as error:
        return f"tengen bundle: {error}"
    except OSError as error:
        hint = "TENGEN_BUNDLE_BUILD names another folder to build in"
        return f"tengen bundle: {error.filename}: {error.strerror}; {hint}"
    environment = dict(os.environ)
    folders = [package, BUNDLE / "site", BUNDLE / "benchmarks"]
    environment["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    # -P: the folder that the user is in holds no modules. -S: nor does what is installed.
    alone = [] if is_set("TENGEN_BUNDLE_INSTALLED") else ["-S"]
    command = [sys.executable, "-P", *alone, *what, *arguments]
    return os.execve(sys.executable, command, environment)


if __name__ == "__main__":
    sys.exit(main())
