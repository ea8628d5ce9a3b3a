# SPDX-License-Identifier: MIT
"""`tengen net`: list, info, bake, verify and export."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mixnet_nets import part
from mixnet_samples import SMALL, TINY, lively, net_of
from tengen import Board, Engine, Limit
from tengen.cli import net as command
from tengen.cli.main import main
from tengen.engine import nets as registry
from tengen.engine.errors import BadNet
from tengen.engine.net_file import read_net
from tengen.engine.nets import net_info
from tengen.engine.onnx_net import OnnxNet
from tengen.export.quantise import NativeNet, codebook_checksum, net_bytes, write_net
from tengen.game.rule import Colour, Rule
from tengen.nets import MixnetSpec, make_net
from tengen.nets.mixnet import Mixnet
from tengen.nets.weights import NetWeights, write_weights


@pytest.fixture
def small_net(tmp_path: Path) -> Path:
    path = tmp_path / "small.net"
    net = net_of(SMALL, lively(SMALL, 1), "a small net")
    write_net(replace(net, header=replace(net.header, run="run 3 step 9")), path)
    return path


@pytest.fixture(scope="module")
def a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    torch.manual_seed(1)
    net = Mixnet(MixnetSpec("s"))
    about = {"run": "0123abcd", "step": 70}
    write_weights(folder / "net.pt", NetWeights(net.spec.to_dict(), net.state_dict(), about))
    return folder


# --- list, info ---


def test_list_without_nets_and_with_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "registry.json").write_text('{"format": 1, "nets": []}')
    monkeypatch.setattr(command, "list_nets", lambda: registry.list_nets(tmp_path))
    monkeypatch.setattr(command, "net_uses", lambda: registry.net_uses(tmp_path))
    assert main(["net", "list"]) == 0
    assert "there are no bundled nets" in capsys.readouterr().out
    assert main(["net", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    entry = {"rule": "freestyle", "from": 15, "to": 20, "net": "fast"}
    (tmp_path / "registry.json").write_text(json.dumps({"format": 1, "nets": [entry]}))
    for name in ("fast", "spare"):
        write_net(net_of(TINY, lively(TINY, 1)), tmp_path / f"{name}.net")
    assert main(["net", "list"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("fast ")
    assert first.endswith("for freestyle, size 5 to 22; plays freestyle 15-20")
    assert second.endswith("plays nothing by default")
    assert main(["net", "list", "--json"]) == 0
    assert [net["plays"] for net in json.loads(capsys.readouterr().out)] == [
        ["freestyle 15-20"],
        [],
    ]


def test_info(small_net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["net", "info", str(small_net)]) == 0
    output = capsys.readouterr().out
    assert "a small net" in output
    assert "run 3 step 9" in output
    assert "freestyle, size 5 to 22" in output
    assert "0.06 MB, baked 50.88 MB" in output
    assert main(["net", "info", "--json", str(small_net), str(small_net)]) == 0
    (one, two) = json.loads(capsys.readouterr().out)
    assert one == two
    assert one["architecture"] == str(SMALL)
    assert one["rules"] == ["freestyle"]
    assert one["baked_bytes"] == 397_488 * 2 * 2 * 32


@pytest.mark.parametrize("action", ["info", "bake", "verify", "lazy", "guess"])
def test_onnx_files_are_for_engines(
    action: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.onnx"
    path.write_bytes(b"\x08\x08\x12\x00")
    assert main(["net", action, str(path)]) == 1
    assert "x.onnx: an ONNX file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "message"),
    [(None, "there is no file"), (b"", "empty"), (b"TENGENN1\1", "within its header")],
)
@pytest.mark.parametrize("action", ["info", "bake", "verify"])
def test_files_that_are_no_nets(
    action: str,
    data: bytes | None,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "x.net"
    if data is not None:
        path.write_bytes(data)
    assert main(["net", action, str(path)]) == 1
    output = capsys.readouterr().err
    assert output.startswith("tengen net: ")
    assert message in output
    assert output.count("\n") == 1


def test_listing_loads_neither_numpy_nor_torch() -> None:
    program = "import sys; from tengen.cli.main import main; main(['net', 'list']); print(sorted(\n"
    program += "name for name in ('numpy', 'torch') if name in sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines()[-1] == "[]"


def test_baking_needs_no_numpy(small_net: Path) -> None:
    program = "import sys; sys.modules['numpy'] = sys.modules['torch'] = None\n"
    program += "from tengen.cli.main import main; sys.exit(main(['net', 'bake', sys.argv[1]]))"
    line = [sys.executable, "-c", program, str(small_net)]
    result = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "baked, 50.88 MB in " in result.stdout


# --- bake ---


def test_bake_compares_with_the_checksum_of_the_file(
    small_net: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["net", "bake", str(small_net), "--threads", "1"]) == 0
    output = capsys.readouterr().out
    assert "50.88 MB in " in output
    net = read_net(small_net)
    checksum = codebook_checksum(NativeNet(small_net.read_bytes()).codebooks)
    assert f"checksum {checksum:016x}" in output
    wrong = replace(net, header=replace(net.header, codebook_checksum=5))
    write_net(wrong, small_net)
    assert main(["net", "bake", str(small_net)]) == 1
    assert "the baked codebook is not" in capsys.readouterr().err


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_bake_keeps_nets(
    cache: Path, small_net: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.net"
    write_net(net_of(SMALL, lively(SMALL, 2), "another net"), other)
    line = ["net", "bake", str(small_net), str(other)]
    assert main(line) == 0
    output = capsys.readouterr().out.splitlines()
    assert output[0].startswith(f"{small_net}: baked, 50.88 MB in ")
    assert output[2].startswith(f"{other}: baked, 50.88 MB in ")
    files = {line.removeprefix("  cached in ") for line in (output[1], output[3])}
    assert files == {str(path) for path in cache.iterdir()}
    assert len(files) == 2
    assert main(line) == 0
    assert capsys.readouterr().out.count("was baked already, read, 50.88 MB in ") == 2
    assert main([*line, "--again"]) == 0
    assert "already" not in capsys.readouterr().out
    assert {str(path) for path in cache.iterdir()} == files


def test_bake_without_a_cache(
    small_net: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TENGEN_CACHE", "off")
    assert main(["net", "bake", str(small_net)]) == 0
    assert capsys.readouterr().out.endswith("  not cached: the cache is off\n")
    assert main(["net", "cache"]) == 0
    assert "the cache is off" in capsys.readouterr().out
    (tmp_path / "file").touch()
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path / "file" / "below"))
    assert main(["net", "bake", str(small_net)]) == 1
    output = capsys.readouterr()
    assert "baked, 50.88 MB in " in output.out
    assert "could not be cached: no folder" in output.err
    assert output.err.count("\n") == 1


def test_cache(cache: Path, small_net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["net", "cache"]) == 0
    assert capsys.readouterr().out == f"{cache}: no baked nets\n"
    assert main(["net", "bake", str(small_net)]) == 0
    (cache / "mine.txt").touch()
    capsys.readouterr()
    assert main(["net", "cache"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"{cache}: 1 net, 50.88 MB"
    assert second.split()[0] == "a_small_net"
    assert main(["net", "cache", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["folder"] == str(cache)
    assert [net["bytes"] for net in output["nets"]] == [397_488 * 2 * 2 * 32 + 4096]
    assert main(["net", "cache", "--clear"]) == 0
    assert capsys.readouterr().out == f"1 file deleted from {cache}\n"
    assert [path.name for path in cache.iterdir()] == ["mine.txt"]


def test_list_shows_which_nets_are_baked(
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "registry.json").write_text('{"format": 1, "nets": []}')
    monkeypatch.setattr(command, "list_nets", lambda: registry.list_nets(tmp_path))
    monkeypatch.setattr(command, "net_uses", lambda: registry.net_uses(tmp_path))
    for seed, name in enumerate(("one", "two")):
        net = net_of(TINY, lively(TINY, seed))
        result = codebook_checksum(NativeNet(net_bytes(net)).codebooks)
        whole = replace(net, header=replace(net.header, codebook_checksum=result))
        write_net(whole, tmp_path / f"{name}.net")
    assert main(["net", "bake", str(tmp_path / "two.net")]) == 0
    capsys.readouterr()
    assert main(["net", "list"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("plays nothing by default")
    assert second.endswith("plays nothing by default; baked")
    assert main(["net", "list", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert [net["cached"] for net in output] == [None, *map(str, cache.iterdir())]


# --- export, verify ---


@pytest.mark.integration
def test_export_of_a_run(a_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "fine.net"
    line = ["net", "export", str(a_run), "--rule", "renju", str(out), "--size", "13-15"]
    assert main([*line, "--colour", "white", "--description", "for tests"]) == 0
    assert "fine.net, 0.3" in capsys.readouterr().err
    header = net_info(out).header
    assert header.name == "fine"
    assert header.run == "0123abcd step 70"
    assert header.rules == (Rule.RENJU,)
    assert header.sizes == (13, 14, 15)
    assert header.colours == (Colour.WHITE,)
    assert header.codebook_checksum
    assert header.made.startswith("tengen ")
    assert header.scales["feature"] == 32
    before = out.read_bytes()
    assert main(line) == 1
    assert "the file exists: --overwrite" in capsys.readouterr().err
    assert out.read_bytes() == before
    assert main([*line, "--overwrite", "--name", "other"]) == 0
    assert net_info(out).header.name == "other"


@pytest.mark.integration
def test_export_reports_old_lazy_tables(
    a_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "my net.net"
    line = ["net", "export", str(a_run), str(out), "--rule", "renju", "--size", "15"]
    assert main(line) == 0
    assert capsys.readouterr().err.count("\n") == 1
    guesses = tmp_path / "my net.guess"
    guesses.write_bytes(b"of the old net")
    assert main([*line, "--overwrite"]) == 0
    output = capsys.readouterr().err.splitlines()
    assert len(output) == 2
    assert output[1].startswith(f"tengen net: {guesses} ")
    assert f"`tengen net lazy '{out}' --overwrite`" in output[1]
    assert guesses.read_bytes() == b"of the old net"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x.txt"], "must end in .net or .onnx"),
        (["x.net"], "give --rule and --size"),
        (["x.net", "--rule", "renju"], "give --rule and --size"),
        (["x.onnx", "--size", "9-15"], "needs one board size"),
        (["x.onnx"], "needs one board size"),
        (["x.onnx", "--size", "9", "--colour", "black"], "leave out --colour"),
    ],
)
def test_impossible_exports(
    arguments: list[str], message: str, a_run: Path, tmp_path: Path, capsys: Any
) -> None:
    out, *rest = arguments
    assert main(["net", "export", str(a_run), str(tmp_path / out), *rest]) == 1
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.integration
def test_export_of_onnx_writes_rules_and_sizes(a_run: Path, tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("onnxruntime")
    out = str(tmp_path / "a.onnx")
    for_both = ["--rule", "freestyle", "--rule", "caro", "--size", "9"]
    assert main(["net", "export", str(a_run), out, *for_both]) == 0
    net = OnnxNet(out)
    assert net.sizes == (9,)
    for rule in (Rule.FREESTYLE, Rule.CARO):
        net.check_supports(rule, 9)
    with pytest.raises(BadNet, match=r"not for renju: .*freestyle, caro"):
        net.check_supports(Rule.RENJU, 9)
    with pytest.raises(BadNet, match=r"not for 15x15.* 9\b"):
        net.check_supports(Rule.CARO, 15)
    with Engine(net=out) as engine:
        engine.play(Board(9, "caro"), Limit(depth=1))
        with pytest.raises(BadNet, match="not for renju"):
            engine.play(Board(9, "renju"), Limit(depth=1))
    assert main(["net", "export", str(a_run), out, "--size", "9", "--overwrite"]) == 0
    OnnxNet(out).check_supports(Rule.RENJU, 9)


def test_export_of_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["--rule", "renju", "--size", "15"]
    out = str(tmp_path / "x.net")
    assert main(["net", "export", str(tmp_path / "none"), out, *line]) == 1
    assert "there is no file" in capsys.readouterr().err
    (tmp_path / "net.pt").write_bytes(b"no weights")
    assert main(["net", "export", str(tmp_path), out, *line]) == 1
    assert "is damaged, or not a file of weights" in capsys.readouterr().err
    net = make_net({"kind": "resnet", "blocks": 1, "filters": 4})
    spec = {"kind": "resnet", "blocks": 1, "filters": 4}
    write_weights(tmp_path / "net.pt", NetWeights(spec, net.state_dict()))
    assert main(["net", "export", str(tmp_path), out, *line]) == 1
    assert "net files hold Mixnets only" in capsys.readouterr().err
    with torch.no_grad():
        wild = Mixnet(MixnetSpec("s"))
        part(wild, "heads.value.mlp2.weight")[:2, 0] = 9
    write_weights(tmp_path / "net.pt", NetWeights(wild.spec.to_dict(), wild.state_dict()))
    assert main(["net", "export", str(tmp_path), out, *line]) == 1
    output = capsys.readouterr().err
    assert "value.mlp2.w: 2 of 1024 weights are beyond 127/64" in output
    with pytest.raises(SystemExit):
        main(["net", "export", str(tmp_path), out, "--size", "15-30"])
    assert "sizes go from 5 to 22" in capsys.readouterr().err


@pytest.mark.integration
def test_verify_is_a_gate(a_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.net"
    assert main(["net", "export", str(a_run), str(out), "--rule", "caro", "--size", "9"]) == 0
    capsys.readouterr()
    line = ["net", "verify", str(out), "--positions", "3", "--patterns", "500", "--quick"]
    assert main([*line, "--weights", str(a_run)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ok     the file holds this net: 78 tensors, 0 differ"
    assert all(text.startswith("ok ") for text in lines)
    assert any("integers == native core, scalar: 3 positions, 0 differ" in text for text in lines)
    # The file of another net, whose checksum of the codebooks has not been put right.
    net = read_net(out)
    tensors = dict(net.tensors)
    tensors["hv.out.b"] = tensors["hv.out.b"] + np.float32(0.5)
    write_net(replace(net, tensors=tensors), out)
    assert main([*line, "--weights", str(a_run), "--json"]) == 1
    output = capsys.readouterr()
    wrong = [check["name"] for check in json.loads(output.out) if not check["passed"]]
    assert wrong == [
        "the file holds this net",
        "codebook hv ~ torch",
        "checksum of the codebooks",
    ]
    assert f"failed: {', '.join(wrong)}" in output.err
    # Without the run, the file's own weights serve, and only the checksum is wrong.
    assert main(line) == 1
    assert capsys.readouterr().out.count("WRONG") == 1


def test_help_without_an_action(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["net"]) == 2
    assert "tengen net list" in capsys.readouterr().out
