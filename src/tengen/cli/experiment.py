# SPDX-License-Identifier: MIT
"""`tengen experiment`: reproduces the tables and figures of papers. Imports torch when a step
needs it.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.common import (
    INTERRUPTED,
    StopSignal,
    Subcommands,
    add_options,
    at_least,
    choices,
    duration,
    log,
    path_argument,
    plural,
    run_subcommand,
    wrap,
)
from tengen.cluster import cores
from tengen.experiments.errors import BadExperiment
from tengen.experiments.experiment import (
    NAMES,
    SCALES,
    DataSource,
    EngineSource,
    Setup,
    find_experiment,
)
from tengen.experiments.folder import ExperimentFolder
from tengen.experiments.papers import all_items
from tengen.experiments.step import Step, in_order
from tengen.util.errors import BadRun

if TYPE_CHECKING:
    from tengen.experiments.report import Report

_log = partial(log, "tengen experiment")
_OUT = "runs/experiments"
_NONE = "none"  # of --data and --engine: what an earlier run was given no longer counts
_EPILOG = f"""\
examples:
  tengen experiment list                                  every table and figure of the papers
  tengen experiment show gomokunet-1                      what it runs, and what is done
  tengen experiment run go-params                         counts of the Go nets, seconds
  tengen experiment run all --scale tiny --out runs/tiny  a smoke test of everything
  tengen experiment run gomokunet-1 gomokunet-2 --scale small --device cuda \\
      --data renju=games.txt.xz --out runs/small          the same command resumes a stopped run
  tengen experiment report runs/small                     write the reports again
  tengen experiment pack runs/small half.tar              take the results elsewhere
  tengen experiment unpack half.tar runs/small

Scales: tiny tests that every step runs; small needs two cores and an accelerator for minutes;
paper has the sizes of the papers. --data NAME=PATH gives data: `renju` human renju games (records,
or a data set), `selfplay` freestyle positions (a data set, or a folder of part_NN.npz). Without
them the engine makes games itself, which shows nothing about a paper, and the report says so.
Data and engines are remembered; NAME=none and --engine none forget them.

Steps are cached in DIR (default {_OUT}) and shared by all experiments. Reports are in
DIR/reports: Markdown, JSON, and one HTML page each with charts.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    actions = Subcommands(parser)
    listed = actions.add("list", _list, "every table and figure, its experiment, what is done")
    show = actions.add("show", _show, "what an experiment runs, and what is done")
    run = actions.add("run", _run, "run experiments, or resume them", _EPILOG)
    report = actions.add("report", _report, "write the reports of a folder again")
    pack = actions.add("pack", _pack, "pack the results of a folder into one file")
    unpack = actions.add("unpack", _unpack, "add packed results to a folder")
    show.add_argument("name", metavar="NAME", help=", ".join(NAMES))
    run.add_argument("names", nargs="+", metavar="NAME", help="experiments, or `all`")
    report.add_argument("folder", type=path_argument, metavar="DIR")
    report.add_argument("names", nargs="*", metavar="NAME", help="experiments (default: all)")
    for action in (listed, show, run):
        add_options(
            action,
            (f"--scale {choices(SCALES)}", "size of nets, data and matches", str, "small"),
            ("--out DIR", "folder of steps and reports", path_argument, Path(_OUT)),
        )
        action.add_argument(
            "--data",
            action="append",
            default=[],
            metavar="NAME=PATH",
            help="data: renju, selfplay; NAME=none forgets it: the engine makes games",
        )
        action.add_argument(
            "--engine",
            action="append",
            default=[],
            metavar="CMD",
            help="another opponent of renju-search, in place of earlier ones; none: no other",
        )
    run.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help="only steps with this text in their titles, and what they need",
    )
    add_options(
        run,
        ("--device NAME", "cpu or cuda (default: cuda if available)"),
        ("--minutes M", "stop after M minutes", duration("minutes")),
        ("--processes N", "games at a time", at_least(1), cores()),
        ("--compile", "train with torch.compile, for accelerators"),
    )
    pack.add_argument("folder", type=path_argument, metavar="DIR")
    pack.add_argument("file", type=path_argument, metavar="FILE")
    add_options(pack, ("--nets", "include the nets, not only results"))
    unpack.add_argument("file", type=path_argument, metavar="FILE")
    unpack.add_argument("folder", type=path_argument, metavar="DIR")
    for action in (listed, show, run, report):
        add_options(action, ("--json", "print JSON instead"))


