# SPDX-License-Identifier: MIT
"""Reports of the evaluation to a manager, by the native program and by `tengen gomocup`: ABOUT and
a MESSAGE; nets that do not fit the memory or the rule, or that are ONNX files.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from subprocess import PIPE

import pytest

from gomocup_peer import NATIVE, REAL

LIVELY = Path(__file__).parents[1] / "golden" / "mixnet" / "lively.net"
MEBIBYTE = 1 << 20


@pytest.fixture(params=[REAL, NATIVE], ids=["python", "native"])
def program(request: pytest.FixtureRequest) -> list[str]:
    return [*request.param, "--net", str(LIVELY), "--memory", "8"]


def talk(program: list[str], *lines: str) -> list[str]:
    """The output for these lines, up to the answer to the last one; the input stays open."""
    output = []
    with subprocess.Popen(program, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(f"{line}\n" for line in lines))
        process.stdin.flush()
        for line in process.stdout:
            output.append(line.rstrip())
            if output[-1][0].isdigit() or output[-1].startswith("ERROR"):
                break
        _, faults = process.communicate("END\n", timeout=60)
    assert (process.returncode, faults) == (0, "")
    return output


def test_a_whole_dialogue(program: list[str]) -> None:
    output = talk(
        program, "ABOUT", "INFO timeout_turn 10000", "INFO max_depth 2", "START 15", "BEGIN"
    )
    assert output[0].endswith(', evaluation="mixnet (net lively)"')
    assert output[1:3] == ["OK", "MESSAGE evaluation: mixnet (net lively)"]
    assert output[-1] == "7,7"


def test_too_little_memory_is_reported(program: list[str]) -> None:
    limit = f"INFO max_memory {100 * MEBIBYTE}"
    output = talk(program, limit, "INFO timeout_turn 1000", "INFO max_depth 2", "START 15", "BEGIN")
    why = "lively: 49 MiB of memory needed, 20 allowed"
    assert f"MESSAGE evaluation: classical ({why})" in output


def test_a_net_for_another_rule_is_an_error(program: list[str]) -> None:
    output = talk(program, "START 15", "INFO rule 4", "BEGIN")
    assert output[0] == "OK"
    assert output[1].startswith("ERROR ")
    assert "this net is not for renju 15x15" in output[1]


def test_onnx_files_need_python(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(b"rubbish")
    output = talk([*NATIVE, "--net", str(path)], "START 15", "BEGIN")
    assert output[-1].startswith("ERROR ")
    assert "tengen gomocup" in output[-1]
    output = talk([*REAL, "--net", str(path)], "START 15", "BEGIN")
    assert output[-1].startswith("ERROR ")
    assert "tengen gomocup" not in output[-1]
