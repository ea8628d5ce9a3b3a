# SPDX-License-Identifier: MIT
"""Net files and the registry: round trips, every kind of damage, failing and concurrent writers,
and which net is used for which boards.
"""

from __future__ import annotations

import errno
import json
import os
import pickle
import random
import struct
import threading
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fuzz.mutate import mutate
from mixnet_samples import SMALL, TINY, lively, net_of
from tengen.engine import net_file
from tengen.engine.errors import BadNet
from tengen.engine.net_file import (
    NetFile,
    NetHeader,
    header_bytes,
    parse_header,
    parse_net,
    read_header,
    read_net,
)
from tengen.engine.net_layout import Architecture, fnv1a64, layout, payload_bytes
from tengen.engine.nets import (
    lazy_tables_path,
    list_nets,
    net_info,
    net_path,
    net_uses,
    registry_nets,
)
from tengen.export.quantise import net_bytes, write_net
from tengen.game.rule import Colour, Rule

DATA = net_bytes(net_of(TINY, lively(TINY, 1)))
HEAD = 64
ARCHITECTURE = json.dumps({"architecture": str(TINY)}).encode()[1:-1]


# --- what a file holds ---


def test_a_file_round_trip(tmp_path: Path) -> None:
    tensors = lively(SMALL, 2)
    header = NetHeader(
        architecture=SMALL,
        rules=(Rule.STANDARD, Rule.CARO6),
        sizes=(9, 15, 22),
        colours=(Colour.WHITE,),
        name="tengen \N{WHITE STAR}",
        run="run 7",
        description='with "quotes"\nand lines',
        made="tengen 1",
        scales={"feature": 32},
        value_curve={"slope": 1.5},
        codebook_checksum=0xFEDCBA9876543210,
    )
    path = tmp_path / "a.net"
    write_net(NetFile(header, tensors), path)
    again = read_net(path)
    start = again.header.payload_start
    kept = replace(header, payload_crc=again.header.payload_crc, payload_start=start)
    assert again.header == kept == read_header(path)
    assert set(again.tensors) == set(tensors)
    for name, tensor in tensors.items():
        assert again.tensors[name].dtype == tensor.dtype
        assert np.array_equal(again.tensors[name], tensor)
    assert net_bytes(again) == path.read_bytes()


def test_the_bytes_follow_the_format() -> None:
    assert DATA[:8] == b"TENGENN1"
    version, text_bytes = struct.unpack_from("<II", DATA, 8)
    text = DATA[HEAD : HEAD + text_bytes]
    payload = DATA[HEAD + text_bytes :]
    assert version == 1
    assert text_bytes % 64 == 0
    output = json.loads(text)
    assert output["architecture"] == str(TINY)
    assert struct.unpack_from("<Q", DATA, 16)[0] == fnv1a64(str(TINY).encode())
    assert struct.unpack_from("<II", DATA, 24) == (zlib.crc32(text), zlib.crc32(payload))
    assert struct.unpack_from("<QQ", DATA, 32) == (len(payload), 0)
    sizes = sum(1 << size for size in range(5, 23))
    assert struct.unpack_from("<HHIQ", DATA, 48) == (1, 3, sizes, 0)
    rows = layout(TINY)
    assert [row.name for row in rows][:5] == [
        "hv.dir0.w",
        "hv.dir0.b",
        "hv.dir1.w",
        "hv.dir1.b",
        "hv.pw1.w",
    ]
    assert rows[-1].name == "value.mlp3.b"
    assert all(row.offset % 64 == 0 for row in rows)
    assert payload_bytes(TINY) == len(payload) == rows[-1].offset + 12
    covered = bytearray(len(payload))
    for row in rows:
        covered[row.offset : row.offset + row.bytes] = b"\1" * row.bytes
    assert not any(byte for byte, is_used in zip(payload, covered, strict=True) if not is_used)


