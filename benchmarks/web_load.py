# SPDX-License-Identifier: MIT
"""Fifty clients at once on one server, half of them rude, for ten minutes: what do the polite ones
wait for a move of level 1, what does the server's memory do, does it live?

    python benchmarks/web_load.py --seconds 600

The polite ones play games at level 1. The rude ones flood, send garbage and huge messages, keep
connections half open, and come back without end. Prints waits, memory and counts; nothing passes
or fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import platform
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

_RUDE = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError, EOFError)
_PAUSE = 0.2  # s between two moves of a polite one


class Load:
    """What is done to a server, and what comes of it."""

    def __init__(self, port: int, seconds: float) -> None:
        self.host = f"127.0.0.1:{port}"
        self.end = time.monotonic() + seconds
        self.waits: list[float] = []
        self.counts: Counter[str] = Counter()

    @property
    def goes_on(self) -> bool:
        return time.monotonic() < self.end

    def link(self) -> connect:
        return connect(f"ws://{self.host}/ws", origin=f"http://{self.host}", max_size=8 << 20)  # type: ignore[arg-type]

    async def polite(self, number: int) -> None:
        """Play level 1, and note each wait. A connection that is refused is tried again."""
        chance = random.Random(number)
        while self.goes_on:
            try:
                async with self.link() as link:
                    await link.send(json.dumps({"type": "hello"}))
                    await self._games(link, chance)
            except _RUDE as error:
                self.counts[f"polite: {type(error).__name__}"] += 1
                await asyncio.sleep(0.5)

    async def _games(self, link: Any, chance: random.Random) -> None:
        wanted = {"type": "new_game", "rule": "freestyle", "size": 15, "you": "black", "level": 1}
        while self.goes_on:
            await link.send(json.dumps(wanted))
            game = await self._state(link)
            while not game["result"] and self.goes_on:
                free = [n for n, stone in enumerate(game["view"]["stones"]) if stone == "."]
                place = chance.choice(free)
                move = f"{chr(97 + place % 15)}{place // 15 + 1}"
                begun = time.monotonic()
                await link.send(json.dumps({"type": "play", "move": move}))
                game = await self._state(link)
                self.waits.append(time.monotonic() - begun)
                await asyncio.sleep(_PAUSE)
            self.counts["games"] += 1

    async def _state(self, link: Any) -> dict[str, Any]:
        while True:
            message = json.loads(await link.recv())
            if message["type"] == "game" and (message["yours"] or message["result"]):
                return dict(message)
            if message["type"] == "fault":
                self.counts[f"polite fault: {message['code']}"] += 1

    async def rude(self, number: int) -> None:
        """One kind of rudeness after the other, without end."""
        chance = random.Random(1000 + number)
        kinds = (self._flood, self._garbage, self._huge, self._half_open, self._storm, self._hog)
        while self.goes_on:
            kind = chance.choice(kinds)
            self.counts[kind.__name__.strip("_")] += 1
            try:
                async with asyncio.timeout(30):
                    await kind(chance)
            except _RUDE as error:
                self.counts[f"rude: {type(error).__name__}"] += 1
            await asyncio.sleep(0.05)

    async def _flood(self, chance: random.Random) -> None:
        async with self.link() as link:
            await link.send(json.dumps({"type": "hello"}))
            for number in range(2000):
                await link.send(json.dumps({"type": "look", "id": number, "position": {}}))

    async def _garbage(self, chance: random.Random) -> None:
        async with self.link() as link:
            await link.send(json.dumps({"type": "hello"}))
            for _ in range(200):
                await link.send(chance.randbytes(200))
                await link.send("{" * chance.randrange(400))

    async def _huge(self, chance: random.Random) -> None:
        async with self.link() as link:
            await link.send(json.dumps({"type": "hello"}))
            for _ in range(10):
                await link.send("x" * (2 << 20))

    async def _half_open(self, chance: random.Random) -> None:
        """A handshake that is never finished, and a page that never reads."""
        _, writer = await asyncio.open_connection(*self.host.split(":"))
        writer.write(b"GET /ws HTTP/1.1\r\nHost: " + self.host.encode() + b"\r\n")
        async with self.link() as link:
            await link.send(json.dumps({"type": "hello"}))
            link.transport.pause_reading()
            ask = {"type": "analyse", "position": {}, "seconds": 20}
            for number in range(1, 30):
                await link.send(json.dumps(ask | {"id": number}))
            await asyncio.sleep(8)
            link.transport.abort()
        writer.close()

    async def _storm(self, chance: random.Random) -> None:
        for _ in range(100):
            try:
                async with self.link() as link:
                    if chance.random() < 0.5:
                        await link.send(json.dumps({"type": "hello"}))
                    link.transport.abort()
            except _RUDE:
                self.counts["storm refused"] += 1

    async def _hog(self, chance: random.Random) -> None:
        """Ask for all the thinking there is."""
        async with self.link() as link:
            await link.send(json.dumps({"type": "hello"}))
            ask = {
                "type": "solve",
                "position": {"moves": ["h8", "i9"]},
                "goal": "vct",
                "seconds": 30,
            }
            for number in range(1, 10):
                await link.send(json.dumps(ask | {"id": number}))
                await link.send(json.dumps({"type": "analyse", "id": 50 + number, "position": {}}))
            async for _ in link:
                pass


def _memory(pid: int) -> float:
    """MiB of a process that are in memory."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


async def _watch(load: Load, pid: int, every: float) -> list[float]:
    sizes = []
    while load.goes_on:
        sizes.append(_memory(pid))
        late = sorted(load.waits)[-1] if load.waits else 0.0
        print(
            f"{len(load.waits):>7} moves, longest wait {late:.2f} s, {sizes[-1]:.0f} MiB",
            flush=True,
        )
        await asyncio.sleep(every)
    return sizes


async def _run(load: Load, pid: int, clients: int, every: float) -> list[float]:
    work = [load.polite(n) for n in range(clients // 2)]
    work += [load.rude(n) for n in range(clients - clients // 2)]
    tasks = [asyncio.create_task(job) for job in work]
    sizes = await _watch(load, pid, every)
    await asyncio.wait(tasks, timeout=40)
    for task in tasks:
        task.cancel()
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--port", type=int, default=18361)
    args = parser.parse_args()
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # writing to the dead is what rude ones do
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
    print(f"machine {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{args.clients} clients, half of them rude, {args.seconds:.0f} s; lives: {alive}")
    print(
        f"level-1 moves {len(waits)}, wait median {statistics.median(waits):.3f} s,"
        f" 99% {waits[int(0.99 * len(waits))]:.3f} s, longest {waits[-1]:.3f} s"
    )
    print(
        f"memory {sizes[0]:.0f} MiB at first, {max(sizes):.0f} at most, {sizes[-1]:.0f} at the end"
    )
    for what, number in load.counts.most_common():
        print(f"  {what}: {number}")


if __name__ == "__main__":
    main()
