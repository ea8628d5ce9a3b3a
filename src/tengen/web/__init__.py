# SPDX-License-Identifier: MIT
"""The board in the browser: a server that knows the rules, and a page that asks it.

Relies on the engine, the solvers and the game; FastAPI, pydantic and uvicorn are imported only
when a server is made. See docs/web.md.
"""

__all__ = ["make_app", "serve"]

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tengen.web.app import make_app
    from tengen.web.serve import serve


def __getattr__(name: str) -> Any:
    if name == "make_app":
        from tengen.web.app import make_app

        return make_app
    if name == "serve":
        from tengen.web.serve import serve

        return serve
    raise AttributeError(f"module 'tengen.web' has no attribute {name!r}")