def test_known_hash() -> None:
    assert fnv1a64(b"") == 0xCBF29CE484222325
    assert fnv1a64(b"foobar") == 0x85944171F73967E8


def test_architectures_are_texts() -> None:
    for text in (str(TINY), "mixnet c=64 m=128 p=32 v=64 conv_relu=1 star=0 groups=1 dynamic=1"):
        assert str(Architecture.parse(text)) == text
    for text in ("", "resnet", str(TINY) + " ", str(TINY).replace("c=32", "c=032"), "mixnet c=64"):
        with pytest.raises(BadNet, match="architecture"):
            Architecture.parse(text)
    for text in (str(TINY).replace("c=32", "c=0"), str(TINY).replace("c=32", "c=33")):
        with pytest.raises(BadNet, match="invalid widths"):
            Architecture.parse(text)
    with pytest.raises(BadNet, match="64 of 16 channels"):
        Architecture(16, 4, 64, 16)
    with pytest.raises(BadNet, match="without star, dynamic"):
        layout(replace(TINY, star=False, dynamic=False))


def test_errors_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(BadNet("damaged", "a.net")))
    assert (str(error), error.reason, error.source) == ("a.net: damaged", "damaged", "a.net")


# --- damage ---


def read_bytes(tmp_path: Path, data: bytes) -> NetFile:
    path = tmp_path / "x.net"
    path.write_bytes(data)
    return read_net(path)


def test_truncation_anywhere_is_reported(tmp_path: Path) -> None:
    start = parse_header(DATA, len(DATA)).payload_start
    places = {0, 1, 7, 8, 12, 63, 64, 65, start - 1, start, start + 1, len(DATA) - 1}
    places |= {start + row.offset for row in layout(TINY)}
    places |= {start + row.offset + row.bytes - 1 for row in layout(TINY)}
    for place in sorted(places):
        with pytest.raises(BadNet, match=r"cut off|empty|not a net file") as caught:
            read_bytes(tmp_path, DATA[:place])
        assert str(caught.value).startswith(str(tmp_path))
        with pytest.raises(BadNet):
            read_header(tmp_path / "x.net")
    with pytest.raises(BadNet, match="damaged: the file has"):
        read_bytes(tmp_path, DATA + b"\0")


def test_every_flipped_byte_is_reported() -> None:
    start = parse_header(DATA, len(DATA)).payload_start
    rng = random.Random(1)
    # Every byte of the fixed part but those that nothing can check: the codebook's checksum (it
    # speaks of other data), and rules, colours and sizes.
    places = [place for place in range(HEAD) if not 40 <= place < 56]
    places += rng.sample(range(HEAD, start), 100) + rng.sample(range(start, len(DATA)), 300)
    for place in places:
        damaged = bytearray(DATA)
        damaged[place] ^= 1 << rng.randrange(8)
        with pytest.raises(BadNet):
            parse_net(bytes(damaged))


