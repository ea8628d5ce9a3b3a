# SPDX-License-Identifier: MIT
"""What is done with each message of a page: a table from the kind of message to a method.

Relies on everything else of the server; the connection relies on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import cache
from time import time as now
from typing import TYPE_CHECKING, Any, TypeVar

from tengen._version import version
from tengen.engine.levels import LEVELS
from tengen.game.render.layout import star_points
from tengen.game.renju_openings import RENJU_OPENINGS
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule
from tengen.web import asks, tells
from tengen.web.asks import Ask
from tengen.web.errors import Refused
from tengen.web.play import PlayGame
from tengen.web.positions import board_of, start_of, view, views
from tengen.web.problems import PosedProblem, hint, judge
from tengen.web.proofs import proof_step
from tengen.web.shapes import Position
from tengen.web.study import Study
from tengen.web.trees import loaded, saved

if TYPE_CHECKING:
    from tengen.web.connection import Connection
    from tengen.web.session import Session

__all__ = ["Desk", "welcome"]

_T = TypeVar("_T")


def welcome(session: Session) -> tells.Welcome:
    """The answer to hello."""
    house = session.house
    return tells.Welcome(
        type="welcome",
        session=session.name,
        version=version(),
        rules=[rule.value for rule in Rule],
        sizes=list(range(MIN_SIZE, MAX_SIZE + 1)),
        levels=_levels(),
        openings=_openings(),
        stars=_stars(),
        problems=house.problems.counts(house.store.solved(session.name)),
        study=house.store.study(session.name),
        analysis_time=house.bounds.analysis_time,
    )


# The same for everybody, and worked out once: a storm of pages must not cost more than it has to.
@cache
def _levels() -> list[tells.LevelAbout]:
    return [
        tells.LevelAbout(number=level.number, nodes=level.nodes, depth=level.depth)
        for level in LEVELS.values()
    ]


@cache
def _openings() -> list[tells.OpeningAbout]:
    return [
        tells.OpeningAbout(
            code=opening.code,
            name=opening.name,
            kanji=opening.kanji,
            kind=opening.kind,
            moves=[move.name for move in opening.moves()],
        )
        for opening in RENJU_OPENINGS
    ]


@cache
def _stars() -> dict[str, list[str]]:
    return {
        str(size): [star.name for star in star_points(size)]
        for size in range(MIN_SIZE, MAX_SIZE + 1)
    }


class Desk:
    """Handles the messages of one page. What takes long runs elsewhere and is told later."""

    def __init__(self, session: Session, page: Connection) -> None:
        self._session, self._page = session, page
        self._house = session.house
        self._study = Study(session, page)
        self._table: Mapping[str, Callable[[Any], Any]] = {
            "hello": self._hello,
            "new_game": session.table.new,
            "play": lambda ask: session.table.play(ask.move),
            "choose": lambda ask: session.table.choose(ask.take),
            "games": self._games,
            "open_game": self._open_game,
            "look": self._look,
            "analyse": self._study.analyse,
            "stop": lambda ask: self._study.stop(ask.id),
            "solve": self._study.solve,
            "proof_step": self._proof_step,
            "load": self._load,
            "review": self._study.review,
            "save_record": self._save,
            "picture": self._picture,
            "keep_study": self._keep_study,
            "problem": self._problem,
            "attempt": self._attempt,
            "problem_hint": self._problem_hint,
        }

    async def handle(self, ask: Ask) -> None:
        """Raises TengenError for what cannot be done."""
        if isinstance(ask, asks.GameCommand):
            self._session.table.command(ask.type)
            return
        done = self._table[ask.type](ask)
        if asyncio.iscoroutine(done):
            await done

    def close(self) -> None:
        self._study.close()

    def _tell(self, message: tells.Tell) -> None:
        self._page.tell(message)

    def _hello(self, ask: asks.Hello) -> None:
        raise Refused("hello", "you have said hello already")

    # --- games ---

    def _games(self, ask: asks.Games) -> None:
        found = []
        for kept in self._house.store.games(self._session.name):
            try:
                game = PlayGame.of_state(kept.state)
            except ValueError:
                continue
            told = game.told(False)
            found.append(
                tells.GameEntry(
                    game=game.game,
                    rule=game.asked.rule,
                    size=game.asked.size,
                    you=told.you,
                    level=game.level,
                    moves=game.board.ply,
                    result=game.result,
                    when=min(kept.changed, now()),
                )
            )
        self._tell(tells.GameList(type="game_list", id=ask.id, games=found))

    def _open_game(self, ask: asks.OpenGame) -> None:
        kept = self._house.store.game(self._session.name, ask.game)
        if kept is None:
            raise Refused("game", "there is no such game")
        try:
            game = PlayGame.of_state(kept.state)
        except ValueError as error:
            raise Refused("game", "this game can no longer be read") from error
        told = game.told(False)
        position = Position(rule=game.asked.rule, size=game.asked.size, moves=told.moves)
        self._tell(
            tells.OpenedGame(
                type="opened_game",
                id=ask.id,
                position=position,
                you=told.you,
                level=game.level,
                result=game.result,
            )
        )

    # --- positions ---

    def _look(self, ask: asks.Look) -> None:
        found = views(ask.position) if ask.every else [view(board_of(ask.position))]
        self._tell(tells.Views(type="views", id=ask.id, views=found))

    def _proof_step(self, ask: asks.ProofStep) -> None:
        proof = self._study.proofs.get(ask.id)
        if proof is None:
            raise Refused("proof", "this proof is no longer kept: solve the position again")
        self._tell(proof_step(ask.id, proof, ask.moves))

    async def _picture(self, ask: asks.Picture) -> None:
        def draw() -> list[str]:
            options: dict[str, Any] = {"theme": ask.theme, "width": ask.width}
            board = start_of(ask.position)
            drawn = [board.svg(numbers=ask.numbers, **options)] if ask.every else []
            for move in ask.position.moves:
                board.push(move)
                if ask.every:
                    drawn.append(board.svg(numbers=ask.numbers, **options))
            return drawn or [board.svg(numbers=ask.numbers, **options)]

        self._tell(tells.Pictures(type="pictures", id=ask.id, svgs=await _beside(draw)))

    # --- records ---

    async def _load(self, ask: asks.Load) -> None:
        self._tell(await _beside(lambda: loaded(ask)))

    async def _save(self, ask: asks.SaveRecord) -> None:
        text = await _beside(lambda: saved(ask))
        self._tell(tells.SavedRecord(type="saved_record", id=ask.id, text=text, format=ask.format))

    def _keep_study(self, ask: asks.KeepStudy) -> None:
        if len(ask.text.encode()) > self._house.bounds.study_size:
            raise Refused("size", "this study is too large to be kept; save it as a file")
        self._house.store.keep_study(self._session.name, ask.text)

    # --- problems ---

    def _problem(self, ask: asks.Problem) -> None:
        problems, solved = self._house.problems, self._house.store.solved(self._session.name)
        fitting = problems.fitting(ask.rule, ask.length)
        problem = problems.get(ask.problem) if ask.problem else problems.next(fitting, solved)
        self._tell(_posed(ask.id, problem, fitting, solved))

    async def _attempt(self, ask: asks.Attempt) -> None:
        problem = self._house.problems.get(ask.problem)
        judged = await _beside(lambda: judge(problem, ask.moves))
        store, who = self._house.store, self._session.name
        if judged.verdict != "right":
            solved = judged.verdict == "solved" and not ask.shown
            store.tried(who, problem.name, wrong=int(judged.verdict == "wrong"), done=solved)
        self._tell(
            tells.Attempted(
                type="attempted",
                id=ask.id,
                problem=problem.name,
                verdict=judged.verdict,
                why=judged.why,
                point=judged.point.name if judged.point else None,
                words=judged.words,
                moves=[move.name for move in judged.moves],
                view=view(judged.board),
            )
        )
        if judged.verdict == "solved":
            counts = self._house.problems.counts(store.solved(who))
            self._session.tell(tells.Progress(type="progress", problems=counts))

    async def _problem_hint(self, ask: asks.ProblemHint) -> None:
        problem = self._house.problems.get(ask.problem)
        found = await _beside(lambda: hint(problem, ask.moves))
        if found is None:
            raise Refused("hint", "the win is gone: begin again")
        self._house.store.tried(self._session.name, problem.name, hints=1)
        self._tell(found.model_copy(update={"id": ask.id}))


def _posed(
    id: int, problem: PosedProblem, fitting: list[PosedProblem], solved: set[str]
) -> tells.ProblemPosed:
    names = [other.name for other in fitting]
    place = names.index(problem.name) if problem.name in names else 0
    following = names[place + 1 :] + names[:place]
    return tells.ProblemPosed(
        type="problem_posed",
        id=id,
        problem=problem.name,
        number=place + 1,
        count=len(names),
        goal=problem.goal,
        length=problem.length,
        position=problem.position,
        view=view(problem.board()),
        solved=problem.name in solved,
        next=next((name for name in following if name not in solved), None)
        or next(iter(following), None),
    )


async def _beside(work: Callable[[], _T]) -> _T:
    """Do something that takes milliseconds without keeping other pages waiting."""
    return await asyncio.to_thread(work)
