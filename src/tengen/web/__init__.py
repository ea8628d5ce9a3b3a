# SPDX-License-Identifier: MIT
"""The browser edition: a server with the rules and the engines, and the page that it serves.

`tengen.web.serve` starts a server, `tengen.web.app` has the ASGI app. They import FastAPI, pydantic
and uvicorn, this module does not. See docs/web.md.
"""

from tengen.util.deprecation import deprecated_names

__getattr__ = deprecated_names(__name__, {"make_app": "tengen.web.app:make_app"})