def patched(**fields: Any) -> bytes:
    """The file with fields of its fixed part replaced, by their offset and format."""
    data = bytearray(DATA)
    for name, value in fields.items():
        offset, form = {"version": (8, "<I"), "text": (12, "<I"), "hash": (16, "<Q"),
                        "payload": (32, "<Q"), "rules": (48, "<H"), "colours": (50, "<H"),
                        "sizes": (52, "<I"), "zero": (56, "<Q")}[name]  # fmt: skip
        struct.pack_into(form, data, offset, value)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"PNG" * 40, "TENGENN1"),
        (patched(version=2), "format 2, this version reads 1"),
        (patched(text=0), "fixed part of the header"),
        (patched(text=65), "fixed part of the header"),
        (patched(text=2**31), "fixed part of the header"),
        (patched(zero=1), "fixed part of the header"),
        (patched(hash=1), "architecture .* hash"),
        (patched(payload=5), "damaged: the file has"),
        (patched(payload=2**63), "cut off: the file has"),
        (patched(rules=0), "rules that this version does not know"),
        (patched(rules=64), "rules that this version does not know"),
        (patched(colours=0), "neither black nor white"),
        (patched(sizes=0), "boards beyond 5 to 22"),
        (patched(sizes=1 << 23), "boards beyond 5 to 22"),
    ],
)
def test_wrong_headers(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(BadNet, match=message):
        read_bytes(tmp_path, data)


def with_text(text: bytes) -> bytes:
    """The file with another JSON part, all checksums right."""
    text += b" " * (-len(text) % 64)
    start = parse_header(DATA, len(DATA)).payload_start
    data = bytearray(DATA[:HEAD] + text + DATA[start:])
    struct.pack_into("<I", data, 12, len(text))
    struct.pack_into("<I", data, 24, zlib.crc32(text))
    return bytes(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{}", "architecture is missing"),
        (b"{%s", "not JSON"),
        (b"\xff{%s}", "not JSON"),
        (b"[" * 100_000 + b"%s", "not JSON"),
        (b'[{%s}, "a"]', "not a JSON object"),
        (b"{%s}", '"name" is missing in the header'),
        (b'{"name": 7, %s}', '"name" is missing in the header, or of a wrong type'),
    ],
)
def test_wrong_json(tmp_path: Path, text: bytes, message: str) -> None:
    with pytest.raises(BadNet, match=message):
        read_bytes(tmp_path, with_text(text.replace(b"%s", ARCHITECTURE)))


def test_another_architecture_is_rejected(tmp_path: Path) -> None:
    start = parse_header(DATA, len(DATA)).payload_start
    output = json.loads(DATA[HEAD:start])
    for text, message in (
        ("resnet blocks=4", "no architecture 'resnet blocks=4'"),
        (str(replace(TINY, star=False)), "without star"),
        (str(replace(TINY, value=32)), "bytes of weights, not"),
    ):
        data = bytearray(with_text(json.dumps({**output, "architecture": text}).encode()))
        struct.pack_into("<Q", data, 16, fnv1a64(text.encode()))
        with pytest.raises(BadNet, match=message):
            read_bytes(tmp_path, bytes(data))


def test_unknown_fields_of_the_json_part_are_left_out(tmp_path: Path) -> None:
    start = parse_header(DATA, len(DATA)).payload_start
    output = json.loads(DATA[HEAD:start]) | {"colour": "mauve"}
    assert read_bytes(tmp_path, with_text(json.dumps(output).encode())).header.architecture == TINY


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("policy.lin1.w", -128, "policy.lin1.w: 1 of 1024 weights are beyond 127"),
        ("conv.w", -32768, "conv.w: 1 of 144 weights are beyond 32767"),
        ("conv.b", 8193, "conv.b: 1 of 16 weights are beyond 8192"),
        ("policy.out.w", 8192, "beyond 8191"),
        ("policy.out.b", 2**30 + 1, "beyond 1073741824"),
        ("value.mlp3.b", -(2**31), "beyond 268435456"),
        ("hv.dir0.w", np.inf, "1 of 24 weights are not finite"),
        ("di.out.b", np.nan, "not finite"),
    ],
)
def test_weights_that_would_overflow_are_rejected(name: str, value: float, message: str) -> None:
    """Written or read: a file with good checksums may still hold them."""
    tensors = lively(TINY, 1)
    tensors[name].flat[0] = value
    with pytest.raises(BadNet, match=message):
        net_bytes(net_of(TINY, tensors))
    row = next(row for row in layout(TINY) if row.name == name)
    header = parse_header(DATA, len(DATA))
    payload = bytearray(DATA[header.payload_start :])
    payload[row.offset : row.offset + row.bytes] = tensors[name].tobytes()
    with pytest.raises(BadNet, match=message):
        parse_net(header_bytes(header, bytes(payload)) + payload)


