# SPDX-License-Identifier: MIT
"""Proof files: round trips, and errors for invalid files."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fuzz.mutate import mutate
from solver_cases import made, open_three_proof, two_twos_proof
from tengen import BadProof, Board, Proof
from tengen.solver import files

TEXT = """\
{"format": "tengen-proof", "version": 1, "rule": "freestyle", "size": 15, \
"black": ["h8", "h9", "h10"], "white": ["a1", "a3", "a5"], "to_move": "black", \
"moves_left": null, "goal": "vcf", "nodes": [
["h7",1,[["h6",2]]],
["h6",-1,[]],
["h11",-1,[]]
]}
"""


def listed() -> dict[str, Any]:
    return open_three_proof().to_json()


def test_the_text_of_a_file(tmp_path: Path) -> None:
    open_three_proof().save(tmp_path / "proof.json")
    assert (tmp_path / "proof.json").read_text() == TEXT
    assert json.loads(TEXT) == listed()
    assert Proof.from_json(json.loads(TEXT)) == open_three_proof()


@pytest.mark.parametrize("name", ["proof.json", "proof.json.gz", "proof"])
def test_load_restores_the_proof(tmp_path: Path, name: str) -> None:
    renju = Board.from_stones("h8 h9 a1", "b1", "white", 9, "renju", move_limit=17)
    pass_listed = [("c3", 1, [("pass", 2), ("d4", 1)]), ("e5", -1, []), ("f6", -1, [])]
    for proof in (open_three_proof(), two_twos_proof(), made(renju, *pass_listed, goal="any")):
        proof.save(tmp_path / name)
        again = Proof.load(tmp_path / name)
        assert again == proof
        assert again.board == proof.board
        assert again.to_json() == proof.to_json()
    assert Proof.load(tmp_path / name).board.move_limit == 17


def test_the_moves_left_are_counted_from_the_start_of_the_proof(tmp_path: Path) -> None:
    board = Board(size=15, move_limit=20)
    for move in ("h8", "a1", "h9", "a3", "h10", "a5"):
        board.push(move)
    proof = made(board, ("h7", 1, [("h6", 2)]), ("h6", -1, []), ("h11", -1, []))
    assert proof.to_json()["moves_left"] == 14
    again = Proof.from_json(proof.to_json())
    assert again == proof
    assert again.board == board
    assert again.verify()


def test_compressed_files_are_reproducible(tmp_path: Path) -> None:
    proof = two_twos_proof()
    for name in ("a.gz", "b.GZ"):
        proof.save(tmp_path / name)
    packed = (tmp_path / "a.gz").read_bytes()
    assert packed == (tmp_path / "b.GZ").read_bytes()
    assert json.loads(gzip.decompress(packed)) == proof.to_json()


def test_a_file_is_written_atomically(tmp_path: Path) -> None:
    target = tmp_path / "proof.json"
    open_three_proof().save(target)
    target.chmod(0o444)
    with pytest.raises(OSError, match="nothing was written"):
        two_twos_proof().save(target)
    assert target.read_text() == TEXT
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(FileNotFoundError):
        open_three_proof().save(tmp_path / "none" / "proof.json")
    with pytest.raises(FileNotFoundError):
        Proof.load(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "sgf"}, '"format" is "sgf", not "tengen-proof"'),
        ({"version": 2}, '"version" is 2, not 1'),
        ({"version": True}, '"version" is true'),
        ({"rule": "chess"}, "no rule 'chess'"),
        ({"rule": None}, '"rule": expected str, got null'),
        ({"size": 30}, "no board of size 30"),
        ({"size": True}, '"size": expected int, got true'),
        ({"size": 9}, "off the 9x9 board"),
        ({"black": "h8"}, '"black": expected list, got "h8"'),
        ({"black": ["h8", "h8"]}, "h8 is given twice"),
        ({"black": [7]}, '"black" is a list of names'),
        ({"white": ["h8"]}, "h8 is given twice"),
        ({"white": ["pass"]}, "a pass is no stone"),
        ({"to_move": "red"}, "no colour 'red'"),
        ({"to_move": None}, '"to_move": expected str'),
        ({"moves_left": 0}, '"moves_left" is 0'),
        ({"moves_left": "5"}, '"moves_left" is "5"'),
        ({"moves_left": 10**30}, '"moves_left" is 1000'),
        ({"goal": "win"}, "no goal 'win'"),
        ({"nodes": {}}, '"nodes": expected list, got a dict'),
        ({"nodes": []}, "a proof without nodes"),
        ({"nodes": [7]}, r"node 0 is 7, not \[move"),
        ({"nodes": [["h7", -1]]}, "node 0 is a list, not"),
        ({"nodes": [["p1", -1, []]]}, 'node 0: no point "p1" on a 15x15 board'),
        ({"nodes": [["pass", -1, []]]}, 'no point "pass"'),
        ({"nodes": [[["h7"], -1, []]]}, "node 0 is a list"),
        ({"nodes": [["h7", 0, []]]}, "node 0 continues with node 0"),
        ({"nodes": [["h7", 5, []]]}, "node 0: no node 5, the last is 0"),
        ({"nodes": [["h7", "1", []]]}, 'node 0: no node "1"'),
        ({"nodes": [["h7", True, []], ["h6", -1, []]]}, "node 0: no node true"),
        ({"nodes": [["h7", -2, []]]}, "no node -2"),
        ({"nodes": [["h7", 1.0, []], ["h6", -1, []]]}, "no node 1.0"),
        ({"nodes": [["h7", 1, [["h6", -1]]], ["h6", -1, []]]}, "continues with node -1"),
        ({"nodes": [["h7", 1, [["h6"]]], ["h6", -1, []]]}, "node 0 is a list"),
        ({"nodes": [["h7", 1, ["h6"]], ["h6", -1, []]]}, "node 0"),
        ({"nodes": [["h7", 10**30, []]]}, "no node 1000"),
    ],
)
def test_tampered_files(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    value = listed() | change
    with pytest.raises(BadProof, match=message):
        Proof.from_json(value)
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(value))
    with pytest.raises(BadProof, match=message) as caught:
        Proof.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert len(str(caught.value)) < 300 + len(str(path))


@pytest.mark.parametrize("field", list(json.loads(TEXT)))
def test_missing_fields(field: str) -> None:
    value = listed()
    del value[field]
    if field == "moves_left":
        assert Proof.from_json(value) == open_three_proof()
        return
    with pytest.raises(BadProof, match=field):
        Proof.from_json(value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no JSON, or damaged: line 1"),
        (TEXT.encode()[:-5], "no JSON, or damaged: line"),
        (b"[]", "expected an object, got list"),
        (b"null", "expected an object"),
        (b"\xff\xfe\xfd", "no JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"size": ' + b"9" * 5000 + b"}", "no JSON|format"),
        (gzip.compress(TEXT.encode())[:-9], "damaged: it cannot be unpacked"),
        (gzip.compress(TEXT.encode())[:-1] + b"x", "damaged: it cannot be unpacked"),
        (b"\x1f\x8b", "damaged: it cannot be unpacked"),
    ],
)
def test_damaged_files(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "proof.json.gz"
    path.write_bytes(data)
    with pytest.raises(BadProof, match=message):
        Proof.load(path)


def test_files_that_would_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 1 << 20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b" " * (64 << 20)))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(BadProof, match="larger than 1 MiB"):
        Proof.load(path)
    path.write_bytes(b" " * ((1 << 20) + 1))
    with pytest.raises(BadProof, match="larger than 1 MiB"):
        Proof.load(path)
    monkeypatch.setattr(files, "MAX_LISTS", 10)
    open_three_proof().save(path)
    before = path.read_bytes()
    with pytest.raises(BadProof, match="not written: more than 10 lists"):
        two_twos_proof().save(path)
    assert path.read_bytes() == before
    path.write_text(json.dumps(two_twos_proof().to_json()))
    with pytest.raises(BadProof, match="more than 10 lists"):
        Proof.load(path)


def test_arbitrary_bytes(tmp_path: Path) -> None:
    """A mutated file gives a proof or BadProof; an invalid proof is rejected."""
    rng = random.Random(7)
    seeds = [TEXT.encode(), json.dumps(two_twos_proof().to_json()).encode()]
    path = tmp_path / "proof"
    outcomes = Counter[str]()
    for number in range(1000):
        path.write_bytes(mutate(rng, rng.choice(seeds), seeds))
        text = ""
        try:
            proof = Proof.load(path)
            outcomes["read"] += 1
            proof.verify()
            outcomes["holds"] += 1
            assert len(proof.line()) % 2 == 1, number
        except BadProof as error:
            text = str(error)
        assert text.isprintable(), number
    assert outcomes["read"] > outcomes["holds"] > 0


def test_large_proofs(tmp_path: Path) -> None:
    count = 30_000
    value = listed()
    value["nodes"] = [["a2", i + 1, [["b2", i + 1], ["pass", i + 1]]] for i in range(count)]
    value["nodes"].append(["c2", -1, []])
    proof = Proof.from_json(value)
    proof.save(tmp_path / "large.json.gz")
    again = Proof.load(tmp_path / "large.json.gz")
    assert again == proof
    assert again.root.bound == count + 1
