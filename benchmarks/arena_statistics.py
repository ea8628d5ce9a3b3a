# SPDX-License-Identifier: MIT
"""Error rates and coverage of the statistics of the arena, in simulated matches.

    python benchmarks/arena_statistics.py sprt --tests 2000
    python benchmarks/arena_statistics.py ratings --tests 2000
    python benchmarks/arena_statistics.py elo --tests 20000

sprt: how often the test accepts the wrong hypothesis, with the true Elo at elo0, in the middle and
at elo1, and its length beside `expected_pairs`. ratings: how often the 95% intervals of a round
robin of six contain the true values, for ratings and for differences. elo: the same for the
intervals of a match. Prints a table in Markdown; the exit code is 1 if a rate is out of bounds.

In a pair of games the opening favours the first move by `bias` Elo (normally distributed) around
`lean`; each game follows the model of `tengen.arena.ratings`. The true ratings are those that the
fit finds in the exact expected table: averaging over openings bends the logistic curve.
"""

from __future__ import annotations

import math
import multiprocessing
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate, permutations
from typing import NamedTuple

from bench_common import make_parser, print_table
from tengen.arena.elo import (
    NORMALISED_SCALE,
    elo_of_pairs,
    expected_share,
    logistic_elo,
    moments,
    normalised_elo,
)
from tengen.arena.ratings import GameScore, Ratings, rate
from tengen.arena.ratings_fit import fit
from tengen.arena.sprt import Model, Sprt
from tengen.util.text import plural

ELO_OF_LOGIT = 400 / math.log(10)
# The bias of openings, in deviations, and the weights of a normal distribution.
BIASES = [i / 2 for i in range(-5, 6)]
WEIGHTS = [math.exp(-b * b / 2) for b in BIASES]
# Binomial deviations by which a rate may exceed its bound: exceeded by chance once in 200.
ALLOWED = 2.6
# Distance from a bound within which every LLR is exact; four times that for the first pairs.
NEAR = 0.3