def test_tensors_that_are_not_those_of_the_architecture() -> None:
    tensors = lively(TINY, 1)
    for change, message in (
        ({"more": tensors["conv.b"]}, "mixnet c=32 .* has no tensor more"),
        ({"conv.b": tensors["conv.b"][:3]}, r"conv.b is int16 \[3\], not int16 \[16\]"),
        ({"conv.b": tensors["conv.b"].astype(int)}, r"conv.b is int64 \[16\], not int16"),
    ):
        with pytest.raises(BadNet, match=message):
            net_bytes(net_of(TINY, {**tensors, **change}))
    del tensors["conv.b"]
    with pytest.raises(BadNet, match=r"the tensor conv.b is missing"):
        net_bytes(net_of(TINY, tensors))


def test_arbitrary_bytes() -> None:
    """Mutated files give a net, or BadNet with a printable message."""
    rng = random.Random(3)
    for _ in range(400):
        text = ""
        try:
            parse_net(mutate(rng, DATA, [DATA]))
        except BadNet as error:
            text = str(error)
        assert text.isprintable()
        assert len(text) < 300


def test_files_that_would_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(net_file, "MAX_FILE", len(DATA) - 1)
    with pytest.raises(BadNet, match="larger than"):
        parse_net(DATA)


# --- writing ---


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.net"
    write_net(net_of(TINY, lively(TINY, 1)), path)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device; nothing was written") as caught:
        write_net(net_of(TINY, lively(TINY, 2)), path)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError, match="nothing was written"):
        write_net(net_of(TINY, lively(TINY, 1)), tmp_path / "none" / "a.net")


def test_writers_at_the_same_time_leave_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "a.net"
    nets = [net_of(TINY, lively(TINY, seed)) for seed in range(4)]
    whole = {net_bytes(net) for net in nets}
    write_net(nets[0], path)
    faults: list[str] = []

    def write(net: NetFile) -> None:
        for _ in range(20):
            write_net(net, path)

    def look() -> None:
        faults.extend("torn" for _ in range(200) if path.read_bytes() not in whole)

    threads = [threading.Thread(target=write, args=(net,)) for net in nets]
    threads.append(threading.Thread(target=look))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert path.read_bytes() in whole
    assert list(tmp_path.iterdir()) == [path]


# --- what a net is for ---


def test_a_net_for_something_else() -> None:
    anything = net_of(TINY, {}).header
    sizes = (13, 14, 15, 19)
    header = replace(anything, rules=(Rule.RENJU,), sizes=sizes, colours=(Colour.BLACK,))
    assert header.supports(Rule.RENJU, 15, Colour.BLACK)
    assert not header.supports(Rule.RENJU, 15)
    assert header.purpose() == "renju, size 13 to 15, 19, black to move"
    with pytest.raises(BadNet, match="not for freestyle 15x15: it is for renju, size 13 to 15"):
        header.check_supports(Rule.FREESTYLE, 15)
    with pytest.raises(BadNet, match="not for renju 15x15 with white to move"):
        header.check_supports(Rule.RENJU, 15, Colour.WHITE)
    for change in ({"rules": ()}, {"sizes": (4,)}, {"colours": ()}):
        with pytest.raises(BadNet):
            replace(header, **change)


# --- the registry ---


def folder_with(tmp_path: Path, entries: list[dict[str, Any]], *names: str) -> Path:
    for name in names:
        net = net_of(TINY, lively(TINY, 1), name)
        rules = (Rule.RENJU,) if name.startswith("renju") else (Rule.FREESTYLE,)
        write_net(replace(net, header=replace(net.header, rules=rules)), tmp_path / f"{name}.net")
    (tmp_path / "registry.json").write_text(json.dumps({"format": 1, "nets": entries}))
    return tmp_path


