# SPDX-License-Identifier: MIT
"""Load test: fifty clients on one server for ten minutes, half of them rude. Prints the worst and
the 99th percentile round trips of the polite ones, for a view (a ping) and for an answer of the
engine at level 3, alone and during each attack; and the server's memory against its documented
budget.

    python benchmarks/web_load.py --minutes 10

The rude clients run in their own process at a low priority, as they would on other machines. They
flood, send garbage, huge and tiny frames, request all the search, records and storage they can get,
leave connections half open, and reconnect without end.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import os
import random
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from bench_common import make_parser, print_machine
from strict_client import memory_of
from tengen.web.limits import ServerLimits

_ERRORS = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError, EOFError)
_PAUSE = 0.2  # s between two moves of a polite client
_LEVEL = 3
_ATTACK_TIME = 6.0  # s of measurement during each single attack
_BASE_MEMORY = 400  # MiB of the process itself: Python, nets, parsers
_CONNECTION_MEMORY = 10  # MiB that a hostile connection may occupy
_SIGNS = "abcdefghijklmno"
_LONG = [f"{column}{row}" for row in range(1, 11) for column in _SIGNS]
_TINY = b"\x89\x80\x00\x00\x00\x00" * 100_000  # pings
_PARTS = b"\x01\x80\x00\x00\x00\x00" + b"\x00\x80\x00\x00\x00\x00" * 100_000  # of one message
# What takes long to parse: its beginning, and what is repeated.
_HUGE = (
    ('{"type": "view", "id": 1, "x": [', "1,"),
    ('{"type": "save_study", "id": 1, "x": [', "[],"),
    ('{"type": "save_study", ', '"id": 1, '),
    ('{"type": "save_study", "id": 1, "text": "', r"\u00e9"),
)


class Clients:
    """Clients of one server, and what they measure."""

    def __init__(self, port: int, seconds: float) -> None:
        self.host = f"127.0.0.1:{port}"
        self.end = time.monotonic() + seconds
        self.counts: Counter[str] = Counter()

    @property
    def is_running(self) -> bool:
        return time.monotonic() < self.end

    @asynccontextmanager
    async def link(self, hello: bool = True) -> AsyncIterator[Any]:
        url, origin = f"ws://{self.host}/ws", f"http://{self.host}"
        async with connect(url, origin=origin, max_size=8 << 20) as link:  # type: ignore[arg-type]
            if hello:
                await link.send(json.dumps({"type": "hello"}))
            yield link

    async def tcp(self, data: bytes) -> asyncio.StreamWriter:
        _, writer = await asyncio.open_connection(*self.host.split(":"))
        writer.write(data)
        return writer


class Polite(Clients):
    """Clients that play: they view the position after their move, and wait for the engine's."""

    def __init__(self, port: int, seconds: float) -> None:
        super().__init__(port, seconds)
        self.waits: dict[str, list[tuple[float, float]]] = {"view": [], "move": []}
        self._id = 0

    async def play(self, number: int) -> None:
        """Plays until the end; reconnects after a rejection."""
        chance = random.Random(number)
        while self.is_running:
            try:
                async with self.link() as link:
                    while self.is_running:
                        await self._game(link, chance)
            except _ERRORS as error:
                self.counts[f"polite: {type(error).__name__}"] += 1
                await asyncio.sleep(0.5)

    async def _game(self, link: Any, chance: random.Random) -> None:
        moves: list[str] = []
        self.counts["games"] += 1
        while self.is_running and len(moves) < 60:
            free = [name for name in _LONG if name not in moves]
            moves.append(chance.choice(free))
            if await self._is_over(link, moves):
                return
            reply = await self._ask(link, "move", position={"moves": moves}, level=_LEVEL)
            moves.append(reply["move"])
            if await self._is_over(link, moves):
                return
            await asyncio.sleep(_PAUSE)

    async def _is_over(self, link: Any, moves: list[str]) -> bool:
        event = await self._ask(link, "view", position={"moves": moves})
        return event["views"][-1]["outcome"] is not None

    async def _ask(self, link: Any, kind: str, **more: Any) -> dict[str, Any]:
        """The answer to a request; reconnects after an error."""
        start = time.monotonic()
        self._id += 1
        await link.send(json.dumps({"type": kind, "id": self._id} | more))
        while True:
            event: dict[str, Any] = json.loads(await link.recv())
            if event["type"] == "error":
                self.counts[f"polite error: {event['code']}"] += 1
                raise EOFError(event["text"])
            if event["type"] in ("views", "move"):
                self.waits[kind].append((start, time.monotonic() - start))
                return event

    def report(self, title: str, start: float, end: float) -> None:
        """Prints the round trips of requests that were sent between two times."""
        texts = []
        for kind, waits in self.waits.items():
            times = sorted(wait for when, wait in waits if start <= when < end)
            if not times:
                texts.append(f"{kind}: none")
                continue
            texts.append(
                f"{kind} {len(times)}: median {statistics.median(times):.3f} s,"
                f" 99% {times[int(0.99 * len(times))]:.3f} s, worst {times[-1]:.3f} s"
            )
        print(f"{title:<22} {'; '.join(texts)}", flush=True)