run = run_subcommand


def _setup(args: argparse.Namespace) -> Setup:
    data, omitted = {}, set[str]()
    known = sorted({name for one in NAMES for name in find_experiment(one).data})
    for text in args.data:
        name, equals, path = text.partition("=")
        if not equals or name not in known or not path:
            problem = f"no data {text!r:.80}: use NAME=PATH with a name of {', '.join(known)}"
            raise BadExperiment(problem)
        if path == _NONE:
            omitted.add(name)
        else:
            data[name] = DataSource.of(Path(path))
    engines = tuple(EngineSource.of(text) for text in args.engine if text != _NONE)
    if _NONE in args.engine:
        omitted.add("engines")
    return Setup(args.scale, data, engines, frozenset(omitted))


def _state(name: str, folder: ExperimentFolder) -> str:
    """How many steps of an experiment are done."""
    steps = in_order(folder.plan(name).values())
    done = sum(map(folder.store.is_done, steps))
    return f"{done}/{len(steps)}"


def _seen_folder(args: argparse.Namespace) -> ExperimentFolder:
    """The folder as a run with these options would use it; nothing is written."""
    setup = _setup(args)
    if ExperimentFolder.has_run(args.out):
        before = ExperimentFolder.read(args.out).setup
        if before.scale == setup.scale:
            return ExperimentFolder(args.out, setup.after(before))
    return ExperimentFolder(args.out, setup)


def _list(args: argparse.Namespace) -> int:
    folder = _seen_folder(args)
    states = {name: _state(name, folder) for name in NAMES}
    rows = []
    for paper, item in all_items():
        names = list(filter(None, (item.experiment, *item.also)))
        rows.append({
            "paper": paper.id,
            "item": item.name,
            "caption": item.caption,
            "experiments": names,
            "reason": item.reason,
            "cost": {name: dict(find_experiment(name).cost) for name in names},
            "done": {name: states[name] for name in names},
        })  # fmt: skip
    if args.json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        _print_item(row, args.scale)
    basis = "of our runs" if args.scale == "small" else "estimates"
    _log(f"costs are {basis} for --scale {args.scale}; steps done are those in {args.out}")
    return 0


def _print_item(row: dict[str, Any], scale: str) -> None:
    head = f"{row['paper']:<10} {row['item']:<12}"
    if not row["experiments"]:
        print(f"{head} {'-':<18} {row['reason']}")
    for name in row["experiments"]:
        cost = row["cost"][name][scale]
        print(f"{head} {name:<18} {row['done'][name]:>7} steps, {cost:<18} {row['caption']}")


def _show(args: argparse.Namespace) -> int:
    experiment, folder = find_experiment(args.name), _seen_folder(args)
    steps = in_order(folder.plan(args.name).values())
    states = [(step, folder.store.is_done(step)) for step in steps]
    if args.json:
        rows = [{"key": s.key, "title": s.title, "done": d, **s.identity()} for s, d in states]
        print(json.dumps({"name": experiment.name, "title": experiment.title, "steps": rows}))
        return 0
    print(f"{experiment.name}: {experiment.title}")
    for paper, item in all_items():
        if experiment.name in (item.experiment, *item.also):
            print(*wrap(f"{paper.title}, {item.name}: {item.caption}", "  "), sep="\n")
    cost = "; ".join(f"{scale} {text}" for scale, text in experiment.cost.items())
    print(f"cost (small: of our runs; others: estimated): {cost}")
    if experiment.data:
        print(f"data: {', '.join(_data_text(folder.setup, name) for name in experiment.data)}")
    for difference in experiment.differences:
        print(*wrap(difference, "differs: "), sep="\n")
    print(f"steps at scale {folder.setup.scale}:")
    for step, done in states:
        print(f"  {'done' if done else '    '}  {step.key}  {step.title}")
    return 0


