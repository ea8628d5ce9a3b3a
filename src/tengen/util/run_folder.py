# SPDX-License-Identifier: MIT
"""The common part of the folders of matches, tuning runs, training runs and zero runs: a metadata
file, which describes the run and has a format number, and an append-only event log.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import platform
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from tengen._version import version
from tengen.util.errors import BadRun
from tengen.util.event_log import EventLog
from tengen.util.files import write_text


class RunFolder:
    """A folder that holds one run. A subclass names its files and adds what the run is:

        class MatchFolder(RunFolder):
            HEAD = "arena.json"
            EVENT_LOG = "games.jsonl"

    A run is resumed from the metadata file and the event log alone; all other files derive from
    them.
    """

    HEAD: ClassVar[str] = "run.json"  # written when the run starts
    EVENT_LOG: ClassVar[str] = "journal.jsonl"
    FORMAT: ClassVar[int] = 1  # of metadata file and event log; other numbers are rejected

    def __init__(self, path: Path) -> None:
        self.path = path
        self._event_log: EventLog | None = None

    @classmethod
    def has_run(cls, path: Path) -> bool:
        return (path / cls.HEAD).exists()

    @classmethod
    def check_unused(cls, path: Path) -> None:
        """Raises BadRun if the folder has a run."""
        if cls.has_run(path) or (path / cls.EVENT_LOG).exists():
            raise BadRun(f"{path} already has a run: use --resume, or another folder")

    def write_head(self, content: Mapping[str, Any]) -> None:
        """Create the folder and write the metadata file, with the format and the version. Raises
        OSError.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        head = {"format": self.FORMAT, "tengen": version(), **content}
        write_text(json.dumps(head, indent=1) + "\n", self.path / self.HEAD)

    @classmethod
    def read_head(cls, path: Path) -> dict[str, Any]:
        """The content of the metadata file. Raises BadRun."""
        try:
            text = (path / cls.HEAD).read_text("utf-8")
        except (FileNotFoundError, NotADirectoryError):
            raise BadRun(f"{path} has no run: there is no {cls.HEAD}") from None
        except (OSError, ValueError) as error:
            raise BadRun(f"{path / cls.HEAD}: {error}") from None
        try:
            head = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadRun(f"{path / cls.HEAD}: {error}") from None
        if not isinstance(head, dict) or head.get("format") != cls.FORMAT:
            raise BadRun(f"{path / cls.HEAD}: not a run of format {cls.FORMAT}")
        return head

    def open_event_log(self) -> EventLog:
        """Open the event log for appending, also as a context manager; `torn_bytes` of it says
        whether a partial line was removed. Raises OSError.
        """
        self._event_log = EventLog(self.path / self.EVENT_LOG)
        return self._event_log

    def close_event_log(self) -> None:
        if self._event_log is not None:
            self._event_log.close()

    def append(self, row: Mapping[str, Any] | str) -> None:
        """Add a row to the event log, which must be open. Raises OSError."""
        if self._event_log is None:
            raise ValueError("open the event log before appending")
        self._event_log.append(row)


def user_and_machine() -> str:
    """A hash of who runs this process and where: equal for the same user on the same machine."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name
        user = ""
    try:
        machine = Path("/etc/machine-id").read_text("ascii").strip()
    except (OSError, ValueError):
        machine = f"{uuid.getnode():x}"
    text = "\0".join((user, platform.node(), machine))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
