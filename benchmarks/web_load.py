# SPDX-License-Identifier: MIT
"""Load test: fifty clients on one server for ten minutes, half of them hostile. Prints the response
times of level-1 moves for the normal clients, the server's memory, and counts.

    python benchmarks/web_load.py --seconds 600

Hostile clients flood, send garbage and huge messages, leave connections half open, and reconnect
without end.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from bench_common import make_parser, print_machine
from strict_client import memory_of

_ERRORS = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError, EOFError)
_PAUSE = 0.2  # s between two moves of a normal client


class Load:
    """The clients of one server, and what they measure."""

    def __init__(self, port: int, seconds: float) -> None:
        self.host = f"127.0.0.1:{port}"
        self.end = time.monotonic() + seconds
        self.waits: list[float] = []
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

    async def normal(self, number: int) -> None:
        """Plays level 1 and records each wait; reconnects after a rejection."""
        chance = random.Random(number)
        while self.is_running:
            try:
                async with self.link() as link:
                    await self._games(link, chance)
            except _ERRORS as error:
                self.counts[f"normal: {type(error).__name__}"] += 1
                await asyncio.sleep(0.5)

    async def _games(self, link: Any, chance: random.Random) -> None:
        settings = {"type": "new_game", "rule": "freestyle", "size": 15, "you": "black", "level": 1}
        while self.is_running:
            await link.send(json.dumps(settings))
            game = await self._state(link)
            while not game["result"] and self.is_running:
                free = [n for n, stone in enumerate(game["view"]["stones"]) if stone == "."]
                place = chance.choice(free)
                move = f"{chr(97 + place % 15)}{place // 15 + 1}"
                started = time.monotonic()
                await link.send(json.dumps({"type": "play", "move": move}))
                game = await self._state(link)
                self.waits.append(time.monotonic() - started)
                await asyncio.sleep(_PAUSE)
            self.counts["games"] += 1

    async def _state(self, link: Any) -> dict[str, Any]:
        while True:
            message = json.loads(await link.recv())
            if message["type"] == "game" and (message["your_turn"] or message["result"]):
                return dict(message)
            if message["type"] == "error":
                self.counts[f"normal error: {message['code']}"] += 1

    async def hostile(self, number: int) -> None:
        """Runs one attack after the other."""
        chance = random.Random(1000 + number)
        attacks = (self._flood, self._garbage, self._huge, self._half_open, self._storm, self._hog)
        while self.is_running:
            attack = chance.choice(attacks)
            self.counts[attack.__name__.strip("_")] += 1
            try:
                async with asyncio.timeout(30):
                    await attack(chance)
            except _ERRORS as error:
                self.counts[f"hostile: {type(error).__name__}"] += 1
            await asyncio.sleep(0.05)

    async def _flood(self, chance: random.Random) -> None:
        async with self.link() as link:
            for number in range(2000):
                await link.send(json.dumps({"type": "view", "id": number, "position": {}}))

    async def _garbage(self, chance: random.Random) -> None:
        async with self.link() as link:
            for _ in range(200):
                await link.send(chance.randbytes(200))
                await link.send("{" * chance.randrange(400))

    async def _huge(self, chance: random.Random) -> None:
        async with self.link() as link:
            for _ in range(10):
                await link.send("x" * (2 << 20))

    async def _half_open(self, chance: random.Random) -> None:
        """An unfinished handshake, and a page that never reads."""
        _, writer = await asyncio.open_connection(*self.host.split(":"))
        writer.write(b"GET /ws HTTP/1.1\r\nHost: " + self.host.encode() + b"\r\n")
        async with self.link() as link:
            link.transport.pause_reading()
            request = {"type": "analyse", "position": {}, "seconds": 20}
            for number in range(1, 30):
                await link.send(json.dumps(request | {"id": number}))
            await asyncio.sleep(8)
            link.transport.abort()
        writer.close()

    async def _storm(self, chance: random.Random) -> None:
        for _ in range(100):
            try:
                async with self.link(hello=chance.random() < 0.5) as link:
                    link.transport.abort()
            except _ERRORS:
                self.counts["storm rejected"] += 1

    async def _hog(self, chance: random.Random) -> None:
        """Requests as much search as possible."""
        async with self.link() as link:
            position = {"moves": ["h8", "i9"]}
            request = {"type": "solve", "position": position, "goal": "vct", "seconds": 30}
            for number in range(1, 10):
                await link.send(json.dumps(request | {"id": number}))
                await link.send(json.dumps({"type": "analyse", "id": 50 + number, "position": {}}))
            async for _ in link:
                pass


async def _run(load: Load, pid: int, clients: int, every: float) -> list[float]:
    """Runs the clients; returns the memory of the server over time."""
    work = [load.normal(n) for n in range(clients // 2)]
    work += [load.hostile(n) for n in range(clients - clients // 2)]
    tasks = [asyncio.create_task(job) for job in work]
    sizes = []
    while load.is_running:
        sizes.append(memory_of(pid) / 2**20)
        late = max(load.waits, default=0.0)
        print(f"{len(load.waits):>7} moves, max wait {late:.2f} s, {sizes[-1]:.0f} MiB", flush=True)
        await asyncio.sleep(every)
    await asyncio.wait(tasks, timeout=40)
    for task in tasks:
        task.cancel()
    return sizes


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--port", type=int, default=18361)
    args = parser.parse_args()
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # hostile clients write to closed sockets
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tengen", "play", "--no-browser"]
        server = subprocess.Popen([*command, "--port", str(args.port), "--data", folder])
        try:
            time.sleep(4)
            if server.poll() is not None:
                raise SystemExit("the server did not start")
            load = Load(args.port, args.seconds)
            sizes = asyncio.run(_run(load, server.pid, args.clients, args.seconds / 20))
            alive = server.poll() is None
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
    waits = sorted(load.waits)
    print_machine()
    print(f"{args.clients} clients, half hostile, {args.seconds:.0f} s; server alive: {alive}")
    print(
        f"level-1 moves {len(waits)}; wait: median {statistics.median(waits):.3f} s,"
        f" 99% {waits[int(0.99 * len(waits))]:.3f} s, max {waits[-1]:.3f} s"
    )
    print(f"memory (MiB): start {sizes[0]:.0f}, max {max(sizes):.0f}, end {sizes[-1]:.0f}")
    for what, number in load.counts.most_common():
        print(f"  {what}: {number}")


if __name__ == "__main__":
    main()
