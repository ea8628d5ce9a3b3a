# SPDX-License-Identifier: MIT
"""Handles the requests of a page: a table from request types to methods."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import cache
from time import time
from typing import Any

from tengen._version import version
from tengen.game.render.layout import star_points
from tengen.game.renju_openings import RENJU_OPENINGS
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule
from tengen.web import events, requests
from tengen.web.conversions import boards_along, to_board, to_view
from tengen.web.limits import RequestError
from tengen.web.live_game import LiveGame
from tengen.web.messages import GamePosition
from tengen.web.problems import check_attempt, find_hint
from tengen.web.record_trees import load_record, save_record
from tengen.web.server_state import Outbox, PageSession
from tengen.web.study import Study


def welcome(session: PageSession) -> events.WelcomeEvent:
    """Answers `hello`."""
    state = session.state
    return events.WelcomeEvent(
        session=session.name,
        problems=state.problems.counts(state.store.solved(session.name)),
        study=state.store.study(session.name),
        **_server_info(),
    )


@cache  # a burst of connections costs as little as possible
def _server_info() -> dict[str, Any]:
    sizes = list(range(MIN_SIZE, MAX_SIZE + 1))
    return {
        "version": version(),
        "rules": [rule.value for rule in Rule],
        "sizes": sizes,
        "openings": [
            events.OpeningInfo(
                code=opening.code, name=opening.name, kanji=opening.kanji, kind=opening.kind
            )
            for opening in RENJU_OPENINGS
        ],
        "stars": {str(size): [star.name for star in star_points(size)] for size in sizes},
    }


class RequestHandler:
    """Handles the requests of one page. Long work runs in `Study` and reports by events."""

    def __init__(self, session: PageSession, page: Outbox) -> None:
        self._session, self._page, self._state = session, page, session.state
        self._study = Study(session, page)
        controller = session.controller
        self._table: Mapping[str, Callable[[Any], Any]] = {
            "new_game": controller.new_game,
            "play": lambda request: controller.play(request.move),
            "choose": lambda request: controller.choose(request.choice),
            "take_back": lambda _: controller.take_back(),
            "resign": lambda _: controller.resign(),
            "rematch": lambda _: controller.rematch(),
            "hint": lambda _: controller.hint(),
            "move_now": lambda _: controller.move_now(),
            "list_games": self._list_games,
            "open_game": self._open_game,
            "view": self._view,
            "analyse": self._study.analyse,
            "stop": self._study.stop,
            "solve": self._study.solve,
            "proof_step": self._study.proof_step,
            "load_record": self._load_record,
            "review": self._study.review,
            "save_record": self._save_record,
            "picture": self._picture,
            "save_study": self._save_study,
            "problem": self._problem,
            "attempt": self._attempt,
            "problem_hint": self._problem_hint,
        }

    async def handle(self, request: requests.Request) -> None:
        """Raises TengenError for a request that cannot be fulfilled."""
        if request.type == "hello":
            raise RequestError("hello", "hello was already sent")
        result = self._table[request.type](request)
        if asyncio.iscoroutine(result):
            await result

    def close(self) -> None:
        self._study.close()

    # --- games ---

    def _list_games(self, request: requests.ListGamesRequest) -> None:
        entries = []
        for row in self._state.store.games(self._session.name):
            try:
                game = LiveGame.from_json(row.state)
            except ValueError:
                continue
            entries.append(
                events.GameEntry(
                    game=game.game,
                    rule=game.settings.rule,
                    you=game.your_colour,
                    level=game.level,
                    moves=game.board.ply,
                    result=game.result,
                    changed=min(row.changed, time()),
                )
            )
        self._page.send(events.GameListEvent(id=request.id, games=entries))

    def _open_game(self, request: requests.OpenGameRequest) -> None:
        row = self._state.store.game(self._session.name, request.game)
        if row is None:
            raise RequestError("game", f"there is no game {request.game!r}")
        try:
            game = LiveGame.from_json(row.state)
        except ValueError as error:
            raise RequestError("game", "the stored game is not readable") from error
        settings = game.settings
        position = GamePosition(rule=settings.rule, size=settings.size, moves=game.move_names)
        self._page.send(events.OpenedGameEvent(id=request.id, position=position))

    # --- positions ---

    def _view(self, request: requests.ViewRequest) -> None:
        position = request.position
        boards = boards_along(position) if request.whole_line else [to_board(position)]
        views = [to_view(board) for board in boards]
        self._page.send(events.ViewsEvent(id=request.id, views=views))

    async def _picture(self, request: requests.PictureRequest) -> None:
        def draw() -> list[str]:
            position = request.position
            boards = boards_along(position) if request.whole_line else [to_board(position)]
            return [board.svg(numbers=request.numbers, width=request.width) for board in boards]

        svgs = await asyncio.to_thread(draw)
        self._page.send(events.PicturesEvent(id=request.id, svgs=svgs))

    # --- records ---

    async def _load_record(self, request: requests.LoadRecordRequest) -> None:
        self._page.send(await asyncio.to_thread(load_record, request))

    async def _save_record(self, request: requests.SaveRecordRequest) -> None:
        text = await asyncio.to_thread(save_record, request)
        self._page.send(events.SavedRecordEvent(id=request.id, text=text))

    def _save_study(self, request: requests.SaveStudyRequest) -> None:
        limit = self._state.limits.study_size
        if len(request.text.encode()) > limit:
            raise RequestError("size", f"the study is larger than {limit} bytes: save it as a file")
        self._state.store.save_study(self._session.name, request.text)

    # --- problems ---

    def _problem(self, request: requests.ProblemRequest) -> None:
        problems, solved = self._state.problems, self._state.store.solved(self._session.name)
        matching = problems.matching(request.rule, request.length)
        name = request.problem
        problem = problems.get(name) if name else problems.next(matching, solved)
        names = [other.name for other in matching]
        index = names.index(problem.name) if problem.name in names else 0
        following = names[index + 1 :] + names[:index]
        unsolved = [name for name in following if name not in solved]
        self._page.send(
            events.ProblemEvent(
                id=request.id,
                problem=problem.name,
                number=index + 1,
                count=len(names),
                goal=problem.goal,
                length=problem.length,
                position=problem.position,
                view=to_view(problem.board()),
                solved=problem.name in solved,
                next=next(iter(unsolved or following), None),
            )
        )

    async def _attempt(self, request: requests.AttemptRequest) -> None:
        problem = self._state.problems.get(request.problem)
        result = await asyncio.to_thread(check_attempt, problem, request.moves)
        store, session = self._state.store, self._session
        if result.verdict != "right":
            done = result.verdict == "solved" and not request.shown
            wrong = int(result.verdict == "wrong")
            store.record_attempt(session.name, problem.name, wrong=wrong, done=done)
        self._page.send(
            events.AttemptEvent(
                id=request.id,
                verdict=result.verdict,
                reason=result.reason,
                point=result.point.name if result.point else None,
                moves=[move.name for move in result.moves],
                view=to_view(result.board),
            )
        )
        if result.verdict == "solved":
            counts = self._state.problems.counts(store.solved(session.name))
            session.send(events.ProblemProgressEvent(problems=counts))

    async def _problem_hint(self, request: requests.ProblemHintRequest) -> None:
        problem = self._state.problems.get(request.problem)
        move = await asyncio.to_thread(find_hint, problem, request.moves)
        if move is None:
            raise RequestError("hint", "there is no forced win any more: start again")
        self._state.store.record_attempt(self._session.name, problem.name, hints=1)
        self._page.send(events.ProblemHintEvent(id=request.id, move=move.name))
