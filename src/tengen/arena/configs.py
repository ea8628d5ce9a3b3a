# SPDX-License-Identifier: MIT
"""Where the files lie that come with the package: presets of matches, opening files.

They are in `configs/` of the repository, and in `tengen/configs` of an installed package. Imports
only the errors of the arena.
"""

from __future__ import annotations

from pathlib import Path

from tengen.arena.errors import BadArena

__all__ = ["config_folder", "find_config"]


def config_folder() -> Path:
    """The folder `configs`. Raises BadArena if this installation has none."""
    package = Path(__file__).resolve().parents[1]
    installed, checkout = package / "configs", package.parents[1] / "configs"
    if installed.is_dir():
        return installed
    if package.parent.name == "src" and checkout.is_dir():
        return checkout
    raise BadArena(f"no folder {installed}: this installation came without its configs")


def find_config(name: str) -> Path:
    """A TOML file by its path, or by the name that it has in `configs/arena`: "short". Raises
    BadArena with the names that there are.
    """
    given = Path(name)
    if given.is_file():
        return given
    plain = bool(name) and given.name == name
    shipped = config_folder() / "arena"
    for wanted in (name, f"{name}.toml") if plain else ():
        if (shipped / wanted).is_file():
            return shipped / wanted
    known = ", ".join(sorted(path.stem for path in shipped.glob("*.toml"))) or "none"
    raise BadArena(f"no file {name!r}, and no config of that name: there are {known}")
