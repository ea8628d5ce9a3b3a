# SPDX-License-Identifier: MIT
"""How far a run has come, read from its folder while it runs or later. Relies on the folder and the
replay's manifest; the command line relies on it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tengen.data import Manifest
from tengen.zero.folder import ZeroFolder, read_events

__all__ = ["status"]


def status(path: Path) -> dict[str, Any]:
    """What a run is and has done. Raises BadZero, BadData."""
    folder = ZeroFolder.read(path)
    rows = read_events(folder.journal)
    learned = [row for row in rows if row["event"] == "learn"]
    gates = [row for row in rows if row["event"] == "gate"]
    has_replay = (folder.replay / "manifest.json").exists()
    counts = dict(Manifest.load(folder.replay).counts) if has_replay else {}
    generations = folder.generations()
    last = learned[-1] if learned else {}
    return {
        "folder": str(path),
        "rule": folder.config.rule,
        "size": folder.config.size,
        "net": folder.config.spec.name,
        "colours": folder.config.colours,
        "ships": folder.ships,
        "minutes": round(max((row["seconds"] for row in rows), default=0.0) / 60, 2),
        "planned_minutes": folder.config.minutes,
        "generation": generations[-1].number if generations else None,
        "step": last.get("step", 0),
        "counts": counts,
        "gates": len(gates),
        "accepted": sum(bool(row.get("accepted")) for row in gates),
        "rejected": sum(row["event"] == "rejected" for row in rows),
        "losses": {name: last[name] for name in ("value", "policy") if name in last},
    }