class Scenario(NamedTuple):
    """Draws and balance of the simulated games."""

    name: str
    draw: float  # draw value, Elo
    lean: float  # what the first move is worth on average, Elo
    bias: float  # how much openings differ from that, Elo

    def pair(self, strength: float) -> list[float]:
        """P of the results of a pair, index 3 * i + j: half points of the stronger moving first
        and moving second.
        """
        found = [0.0] * 9
        for weight, bias in zip(WEIGHTS, BIASES, strict=True):
            edge = self.lean + bias * self.bias
            ahead, behind = self.game(strength + edge), self.game(strength - edge)
            for i, p in enumerate(ahead):
                for j, q in enumerate(behind):
                    found[3 * i + j] += weight / sum(WEIGHTS) * p * q
        return found

    def game(self, x: float) -> tuple[float, float, float]:
        """P of a loss, a draw, a win."""
        loss, win = expected_share(-x - self.draw), expected_share(x - self.draw)
        return loss, 1 - loss - win, win

    def points(self, strength: float) -> list[float]:
        """P of 0, 1/2, 1, 3/2, 2 points in a pair."""
        found = [0.0] * 5
        for index, p in enumerate(self.pair(strength)):
            found[index // 3 + index % 3] += p
        return found

    def at(self, elo: float, measure: Callable[[Sequence[float]], float]) -> list[float]:
        """`points` of the strength for which the measure of them is `elo`."""
        low, high = -4000.0, 4000.0
        for _ in range(80):
            middle = (low + high) / 2
            if measure(self.points(middle)) < elo:
                low = middle
            else:
                high = middle
        return self.points(low)


SCENARIOS = [
    Scenario("even openings, 5% draws", 17, 0, 0),
    Scenario("lopsided openings, 3% draws", 17, 100, 400),
    Scenario("40% draws", 147, 30, 150),
]


class Row(NamedTuple):
    """One line of the table."""

    cells: tuple[str, ...]
    passed: bool


Simulation = Callable[[int, random.Random], Row]  # of so many tests


def mean_elo(points: Sequence[float]) -> float:
    return logistic_elo(moments(points)[0])


def mean_normalised(points: Sequence[float]) -> float:
    mean, variance = moments(points)
    return NORMALISED_SCALE * (mean - 0.5) / math.sqrt(2 * variance)


def percent(part: float, tests: int) -> str:
    """A rate with its binomial deviation."""
    return f"{100 * part:.2f} ± {100 * math.sqrt(part * (1 - part) / tests):.2f}%"


def at_most(part: float, bound: float, tests: int) -> bool:
    return part <= bound + ALLOWED * math.sqrt(bound * (1 - bound) / tests)


# --- sprt ---


def sprt_rows() -> Iterator[Simulation]:
    models: tuple[Model, ...] = ("logistic", "normalised")
    for model in models:
        for scenario in SCENARIOS:
            usual, quick = Sprt(0, 20, model=model), Sprt(-20, 40, model=model)
            yield from (partial(sprt_row, scenario, usual, place) for place in (0, 0.5, 1))
            yield from (partial(sprt_row, scenario, quick, place) for place in (0, 1))


def sprt_row(scenario: Scenario, test: Sprt, place: float, tests: int, rng: random.Random) -> Row:
    """`place` of the true Elo: 0 at elo0, 1 at elo1."""
    elo = test.elo0 + place * (test.elo1 - test.elo0)
    points = scenario.at(elo, mean_elo if test.model == "logistic" else mean_normalised)
    ends = [one_sprt(test, points, rng) for _ in range(tests)]
    accepted = sum(h1 for h1, _ in ends) / tests
    length = sum(pairs for _, pairs in ends) / tests
    wrong = None if place == 0.5 else abs(place - accepted)
    bound = test.alpha if place == 0 else test.beta
    cells = (
        test.model,
        scenario.name,
        f"[{test.elo0:g}, {test.elo1:g}]",
        f"{elo:g}",
        percent(accepted, tests),
        "" if wrong is None else percent(wrong, tests),
        f"{length:.0f}",
        f"{test.expected_pairs(elo, points):.0f}",
    )
    return Row(cells, wrong is None or at_most(wrong, bound, tests))


def one_sprt(test: Sprt, points: Sequence[float], rng: random.Random) -> tuple[bool, int]:
    """Whether H1 was accepted, and after how many pairs; asked after each pair.

    The exact LLR is computed near a bound and whenever a tenth more pairs were played; in between a
    quick one is followed, corrected by what it was off the last time.
    """
    bounds = list(accumulate(points))
    counts = [0] * 5
    pairs = 0
    off, next_exact = 0.0, 0
    while True:
        for i in rng.choices(range(5), cum_weights=bounds, k=50):
            counts[i] += 1
            pairs += 1
            near = quick_llr(test, counts) + off
            margin = NEAR if pairs > 40 else 4 * NEAR
            if pairs < next_exact and abs(near) < test.upper - margin:
                continue
            llr = test.llr(counts)
            off += llr - near
            next_exact = pairs + max(5, pairs // 10)
            if not test.lower < llr < test.upper and (decision := test.decide(counts)):
                return decision == "H1", pairs


def quick_llr(test: Sprt, counts: Sequence[int]) -> float:
    """The LLR for differences that are small against the spread of pairs."""
    a, b, c, d, e = counts
    number = a + b + c + d + e
    mean = (b + 2 * c + 3 * d + 4 * e) / (4 * number)
    variance = (b + 4 * c + 9 * d + 16 * e) / (16 * number) - mean * mean + 0.1 / number
    if test.model == "logistic":
        low, high = expected_share(test.elo0), expected_share(test.elo1)
        return number * (high - low) * (mean - (low + high) / 2) / variance
    unit = math.sqrt(2) / NORMALISED_SCALE
    low, high = unit * test.elo0, unit * test.elo1
    return number * (high - low) * ((mean - 0.5) / math.sqrt(variance) - (low + high) / 2)


SPRT_HEAD = ("model", "scenario", "bounds", "true Elo", "H1", "wrong", "pairs", "`expected_pairs`")


# --- ratings ---


PLAYERS = 6


def ratings_rows() -> Iterator[Simulation]:
    for scenario in SCENARIOS:
        for gap, pairs in ((40, 5), (40, 30), (120, 10)):
            yield partial(ratings_row, scenario, gap, pairs)


def ratings_row(scenario: Scenario, gap: float, pairs: int, tests: int, rng: random.Random) -> Row:
    """`gap`: Elo between neighbours; `pairs` of each two players."""
    strengths = [gap * (i - (PLAYERS - 1) / 2) for i in range(PLAYERS)]
    chances = {(a, b): scenario.pair(strengths[a] - strengths[b]) for a, b in meetings()}
    truth, advantage = expected_ratings(chances)
    single = difference = first = 0
    width = 0.0
    for _ in range(tests):
        found = one_tournament(chances, pairs, rng)
        single += sum(abs(found.elo[i] - truth[i]) <= found.error[i] for i in range(PLAYERS))
        for a, b in meetings():
            elo = found.difference(a, b)
            difference += elo.low <= truth[a] - truth[b] <= elo.high
        first += abs(found.advantage.value - advantage) <= found.advantage.error
        width += sum(found.error) / PLAYERS
    shares = (single / PLAYERS, difference / len(meetings()), first)
    parts = [share / tests for share in shares]
    cells = (scenario.name, f"{gap:g}", f"{pairs}", f"{width / tests:.1f}")
    passed = all(0.93 <= part <= 0.97 for part in parts[:2])  # coverage of 95 +- 2%
    return Row((*cells, *(percent(part, tests) for part in parts)), passed)


def meetings() -> list[tuple[int, int]]:
    return [(a, b) for a in range(PLAYERS) for b in range(a)]


def expected_ratings(chances: dict[tuple[int, int], list[float]]) -> tuple[list[float], float]:
    """Elo of the players and of the first move in an endless tournament."""
    table: dict[tuple[int, int], list[float]] = {
        pair: [0.0] * 3 for pair in permutations(range(PLAYERS), 2)
    }
    for (a, b), results in chances.items():
        for index, p in enumerate(results):
            table[a, b][2 - index // 3] += 1e6 * p
            table[b, a][index % 3] += 1e6 * p
    found = fit(table, PLAYERS, advantage=True)
    mean = sum(found.ratings) / PLAYERS
    return [ELO_OF_LOGIT * (r - mean) for r in found.ratings], ELO_OF_LOGIT * found.advantage


def one_tournament(
    chances: dict[tuple[int, int], list[float]], pairs: int, rng: random.Random
) -> Ratings:
    games = []
    for (a, b), results in chances.items():
        for pair, index in enumerate(rng.choices(range(9), results, k=pairs)):
            games.append(GameScore(a, b, (index // 3) / 2, pair))
            games.append(GameScore(b, a, 1 - (index % 3) / 2, pair))
    return rate(games, PLAYERS)


RATINGS_HEAD = (
    "scenario", "gaps", "pairs of two", "mean error", "ratings", "differences", "first move",
)  # fmt: skip


# --- elo ---


ELOS = (0, 50, 200, 400, 600)


def elo_rows() -> Iterator[Simulation]:
    for scenario in SCENARIOS:
        yield from (partial(elo_row, scenario, pairs) for pairs in (5, 10, 30, 100, 1000))


def elo_row(scenario: Scenario, pairs: int, tests: int, rng: random.Random) -> Row:
    cells, passed = [scenario.name, f"{pairs}"], True
    for true in ELOS:
        points = scenario.at(true, mean_elo)
        normalised = mean_normalised(points)
        held = held_normalised = 0
        for _ in range(tests):
            drawn = rng.choices(range(5), points, k=pairs)
            counts = [drawn.count(i) for i in range(5)]
            plain, other = elo_of_pairs(counts), normalised_elo(counts)
            held += plain.low <= true <= plain.high
            held_normalised += other.low <= normalised <= other.high
        part = held / tests
        cells.append(f"{100 * part:.1f} ({100 * held_normalised / tests:.1f})%")
        # At least 95%, less one; not much more with many pairs.
        passed = passed and part >= 0.94 - ALLOWED * math.sqrt(0.06 * 0.94 / tests)
        passed = passed and (pairs < 100 or part <= 0.98)
    return Row(tuple(cells), passed)


ELO_HEAD = ("scenario", "pairs", *(f"at {elo}" for elo in ELOS))


KINDS = {
    "sprt": (SPRT_HEAD, sprt_rows),
    "ratings": (RATINGS_HEAD, ratings_rows),
    "elo": (ELO_HEAD, elo_rows),
}


def simulate(task: tuple[Simulation, int, str]) -> Row:
    simulation, tests, seed = task
    return simulation(tests, random.Random(seed))


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("what", choices=KINDS)
    parser.add_argument("--tests", type=int, default=2000, help="simulations per row (2000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    head, rows = KINDS[args.what]
    tasks = ((row, args.tests, f"{args.seed} {number}") for number, row in enumerate(rows()))
    failed = 0
    with multiprocessing.Pool(args.processes) as pool:

        def cells() -> Iterator[tuple[str, ...]]:
            nonlocal failed
            for row in pool.imap(simulate, tasks):
                failed += not row.passed
                yield (*row.cells, "yes" if row.passed else "NO")

        print_table([*head, "within bounds"], cells())
    print(f"{plural(failed, 'row')} out of bounds" if failed else "all rows within bounds")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
