# SPDX-License-Identifier: MIT
"""The messages that only the server has: hello, stop, storage, conversion of records.

Engine requests are passed to the core unread, which validates them (docs/formats/page.md). The
types of all messages are in web/src/lib/protocol.ts.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

MAX_ID = 2**31 - 1
_MAX_MEMBERS = 8  # of a request of the server; pydantic would list each unknown one

Id = Annotated[int, Field(ge=0, le=MAX_ID)]  # of a request; its events carry it
Name = Annotated[str, Field(max_length=40)]  # of a game or a problem
Text = Annotated[str, Field(max_length=200)]

ENGINE_REQUESTS = frozenset(
    ("view", "new_game", "move", "swap2", "analyse", "solve", "proof_step", "attempt", "review")
)


class Message(BaseModel):
    """Base of all messages: no unknown fields, no implicit conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


# --- requests ---


class HelloRequest(Message):
    """The first message of a connection."""

    type: Literal["hello"]
    session: Text | None = None  # of an earlier connection; None: a new session
    token: Text | None = None


class StopRequest(Message):
    """End the request with that id early."""

    type: Literal["stop"]
    id: Id


class ListGamesRequest(Message):
    type: Literal["list_games"]
    id: Id


class SaveGameRequest(Message):
    """Store a game; the server does not interpret its state."""

    type: Literal["save_game"]
    id: Id
    game: Annotated[Name, Field(min_length=1)]
    state: str


class SaveStudyRequest(Message):
    """Store the study for the next visit; the server does not interpret the text."""

    type: Literal["save_study"]
    id: Id
    text: str


class SaveSolvedRequest(Message):
    type: Literal["save_solved"]
    id: Id
    problem: Annotated[Name, Field(min_length=1)]


class ConvertRecordRequest(Message):
    """Convert a record of any format to SGF. `name` is that of its file, or empty."""

    type: Literal["convert_record"]
    id: Id
    text: str
    name: Text = ""


ServerRequest: TypeAlias = Annotated[
    HelloRequest
    | StopRequest
    | ListGamesRequest
    | SaveGameRequest
    | SaveStudyRequest
    | SaveSolvedRequest
    | ConvertRecordRequest,
    Field(discriminator="type"),
]
_SERVER_REQUEST: TypeAdapter[ServerRequest] = TypeAdapter(ServerRequest)


class EngineRequest(NamedTuple):
    """An engine request: its text, and what selects an engine for it."""

    type: str
    id: int
    level: int | None
    text: str


_ID = re.compile(r'"id"\s*:\s*(\d{1,9})\b')
# Parts of a long message.
_START = re.compile(r'\s*+\{(?=\s*+"type"\s*+:\s*+"(?:save_game|save_study|convert_record)")')
_MEMBER = re.compile(r'\s*+"(\w{1,20}+)"\s*+:\s*+(?=["\d])', re.ASCII)
_NEXT = re.compile(r"\s*+(?:,|(\}\s*+\Z))")
_DECODER = json.JSONDecoder()


class InvalidMessage(Exception):
    """A message that is no request. `id` is its id, if it has one."""

    def __init__(self, problem: str, id: int | None) -> None:
        super().__init__(problem)
        self.id = id


def _read_long(text: str, limit: int) -> dict[str, Any]:
    """Reads a message of more than `limit` characters: it begins with a type that may have more,
    and has few members, all strings and numbers. Of others `json.loads` would make up to a hundred
    thousand objects before they can be rejected.
    """
    message: dict[str, Any] = {}
    following = _START.match(text)
    for _ in range(_MAX_MEMBERS):
        if following is None or (member := _MEMBER.match(text, following.end())) is None:
            break
        message[member[1]], end = _DECODER.raw_decode(text, member.end())
        following = _NEXT.match(text, end)
        if following is not None and following[1]:
            return message
    found = _ID.search(text[:200]) or _ID.search(text[-60:])
    raise InvalidMessage(f"longer than {limit} characters", int(found[1]) if found else None)


def parse(text: str, limit: int = 64 << 10) -> ServerRequest | EngineRequest:
    """Reads a message; only some types may have more than `limit` characters. Raises
    InvalidMessage.
    """
    try:
        message = json.loads(text) if len(text) <= limit else _read_long(text, limit)
    except RecursionError:
        raise InvalidMessage("the message is nested too deeply", None) from None
    except ValueError as error:
        raise InvalidMessage(f"the message is no JSON: {error}"[:200], None) from None
    if not isinstance(message, dict):
        raise InvalidMessage("expected an object", None)
    id = message.get("id")
    if type(id) is not int or not 0 <= id <= MAX_ID:
        id = None
    kind = message.get("type")
    if isinstance(kind, str) and kind in ENGINE_REQUESTS:
        if id is None:
            raise InvalidMessage(f"id: expected a whole number from 0 to {MAX_ID}", None)
        level = message.get("level")
        return EngineRequest(kind, id, level if type(level) is int else None, text)
    if len(message) > _MAX_MEMBERS:
        raise InvalidMessage(f"more than {_MAX_MEMBERS} members", id)
    try:
        request = _SERVER_REQUEST.validate_python(message)
        for value in message.values():
            if isinstance(value, str):
                value.encode()
    except UnicodeEncodeError:
        raise InvalidMessage("the message has half a surrogate pair", id) from None
    except ValidationError as error:
        raise InvalidMessage(_problem(error), id) from None
    return request


def _problem(error: ValidationError) -> str:
    first: Any = error.errors(include_url=False, include_input=False, include_context=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    return f"{key or 'message'}: {first['msg']}"[:300]


# --- events ---


class WelcomeEvent(Message):
    """Answers `hello`."""

    type: Literal["welcome"] = "welcome"
    session: str
    version: str
    study: str | None  # as `save_study` sent it
    solved: list[str]  # names of problems
    storage: str  # why nothing is stored permanently; empty: it is


class QueuedEvent(Message):
    """The request waits until an engine is free."""

    type: Literal["queued"] = "queued"
    id: int


class SavedEvent(Message):
    type: Literal["saved"] = "saved"
    id: int


class StoredGame(Message):
    """A stored game: its state is JSON of the page."""

    game: str
    state: str
    changed: float  # Unix time in seconds


class GamesEvent(Message):
    type: Literal["games"] = "games"
    id: int
    games: list[StoredGame]  # newest first


class ConvertedEvent(Message):
    type: Literal["converted"] = "converted"
    id: int
    games: list[str]  # each as SGF


class ErrorEvent(Message):
    """A request failed. `code` selects the translation, `text` is English."""

    type: Literal["error"] = "error"
    id: int | None
    code: str
    text: str


def error_text(code: str, text: str, id: int | None = None) -> str:
    """An error event as JSON."""
    return ErrorEvent(id=id, code=code, text=text[:500]).model_dump_json()