class Rude(Clients):
    """Clients that run one attack after the other."""

    def attacks(self) -> dict[str, Callable[[random.Random], Awaitable[None]]]:
        return {
            "flood": self._flood,
            "views of long games": self._views,
            "garbage": self._garbage,
            "huge messages": self._huge,
            "tiny frames": self._tiny,
            "bad UTF-8": self._bad_text,
            "half-sent requests": self._half_sent,
            "unread events": self._unread,
            "reconnections": self._storm,
            "searches": self._hog,
            "moves and attempts": self._quick,
            "records": self._records,
            "storage": self._storage,
        }

    async def attack(self, number: int, only: str = "") -> None:
        chance = random.Random(1000 + number)
        attacks = self.attacks()
        while self.is_running:
            name = only or chance.choice(list(attacks))
            self.counts[name] += 1
            try:
                async with asyncio.timeout(max(1.0, min(30.0, self.end - time.monotonic()))):
                    await attacks[name](chance)
            except _ERRORS as error:
                self.counts[f"rude: {type(error).__name__}"] += 1
            await asyncio.sleep(0.05)

    async def _send(self, messages: list[dict[str, Any]], times: int = 1) -> None:
        """Sends messages with new ids, and reads what comes."""
        async with self.link() as link:
            reader = asyncio.create_task(self._drain(link))
            try:
                for id in range(times * len(messages)):
                    await link.send(json.dumps(messages[id % len(messages)] | {"id": id}))
                await asyncio.sleep(5)
            finally:
                reader.cancel()

    async def _drain(self, link: Any) -> None:
        with contextlib.suppress(*_ERRORS):
            async for _ in link:
                pass

    async def _flood(self, chance: random.Random) -> None:
        """A hundred small messages and many more."""
        await self._send([{"type": "view", "position": {}}], 2000)

    async def _views(self, chance: random.Random) -> None:
        position = {"rule": "renju", "size": 22, "moves": _LONG}
        await self._send([{"type": "view", "position": position, "whole_line": True}], 500)

    async def _garbage(self, chance: random.Random) -> None:
        async with self.link() as link:
            for _ in range(200):
                await link.send(chance.randbytes(200))
                await link.send("{" * chance.randrange(400))

    async def _huge(self, chance: random.Random) -> None:
        async with self.link() as link:
            for size in (500_000, 65_000, 500_000, 2 << 20):
                begin, item = chance.choice(_HUGE)
                await link.send(begin + item * (size // len(item)))

    async def _tiny(self, chance: random.Random) -> None:
        async with self.link() as link:
            for _ in range(20):
                link.transport.write(chance.choice((_TINY, _PARTS)))
                await asyncio.sleep(0.5)

    async def _bad_text(self, chance: random.Random) -> None:
        for _ in range(50):
            async with self.link() as link:
                link.transport.write(struct.pack("!BB4x2s", 0x81, 0x82, b"\xc3\x28"))
                await link.recv()

    async def _half_sent(self, chance: random.Random) -> None:
        writers = [await self.tcp(b"GET / HTTP/1.1\r\nHost: 127.") for _ in range(512)]
        await asyncio.sleep(4)
        for writer in writers:
            writer.close()

    async def _unread(self, chance: random.Random) -> None:
        async with self.link() as link:
            link.transport.pause_reading()
            request = {"type": "view", "position": {"moves": _LONG}, "whole_line": True}
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(8):
                    for number in range(3000):
                        await link.send(json.dumps(request | {"id": number}))
            link.transport.abort()

    async def _storm(self, chance: random.Random) -> None:
        for _ in range(100):
            try:
                async with self.link(hello=chance.random() < 0.5) as link:
                    link.transport.abort()
            except _ERRORS:
                self.counts["reconnections rejected"] += 1

    async def _hog(self, chance: random.Random) -> None:
        position = {"rule": chance.choice(["freestyle", "renju"]), "moves": ["h8", "i9", "g7"]}
        await self._send(
            [
                {"type": "solve", "position": position, "goal": "vct", "seconds": 30},
                {"type": "analyse", "position": position, "seconds": 600},
                {"type": "move", "position": position, "seconds": 60},
                {"type": "review", "position": position, "effort": 10},
            ],
            3,
        )

    async def _quick(self, chance: random.Random) -> None:
        moves = chance.sample(_LONG, 31)
        position = {"size": 22, "moves": moves}
        await self._send(
            [
                {"type": "move", "position": position, "level": 6},
                {"type": "attempt", "position": position, "goal": "vct"},
                {"type": "new_game"},
            ],
            100,
        )

    async def _records(self, chance: random.Random) -> None:
        """Half a megabyte of moves, variations or games."""
        texts = ("(;GM[4]SZ[15]" + ";B[hh]" * 65_000, "(" * 399_000, "h8 " * 130_000)
        text = chance.choice(texts)
        await self._send([{"type": "convert_record", "text": text, "name": ""}], 10)

    async def _storage(self, chance: random.Random) -> None:
        games = [{"type": "save_game", "game": str(n), "state": "x" * 60_000} for n in range(40)]
        await self._send([*games, {"type": "save_study", "text": "x" * 390_000}])
        await self._send([{"type": "list_games"}], 200)


# --- the measurement ---


def _memory(pid: int) -> float:
    """MiB of the server and of the process that converts records."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    pids = [pid, *map(int, children.read_text().split())] if children.exists() else [pid]
    return sum(map(memory_of, pids)) / 2**20


def _budget(limits: ServerLimits) -> float:
    """The documented memory of a server in MiB (docs/web.md)."""
    shared = 2 * limits.engines * 40
    searching = limits.engines * (limits.quick_memory + 2 * limits.memory + 36)
    convert = limits.convert_memory / 2**20
    connections = limits.connections * _CONNECTION_MEMORY
    return _BASE_MEMORY + limits.engine_memory + searching + shared + convert + connections


def _rude_process(port: int, seconds: float, clients: int, only: str = "") -> subprocess.Popen[str]:
    arguments = ["--port", str(port), "--minutes", str(seconds / 60), "--clients", str(clients)]
    command = [sys.executable, __file__, "--rude", *arguments, "--attack", only]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def _run_rude(rude: Rude, clients: int, only: str) -> None:
    tasks = [asyncio.create_task(rude.attack(number, only)) for number in range(clients)]
    await asyncio.wait(tasks, timeout=rude.end - time.monotonic() + 5)
    for task in tasks:
        task.cancel()


async def _measure(port: int, pid: int, seconds: float, clients: int) -> list[float]:
    """Runs the polite clients: alone, during each attack, and during all; returns the memory over
    time in MiB.
    """
    names = list(Rude(port, 0).attacks())
    polite = Polite(port, math.inf)
    tasks = [asyncio.create_task(polite.play(number)) for number in range(clients)]
    sizes = [_memory(pid)]

    async def phase(title: str, length: float, only: str | None) -> None:
        start = time.monotonic()
        rude = None if only is None else _rude_process(port, length, clients, only)
        while time.monotonic() < start + length:
            await asyncio.sleep(min(1.0, length))
            sizes.append(_memory(pid))
        polite.report(title, start, time.monotonic())
        if rude is not None:
            output, _ = await asyncio.to_thread(rude.communicate)
            if not only:
                print(output.strip())

    await phase("alone", _ATTACK_TIME, None)
    for name in names:
        await phase(name, _ATTACK_TIME, name)
    await phase("all attacks", seconds, "")
    sizes.append(_memory(pid))
    polite.end = time.monotonic()
    await asyncio.wait(tasks, timeout=10)
    for task in tasks:
        task.cancel()
    for what, number in polite.counts.most_common():
        print(f"  {what}: {number}")
    return sizes


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="of all attacks (default: 10)")
    parser.add_argument("--clients", type=int, default=50, help="half of them rude (default: 50)")
    parser.add_argument("--port", type=int, default=18361)
    parser.add_argument("--preset", help="of the engines (default: the bundled nets)")
    parser.add_argument("--rude", action="store_true", help="only the rude clients")
    parser.add_argument("--attack", default="", help="only this attack of the rude clients")
    args = parser.parse_args()
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # attacks write to closed sockets
    seconds = 60 * args.minutes
    if args.rude:
        os.nice(10)
        rude = Rude(args.port, seconds)
        asyncio.run(_run_rude(rude, args.clients, args.attack))
        print("\n".join(f"  {what}: {number}" for what, number in rude.counts.most_common()))
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tengen", "play", "--no-browser", "--data", folder]
        command += ["--port", str(args.port), *(["--preset", args.preset] if args.preset else [])]
        server = subprocess.Popen(command)
        try:
            time.sleep(4)
            if server.poll() is not None:
                raise SystemExit("the server did not start")
            print_machine()
            print(f"{args.clients} clients, half of them rude", flush=True)
            sizes = asyncio.run(_measure(args.port, server.pid, seconds, args.clients // 2))
            is_alive = server.poll() is None
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
    print(
        f"memory (MiB): start {sizes[0]:.0f}, worst {max(sizes):.0f}, end {sizes[-1]:.0f};"
        f" documented budget {_budget(ServerLimits()):.0f}; server alive: {is_alive}"
    )


if __name__ == "__main__":
    main()