def test_one_net_or_one_per_colour(tmp_path: Path) -> None:
    entries = [
        {"rule": "freestyle", "from": 13, "to": 17, "net": "m"},
        {"rule": "renju", "from": 15, "to": 15, "black": "renju-b", "white": "renju-w"},
    ]
    folder = folder_with(tmp_path, entries, "m", "renju-b", "renju-w", "spare")
    assert registry_nets(Rule.FREESTYLE, 17, folder) == (folder / "m.net", folder / "m.net")
    pair = (folder / "renju-b.net", folder / "renju-w.net")
    assert registry_nets(Rule.RENJU, 15, folder) == pair
    for rule, size in ((Rule.FREESTYLE, 18), (Rule.CARO, 15)):
        assert registry_nets(rule, size, folder) is None
    assert [net.name for net in list_nets(folder)] == ["m", "renju-b", "renju-w", "spare"]
    assert net_uses(folder) == {
        "m": ["freestyle 13-17"],
        "renju-b": ["renju 15, black"],
        "renju-w": ["renju 15, white"],
    }
    assert net_path("m", folder) == folder / "m.net"
    assert net_path(folder / "m.net") == folder / "m.net"
    assert net_info(folder / "m.net").bytes == (folder / "m.net").stat().st_size
    with pytest.raises(BadNet, match="no file 'x', and the bundled nets are m, renju-b"):
        net_path("x", folder)


def test_a_registry_with_missing_or_unsuitable_nets(tmp_path: Path) -> None:
    entries = [
        {"rule": "freestyle", "from": 5, "to": 22, "net": "gone"},
        {"rule": "standard", "from": 5, "to": 22, "net": "m"},
    ]
    folder = folder_with(tmp_path, entries, "m")
    with pytest.raises(BadNet, match=r"gone\.net.*missing"):
        registry_nets(Rule.FREESTYLE, 15, folder)
    with pytest.raises(BadNet, match="this net is not for standard 15x15"):
        registry_nets(Rule.STANDARD, 15, folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "damaged, or no registry"),
        ("[]", "it does not have format 1"),
        ('{"format": 2, "nets": []}', "it does not have format 1"),
        ('{"format": 1, "nets": [{"rule": "go", "from": 5, "to": 6, "net": "m"}]}', "known rule"),
        ('{"format": 1, "nets": [{"rule": "renju", "from": 5, "to": 99, "net": "m"}]}', "sizes"),
        ('{"format": 1, "nets": [{"rule": "renju", "from": 5, "to": 9}]}', 'needs "net"'),
        ('{"format": 1, "nets": [{"rule": "renju", "from": 5, "to": 9, "net": "../m"}]}', "needs"),
    ],
)
def test_damaged_registries(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "registry.json").write_text(text)
    with pytest.raises(BadNet, match=message):
        registry_nets(Rule.RENJU, 9, tmp_path)


def test_a_folder_without_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What to do depends on whose folder it is."""
    with pytest.raises(BadNet, match=r"cannot be read .*; repair the folder, or name"):
        registry_nets(Rule.RENJU, 9, tmp_path)
    monkeypatch.setattr("tengen.engine.nets.BUNDLED", tmp_path)
    with pytest.raises(BadNet, match=r"bundled registry.json cannot be read"):
        registry_nets(Rule.RENJU, 9, tmp_path)


def test_every_bundled_net_serves_its_registry_entries() -> None:
    for net in list_nets():
        assert read_net(net.path).header.codebook_checksum
    for rule in Rule:
        for size in range(5, 23):
            registry_nets(rule, size)
    assert sum(net.bytes for net in list_nets()) < 10e6


def test_the_boards_of_tournaments_have_nets() -> None:
    """Boards of Gomocup; without a net `classical` plays."""
    fifteen = (Rule.FREESTYLE, Rule.STANDARD, Rule.RENJU, Rule.CARO)
    for rule, size in (*((rule, 15) for rule in fifteen), (Rule.FREESTYLE, 20)):
        nets = registry_nets(rule, size)
        assert nets is not None
        assert lazy_tables_path(nets[0]).exists(), "beside black's net"
    assert registry_nets(Rule.FREESTYLE, 19) is None