def _data_text(setup: Setup, name: str) -> str:
    source = setup.data.get(name)
    if source is None:
        return f"{name} (made by the engine)"
    return f"{name} ({source.path or f'not here, digest {source.digest[:12]}'})"


def _run(args: argparse.Namespace) -> int:
    from tengen.experiments.runner import RunOptions, describe, run_steps

    args.out = args.out.resolve()  # steps store paths below it
    given = [find_experiment(name).name for name in args.names if name != "all"]
    names = list(NAMES) if "all" in args.names else list(dict.fromkeys(given))
    folder = ExperimentFolder.open(args.out, _setup(args), names)
    targets = _targets(args.only, [step for name in names for step in folder.plan(name).values()])
    options = RunOptions(args.device or "", args.processes, args.compile)
    seconds = None if args.minutes is None else 60 * args.minutes
    with StopSignal(seconds) as stop:
        summary = run_steps(args.out, targets, options, stop)
        reports = [one for one in folder.write_reports() if one.experiment.name in names]
    if args.json:
        print(json.dumps({
            "done": [step.key for step in summary.done],
            "cached": summary.cached,
            "failed": {step.key: text for step, text in summary.failed.items()},
            "pending": [step.key for step in summary.pending],
            "verdicts": {report.experiment.name: _verdicts(report) for report in reports},
        }, indent=1))  # fmt: skip
    else:
        for report in reports:
            _print_report(report)
    _log(describe(summary))
    if summary.pending and not summary.failed:
        _log("not complete: the same command resumes")
    _log(f"reports are in {args.out}/reports")
    if stop.requested:
        return INTERRUPTED
    return 1 if summary.failed else 0


def _targets(wanted: list[str], steps: list[Step]) -> list[Step]:
    """The steps of --only, by default all."""
    found = [step for step in steps if not wanted or any(text in step.title for text in wanted)]
    if steps and not found:
        problem = f"no step of these experiments has {' or '.join(wanted)!r:.80} in its title"
        raise BadExperiment(f"{problem}: `tengen experiment show NAME` lists them")
    return found


def _verdicts(report: Report) -> list[dict[str, str]]:
    return [
        {"claim": one.claim, "kind": one.kind, "outcome": one.outcome, "detail": one.detail}
        for one in report.findings.verdicts
    ]


def _print_report(report: Report) -> None:
    from tengen.experiments.report import markdown

    print(markdown(report))


def _report(args: argparse.Namespace) -> int:
    folder = ExperimentFolder.read(args.folder)
    unknown = [name for name in args.names if name not in folder.names]
    if unknown:
        known = ", ".join(folder.names)
        raise BadRun(f"{args.folder} has no experiment {unknown[0]!r:.60}: it has {known}")
    reports = folder.write_reports(args.names)
    if args.json:
        from tengen.experiments.report import to_dict

        print(json.dumps([to_dict(report) for report in reports], indent=1))
    else:
        for report in reports:
            _print_report(report)
    _log(f"{plural(len(reports), 'report')} in {args.folder}/reports")
    return 0


def _pack(args: argparse.Namespace) -> int:
    from tengen.experiments.pack import pack_results

    packed = pack_results(args.folder, args.file, nets=args.nets)
    _log(f"{plural(packed.steps, 'step')}, {packed.bytes / 1e6:.1f} MB in {args.file}")
    return 0


def _unpack(args: argparse.Namespace) -> int:
    from tengen.experiments.pack import unpack_results

    added, known = unpack_results(args.file, args.folder)
    _log(f"{plural(added, 'step')} added to {args.folder}, {known} already there")
    return 0
