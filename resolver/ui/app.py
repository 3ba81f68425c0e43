"""The page's server: it serves the page and answers the request that the page sends with each change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib import resources
from typing import Any

import attrs
import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import DeltaResolverError
from deltaresolver.ui.choices import choices_for
from deltaresolver.ui.doorkeeper import HEADERS, Doorkeeper
from deltaresolver.ui.what_if import OpenedTable, answer, way_back

_PAGE = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}
LONGEST_BODY = 4_000_000
"""Bytes. Pasted metadata of a thousand columns takes a tenth of it."""

Apply = Callable[[str, str], Mapping[str, Any]]
"""Carries one statement out on the table at a path."""


@attrs.frozen(slots=True)
class ServedTables:
    """How tables come onto the page: those that may be picked, opening one, reading metadata that was pasted.

    `apply` is None unless the page may write.
    """

    paths: tuple[str, ...]
    open: Callable[[str], OpenedTable]
    paste: Callable[[bytes], OpenedTable]
    apply: Apply | None = None


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """What every request of the page holds: a table by its path, or pasted metadata, and what to try on it."""

    path: str | None = None
    metadata: str | None = None
    statements: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()


@attrs.define(slots=True)
class _Answers:
    """What the page may ask. It keeps one table open: a lake's metadata need not stay in memory.

    Each method raises `PermissionError` for what the page may not do.
    """

    tables: ServedTables
    knowledge: ClientKnowledge
    _opened: dict[tuple[str | None, str | None], OpenedTable] = attrs.field(factory=dict, init=False)

    def open(self, question: Question) -> dict[str, Any]:
        """The table, read afresh, and what can be tried on it."""
        table = self._table(question, afresh=True)
        return {"title": table.title, "may_apply": self.tables.apply is not None, **choices_for(table.state)}

    def what_if(self, question: Question) -> dict[str, Any]:
        """What comes of the statements, and for whom."""
        return answer(self._table(question), question.statements, question.clients, self.knowledge)

    def back(self, question: Question) -> dict[str, Any]:
        """How to get back from there."""
        return way_back(self._table(question), question.statements, self.knowledge)

    def apply(self, question: Question) -> dict[str, Any]:
        """Carries the statements out."""
        if self.tables.apply is None or question.path is None or question.path not in self.tables.paths:
            raise PermissionError("apply")
        done = [dict(self.tables.apply(question.path, statement)) for statement in question.statements]
        self._opened.clear()
        return {"done": done}

    def _table(self, question: Question, *, afresh: bool = False) -> OpenedTable:
        key = question.path, question.metadata
        if afresh or key not in self._opened:
            if question.path is not None and question.path not in self.tables.paths:
                raise PermissionError(question.path)
            found = self.tables.paste((question.metadata or "").encode()) if question.path is None else None
            self._opened.clear()
            self._opened[key] = found or self.tables.open(str(question.path))
        return self._opened[key]


def make_app(tables: ServedTables, knowledge: ClientKnowledge, door: Doorkeeper) -> Starlette:
    """The application, for any ASGI server that listens on loopback."""
    answers = _Answers(tables, knowledge)
    posted = {"open": answers.open, "answer": answers.what_if, "back": answers.back, "apply": answers.apply}

    async def listing(_request: Request) -> Response:
        names = sorted(str(client) for client in knowledge.catalogue.clients)
        return JSONResponse({"tables": list(tables.paths), "clients": names}, headers=dict(HEADERS))

    app = Starlette(
        routes=[
            *(Route(path, _page(path, door)) for path in _PAGE),
            Route("/api/tables", _guarded(listing, door)),
            *(Route(f"/api/{name}", _guarded(_asked(work), door), methods=["POST"]) for name, work in posted.items()),
        ]
    )
    # It would send on whoever asks, under the host name that he gave, before the door is asked.
    app.router.redirect_slashes = False
    return app


Endpoint = Callable[[Request], Awaitable[Response]]


def _page(path: str, door: Doorkeeper) -> Endpoint:
    name, kind = _PAGE[path]
    body = (resources.files(__package__) / name).read_bytes()

    async def page(_request: Request) -> Response:
        return Response(body, media_type=kind, headers=dict(HEADERS))

    async def first(request: Request) -> Response:
        """The page, or with the right token in the address the cookie and the page's bare address."""
        token = request.query_params.get("token")
        if token is None or not door.knows(token) or request.headers.get("host") not in door.hosts:
            return await _guarded(page, door)(request)
        entered = RedirectResponse("/", status_code=303, headers=dict(HEADERS))
        entered.set_cookie(door.cookie, token, httponly=True, samesite="strict")
        return entered

    return first if path == "/" else _guarded(page, door)


def _guarded(endpoint: Endpoint, door: Doorkeeper) -> Endpoint:
    async def guarded(request: Request) -> Response:
        objection = door.objection(request.method, request.headers, request.cookies)
        if objection is not None:
            return Response(f"{objection}\n", 403, media_type="text/plain", headers=dict(HEADERS))
        return await endpoint(request)

    return guarded


def _asked(work: Callable[[Question], dict[str, Any]]) -> Endpoint:
    """Reads the question, works in a thread, and turns errors of the library into data."""

    async def asked(request: Request) -> Response:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > LONGEST_BODY:
                return _refusal("The question is too long.", 413)
        try:
            question = msgspec.json.decode(bytes(body), type=Question)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return _refusal(f"The question cannot be read: {error}.", 400)
        try:
            found = await run_in_threadpool(work, question)
        except DeltaResolverError as error:
            return JSONResponse({"error": error.to_json()}, headers=dict(HEADERS))
        except PermissionError:
            return _refusal(
                "This is not one of the tables that deltaresolver ui was opened on, or it may not write.", 403
            )
        return JSONResponse(found, headers=dict(HEADERS))

    return asked


def _refusal(reason: str, status: int) -> Response:
    return JSONResponse({"error": {"message": reason, "fix": ""}}, status, headers=dict(HEADERS))
