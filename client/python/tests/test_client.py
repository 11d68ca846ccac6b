"""Both clients against a scripted service."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, Callable, get_args

import httpx
import pytest

from retrieval_memory import (
    api,
    AsyncMemory,
    IngestError,
    Memory,
    MemoryAPIError,
    MemoryConnectionError,
    RawRequest,
    RetryPolicy,
)

URL = "http://memory.test"
KEY = "svc_test"
Answer = httpx.Response | Exception


class Both:
    """Runs the same calls with the sync and the async client, and compares what they return and send."""

    def __init__(self, answer: Callable[[httpx.Request, int], Answer], **options: Any) -> None:
        self._answer = answer
        self._options = {"retry": RetryPolicy(random=lambda: 0.0, on_wait=self._on_wait), **options}
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []

    def _on_wait(self, seconds: float, _reason: Exception) -> None:
        self.waits.append(seconds)

    def _handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answer(request, len(self.requests))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def run(self, sync: Callable[[Memory], Any], asynchronous: Callable[[AsyncMemory], Any]) -> Any:
        first = self._outcome(lambda: self._sync(sync))
        sent = [(request.method, str(request.url), request.content) for request in self.requests]
        self.requests.clear()
        second = self._outcome(lambda: asyncio.run(self._async(asynchronous)))
        assert [(request.method, str(request.url), request.content) for request in self.requests] == sent
        assert repr(second) == repr(first)
        if isinstance(first, Exception):
            raise first
        return first

    @staticmethod
    def _outcome(work: Callable[[], Any]) -> Any:
        try:
            return work()
        except (MemoryAPIError, MemoryConnectionError, ValueError) as error:
            return error

    def _sync(self, work: Callable[[Memory], Any]) -> Any:
        with httpx.Client(transport=httpx.MockTransport(self._handle)) as client:
            return work(Memory(KEY, URL, http_client=client, **self._options))

    async def _async(self, work: Callable[[AsyncMemory], Any]) -> Any:
        async with httpx.AsyncClient(transport=httpx.MockTransport(self._handle)) as client:
            return await work(AsyncMemory(KEY, URL, http_client=client, **self._options))


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    async def pause(_seconds: float) -> None:
        return None

    monkeypatch.setattr("retrieval_memory._transport.time.sleep", lambda _seconds: None)
    monkeypatch.setattr("retrieval_memory._transport.asyncio.sleep", pause)


def problem(status: int, code: str, headers: dict[str, str] | None = None, **details: Any) -> httpx.Response:
    return httpx.Response(status, json={"error": "No", "code": code, **details}, headers=headers)


def document(external_id: str, body: str = "text") -> Any:
    return {
        "connectorId": "c",
        "provider": "notion",
        "sourceKind": "document",
        "externalId": external_id,
        "title": external_id,
        "body": body,
    }


async def collect(items: Any) -> list[Any]:
    return [item async for item in items]


def test_sends_the_query_and_the_key() -> None:
    both = Both(lambda request, _: httpx.Response(200, json={"query": "days", "hits": []}))
    assert both.run(lambda m: m.search("days"), lambda m: m.search("days")) == {"query": "days", "hits": []}
    request = both.requests[0]
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.content) == {"query": "days"}


def test_reads_lists_page_by_page() -> None:
    def answer(request: httpx.Request, _: int) -> httpx.Response:
        cursor = request.url.params.get("cursor")
        page = {"sourceItems": [{"id": cursor or "first"}], "nextCursor": None if cursor else "second"}
        return httpx.Response(200, json=page)

    both = Both(answer)
    found = both.run(
        lambda m: list(m.source_items.list({"provider": "notion", "limit": 1})),
        lambda m: collect(m.source_items.list({"provider": "notion", "limit": 1})),
    )
    assert [item["id"] for item in found] == ["first", "second"]
    assert both.requests[1].url.params["cursor"] == "second"


def test_escapes_ids_in_paths() -> None:
    both = Both(lambda request, _: httpx.Response(200, json={"sourceItem": {"id": "a/b"}}))
    both.run(lambda m: m.source_items.get("a/b"), lambda m: m.source_items.get("a/b"))
    assert both.requests[0].url.raw_path == b"/v1/source-items/a%2Fb"


@pytest.mark.parametrize(
    ("status", "code", "headers", "waits"),
    [
        (429, "rate_limited", {"retry-after": "7"}, [7.0]),
        (503, "overloaded", {"retry-after": "2"}, [2.0]),
        (500, "internal", {}, [0.125]),
    ],
)
def test_retries_temporary_failures(status: int, code: str, headers: dict[str, str], waits: list[float]) -> None:
    both = Both(
        lambda _, count: problem(status, code, headers) if count == 1 else httpx.Response(200, json={"sources": []})
    )
    assert both.run(lambda m: m.sources.list(), lambda m: m.sources.list()) == []
    assert both.waits == waits * 2


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (lambda: problem(429, "quota_exceeded"), "quota_exceeded"),
        (lambda: problem(500, "internal"), "internal"),
        (lambda: problem(503, "not_configured"), "not_configured"),
        (lambda: problem(429, "rate_limited", {"retry-after": "61"}), "rate_limited"),
        (lambda: problem(400, "validation_failed", issues=[{"path": "query", "message": "m"}]), "validation_failed"),
        (lambda: httpx.Response(502, text="<h1>Bad gateway</h1>"), "http_error"),
        (lambda: httpx.Response(502, text="[" * 200_000), "http_error"),
        (lambda: problem(400, "internal", {"retry-after": f"Wed, 21 Oct {'9' * 20} 07:28:00 GMT"}), "internal"),
        (lambda: httpx.Response(200, text="hello"), "invalid_answer"),
        (lambda: httpx.Response(502, content=b"\xff", headers={"content-type": "a/b; charset=idna"}), "http_error"),
        (lambda: httpx.Response(200, content=b"\xff", headers={"content-type": "a/b; charset=hex"}), "invalid_answer"),
    ],
)
def test_raises_permanent_failures_at_once(answer: Callable[[], httpx.Response], code: str) -> None:
    both = Both(lambda _, __: answer())
    with pytest.raises(MemoryAPIError) as caught:
        both.run(lambda m: m.ask("q"), lambda m: m.ask("q"))
    assert caught.value.code == code
    assert len(both.requests) == 1


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (httpx.ConnectError("refused"), "unreachable"),
        (httpx.ReadTimeout("slow"), "timeout"),
        (httpx.RemoteProtocolError("cut"), "broken"),
    ],
)
def test_names_the_fault_of_a_connection(error: httpx.HTTPError, fault: str) -> None:
    both = Both(lambda _, __: error)
    with pytest.raises(MemoryConnectionError) as caught:
        both.run(lambda m: m.sources.list(), lambda m: m.sources.list())
    assert caught.value.fault == fault
    # A question is sent once, because its lost answer may have cost a credit.
    assert len(both.requests) == 3
    both.requests.clear()
    with pytest.raises(MemoryConnectionError):
        both.run(lambda m: m.ask("q"), lambda m: m.ask("q"))
    assert len(both.requests) == 1


def event(name: str, data: Any) -> str:
    return f"event: {name}\r\ndata: {json.dumps(data, ensure_ascii=False)}\r\n\r\n"


DONE = {"question": "q", "answer": "25 days [1].", "citations": [], "context": [], "limitations": []}
STREAM = (
    event("step", {"step": "search", "query": "q", "hitCount": 1})
    + event("context", {"context": []})
    + event("later", {})
    # A line separator, which ends no line of an event stream.
    + event("delta", {"text": "25\u2028days"})
    + event("citations", {"citations": []})
    + event("done", DONE)
)


def streamed(stream: Any) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=stream)


def exported(text: str) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "application/x-ndjson"}, text=text)


def pieces(text: str) -> Any:
    class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self) -> Any:
            # Single bytes split characters and line ends.
            return iter([bytes([byte]) for byte in text.encode()])

        async def __aiter__(self) -> Any:
            for piece in self:
                yield piece

    return Pieces()


def test_streams_an_answer_whose_bytes_arrive_one_by_one() -> None:
    # The text is UTF-8, whatever a proxy's header says.
    headers = {"content-type": "text/event-stream; charset=idna"}
    both = Both(lambda _, __: httpx.Response(200, headers=headers, stream=pieces(STREAM)))
    events = both.run(lambda m: list(m.ask_stream("q")), lambda m: collect(m.ask_stream("q")))
    assert [one["type"] for one in events] == ["step", "context", "delta", "citations", "done"]
    assert events[0]["step"] == {"step": "search", "query": "q", "hitCount": 1}
    assert events[2]["text"] == "25\u2028days"
    assert events[-1]["answer"] == DONE
    assert both.requests[0].headers["accept"] == "text/event-stream"


def test_raises_if_a_stream_breaks_off_or_fails() -> None:
    both = Both(lambda _, __: streamed(pieces(event("delta", {"text": "25"}))))
    with pytest.raises(MemoryConnectionError) as broken:
        both.run(lambda m: list(m.ask_stream("q")), lambda m: collect(m.ask_stream("q")))
    assert broken.value.fault == "broken"
    failing = event("error", {"error": "The model failed", "code": "upstream_error"})
    both = Both(lambda _, __: streamed(pieces(failing)))
    with pytest.raises(MemoryAPIError, match="The model failed"):
        both.run(lambda m: list(m.ask_stream("q")), lambda m: collect(m.ask_stream("q")))


def stored(request: httpx.Request) -> httpx.Response:
    count = len(json.loads(request.content)["documents"])
    return httpx.Response(200, json={"ingested": count, "skipped": 0})


def test_ingests_in_as_many_requests_as_needed() -> None:
    documents = [document(str(number)) for number in range(5)] + [document("4", "newer")]
    both = Both(lambda request, _: stored(request))
    progress = both.run(
        lambda m: m.ingest(documents, documents_per_request=2), lambda m: m.ingest(documents, documents_per_request=2)
    )
    assert (progress.ingested, progress.requests) == (6, 4)
    sent = [[one["externalId"] for one in json.loads(request.content)["documents"]] for request in both.requests]
    # Documents with the same key are never in one request.
    assert sent == [["0", "1"], ["2", "3"], ["4"], ["4"]]


def test_stores_the_others_when_documents_are_refused() -> None:
    def answer(request: httpx.Request, _: int) -> httpx.Response:
        documents = json.loads(request.content)["documents"]
        for index, one in enumerate(documents):
            if one["externalId"] == "bad":
                return problem(400, "validation_failed", issues=[{"path": f"documents.{index}.url", "message": "m"}])
        return stored(request)

    documents = [document("a"), document("bad"), document("b"), document("long", "x" * (1024 * 1024 + 1))]
    refused: list[str] = []
    both = Both(answer)
    both.run(
        lambda m: m.ingest(documents, on_refused=lambda one, _: refused.append(one["externalId"])),
        lambda m: m.ingest(documents, on_refused=lambda one, _: refused.append(one["externalId"])),
    )
    assert refused == ["long", "bad"] * 2
    with pytest.raises(IngestError) as caught:
        both.requests.clear()
        both.run(lambda m: m.ingest(documents[:3]), lambda m: m.ingest(documents[:3]))
    assert [one["externalId"] for one in caught.value.documents] == ["a", "bad", "b"]


@pytest.mark.parametrize("bad", [{"body": None}, {"body": 5}, {"externalId": None}, {"externalId": ["x"]}, {"gone": True}])
def test_leaves_documents_with_missing_or_wrong_fields_to_the_service(bad: dict[str, Any]) -> None:
    def answer(request: httpx.Request, _: int) -> httpx.Response:
        documents = json.loads(request.content)["documents"]
        faulty = [index for index, one in enumerate(documents) if one != document("a")]
        issues = [{"path": f"documents.{index}.body", "message": "m"} for index in faulty]
        return problem(400, "validation_failed", issues=issues) if faulty else stored(request)

    documents: list[Any] = [{} if "gone" in bad else {**document("b"), **bad}, document("a")]
    both = Both(answer)

    options: dict[str, Any] = {"on_refused": lambda _document, _error: None}
    progress = both.run(lambda m: m.ingest(documents, **options), lambda m: m.ingest(documents, **options))
    assert (progress.ingested, progress.refused) == (1, 1)


def test_sends_lone_surrogates_as_escapes() -> None:
    both = Both(lambda request, _: stored(request))
    # Such as a name that Python decoded with surrogateescape.
    documents = [document("a", "caf\udce9 \U0001f600")]
    both.run(lambda m: m.ingest(documents), lambda m: m.ingest(documents))
    assert b"caf\\udce9 \xf0\x9f\x98\x80" in both.requests[0].content
    assert json.loads(both.requests[0].content)["documents"] == documents


def test_takes_documents_from_an_async_iterable() -> None:
    async def ingest() -> int:
        async def documents() -> Any:
            yield document("a")

        transport = httpx.MockTransport(stored)
        async with httpx.AsyncClient(transport=transport) as client:
            return (await AsyncMemory(KEY, URL, http_client=client).ingest(documents())).ingested

    assert asyncio.run(ingest()) == 1


def test_sends_any_request() -> None:
    both = Both(lambda _, __: httpx.Response(200, text="ok"))
    request = RawRequest("GET", "/healthz")
    assert both.run(lambda m: m.send(request), lambda m: m.send(request)).text == "ok"


@pytest.mark.parametrize(
    ("key", "url"),
    [
        ("svc x", URL),
        ("", URL),
        (KEY, "memory.test"),
        (KEY, "ftp://x"),
        (KEY, "http://memory.test?key=1"),
        (KEY, "http://memory.test/#top"),
        (KEY, "http://ada:secret@memory.test"),
    ],
)
def test_refuses_an_invalid_key_or_url(key: str, url: str) -> None:
    for kind in (Memory, AsyncMemory):
        with pytest.raises(ValueError):
            kind(key, url)


def call_everything(m: Any) -> list[Any]:
    """A call of every method, in the order of the README."""
    return [
        m.search("q"),
        m.context({"query": "q", "limit": 3}),
        m.ask("q"),
        m.ingest([document("a")]),
        m.source_items.get("1"),
        m.source_items.readers("1"),
        m.source_items.delete("1"),
        m.source_items.delete_by_external_id("notion", "a/b c"),
        m.sources.list(),
        m.sources.channels("1"),
        m.sources.set_channel_allowlist("1", None),
        m.sync_runs.list(),
        m.sync_runs.get("1"),
        m.sync_runs.start({"connectorId": "1"}),
        m.memory_canvas.get({"q": "Ada", "limit": 5}),
        m.memory_canvas.entity("1"),
        m.api_keys.list(),
        m.api_keys.create({"name": "Robot", "allowedActions": ["search"]}),
        m.api_keys.revoke("1"),
        m.groups.get("1"),
        m.groups.put("1", {"members": ["ada@example.com"]}),
        m.groups.delete("1"),
        m.audit_events.list({"limit": 5}),
        m.maintenance.reembedding(),
        m.maintenance.start_reembedding(),
        m.maintenance.clean_up_slack_system_events(dry_run=True),
    ]


async def await_everything(m: AsyncMemory) -> None:
    for call in call_everything(m):
        await call
    await collect(m.export())
    await collect(m.source_items.list())
    await collect(m.groups.list())


def read_everything(m: Memory) -> None:
    call_everything(m)
    list(m.export())
    list(m.source_items.list())
    list(m.groups.list())


EMPTY: dict[str, Any] = {
    **{name: [] for name in ("sourceItems", "groups", "sources", "syncRuns", "apiKeys", "auditEvents", "readers")},
    **{name: {} for name in ("sourceItem", "group")},
    "nextCursor": None,
    "ingested": 1,
    "skipped": 0,
}


def test_has_a_method_for_every_operation() -> None:
    def answer(request: httpx.Request, _: int) -> httpx.Response:
        return exported("") if request.url.path == "/v1/export" else httpx.Response(200, json=EMPTY)

    both = Both(answer)
    both.run(read_everything, await_everything)
    called = {f"{request.method} {request.url.path}" for request in both.requests}
    declared = {f"{method} " + re.sub(r"\{\w+\}", "1", path) for method, path in api.OPERATIONS.values()}
    assert called == declared
    assert {request.url.query.decode() for request in both.requests} == {
        "",
        "provider=notion&externalId=a%2Fb+c",
        "q=Ada&limit=5",
        "limit=5",
    }


def test_exports_text_in_pieces_from_an_item_on() -> None:
    both = Both(lambda _, __: exported('{"end":true}\n'))
    pieces = both.run(lambda m: list(m.export("a")), lambda m: collect(m.export("a")))
    assert "".join(pieces) == '{"end":true}\n'
    assert json.loads(both.requests[0].content) == {"after": "a"}


def test_reads_pages_of_groups_and_sync_runs() -> None:
    def answer(request: httpx.Request, _: int) -> httpx.Response:
        is_last = "cursor" in request.url.params
        groups = {"groups": [{"id": "2" if is_last else "1"}], "nextCursor": None if is_last else "next"}
        runs = {"syncRuns": [], **({} if is_last else {"nextCursor": "next"})}
        return httpx.Response(200, json=groups if "groups" in request.url.path else runs)

    both = Both(answer)
    groups = both.run(lambda m: list(m.groups.list()), lambda m: collect(m.groups.list()))
    assert [group["id"] for group in groups] == ["1", "2"]
    both.requests.clear()
    assert len(both.run(lambda m: list(m.sync_runs.pages()), lambda m: collect(m.sync_runs.pages()))) == 2


def test_reads_no_page_before_it_is_needed() -> None:
    page = {"sourceItems": [{"id": "1"}], "nextCursor": "next"}
    both = Both(lambda _, __: httpx.Response(200, json=page))

    async def first(m: AsyncMemory) -> Any:
        return await anext(m.source_items.list())

    both.run(lambda m: next(m.source_items.list()), first)
    assert len(both.requests) == 1


def test_sends_the_headers_of_the_client_and_of_changed_options() -> None:
    both = Both(lambda _, __: problem(503, "overloaded"), headers={"x-trace": "1", "x-app": "a"})
    with pytest.raises(MemoryAPIError):
        both.run(
            lambda m: m.with_options(headers={"x-trace": "2"}, retry=False).search("q"),
            lambda m: m.with_options(headers={"x-trace": "2"}, retry=False).search("q"),
        )
    [request] = both.requests
    assert (request.headers["x-trace"], request.headers["x-app"]) == ("2", "a")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    with pytest.raises(MemoryAPIError):
        both.requests.clear()
        both.run(lambda m: m.search("q"), lambda m: m.search("q"))
    assert len(both.requests) == 3


def test_applies_the_timeout_of_the_client_and_of_a_call() -> None:
    both = Both(lambda _, __: httpx.Response(200, json={"sources": []}), timeout=7)
    both.run(lambda m: m.sources.list(), lambda m: m.sources.list())
    assert both.requests[0].extensions["timeout"]["read"] == 7
    both.requests.clear()
    both.run(
        lambda m: m.with_options(timeout=1).sources.list(),
        lambda m: m.with_options(timeout=1).sources.list(),
    )
    assert both.requests[0].extensions["timeout"]["read"] == 1


@pytest.mark.parametrize("code", get_args(api.ErrorCode))
def test_raises_every_error_code(code: str) -> None:
    both = Both(lambda _, __: problem(400, code))
    with pytest.raises(MemoryAPIError) as caught:
        both.run(lambda m: m.sources.list(), lambda m: m.sources.list())
    assert (caught.value.status, caught.value.code) == (400, code)


def test_raises_errors_with_all_their_fields() -> None:
    issues = [{"path": "limit", "message": "limit must be at most 25"}]
    headers = {"retry-after": "17", "x-request-id": "r-1"}
    both = Both(lambda _, __: problem(429, "rate_limited", headers, limit=60, issues=issues), retry=False)
    with pytest.raises(MemoryAPIError, match="^No$") as caught:
        both.run(lambda m: m.search("q"), lambda m: m.search("q"))
    error = caught.value
    assert (error.request_id, error.issues, error.retry_after) == ("r-1", tuple(issues), 17)
    assert error.details["limit"] == 60


def test_raises_http_error_for_a_code_of_a_later_version() -> None:
    both = Both(lambda _, __: problem(418, "of_tomorrow"))
    with pytest.raises(MemoryAPIError) as caught:
        both.run(lambda m: m.search("q"), lambda m: m.search("q"))
    assert (caught.value.code, caught.value.details["code"]) == ("http_error", "of_tomorrow")


def test_waits_until_a_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval_memory._transport.time.time", lambda: 1767268800.0)
    headers = {"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}
    both = Both(
        lambda _, count: problem(503, "overloaded", headers)
        if count == 1
        else httpx.Response(200, json={"sources": []})
    )
    both.run(lambda m: m.sources.list(), lambda m: m.sources.list())
    assert both.waits == [30.0, 30.0]


def test_limits_waits_and_attempts() -> None:
    waits: list[float] = []
    policy = RetryPolicy(rate_waits=4, attempts=4, random=lambda: 0.5, on_wait=lambda wait, _: waits.append(wait))
    both = Both(lambda _, __: problem(429, "rate_limited", {"retry-after": "1"}), retry=policy)
    with pytest.raises(MemoryAPIError):
        both.run(lambda m: m.ask("q"), lambda m: m.ask("q"))
    assert len(both.requests) == 5
    waits.clear()
    both = Both(lambda _, __: problem(503, "not_ready"), retry=policy)
    with pytest.raises(MemoryAPIError):
        both.run(lambda m: m.ask("q"), lambda m: m.ask("q"))
    assert waits == [0.1875, 0.375, 0.75] * 2


@pytest.mark.parametrize("answer", [lambda: httpx.ConnectError("refused"), lambda: problem(502, "upstream_error")])
def test_retries_uncertain_failures_of_idempotent_calls_only(answer: Callable[[], Answer]) -> None:
    def sent(call: Callable[[Any], Any]) -> int:
        both = Both(lambda _, __: answer())
        with pytest.raises((MemoryAPIError, MemoryConnectionError)):
            both.run(call, call)
        return len(both.requests)

    assert sent(lambda m: m.sources.list()) == 3
    assert sent(lambda m: m.ingest([document("a")])) == 3
    assert sent(lambda m: m.source_items.delete("1")) == 3
    assert sent(lambda m: m.sources.set_channel_allowlist("1", None)) == 3
    assert sent(lambda m: m.search("q")) == 1
    assert sent(lambda m: m.ask("q")) == 1
    assert sent(lambda m: m.api_keys.create({"name": "x", "allowedActions": ["ask"]})) == 1


@pytest.mark.parametrize(
    "stream",
    [
        event("delta", {"text": 5}),
        event("context", {}),
        event("step", {"step": None}),
        event("done", {"citations": []}),
    ],
)
def test_raises_for_an_invalid_event(stream: str) -> None:
    both = Both(lambda _, __: streamed(pieces(stream)))
    with pytest.raises(MemoryAPIError) as caught:
        both.run(lambda m: list(m.ask_stream("q")), lambda m: collect(m.ask_stream("q")))
    assert caught.value.code == "invalid_answer"


def test_raises_for_an_event_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval_memory._stream._EVENT_CHARACTERS_MAX", 100)
    for stream in ("data: " + "x" * 200, "data: x\n" * 50):
        both = Both(lambda _, __: streamed(pieces(stream)))
        with pytest.raises(MemoryAPIError, match="no end"):
            both.run(lambda m: list(m.ask_stream("q")), lambda m: collect(m.ask_stream("q")))


def test_raises_for_a_page_instead_of_a_stream_or_an_export() -> None:
    for call, wait in (
        (lambda m: list(m.ask_stream("q")), lambda m: collect(m.ask_stream("q"))),
        (lambda m: list(m.export()), lambda m: collect(m.export())),
    ):
        with pytest.raises(MemoryAPIError) as caught:
            Both(lambda _, __: httpx.Response(200, html="<html>")).run(call, wait)
        assert caught.value.code == "invalid_answer"


def test_names_the_target_of_a_redirect() -> None:
    both = Both(lambda _, __: httpx.Response(301, headers={"location": "https://memory.test/v1/search"}))
    with pytest.raises(MemoryAPIError, match="redirects to https://memory.test/v1/search"):
        both.run(lambda m: m.search("q"), lambda m: m.search("q"))


@pytest.mark.parametrize("item_id", ["", ".", ".."])
def test_refuses_an_id_that_would_call_another_route(item_id: str) -> None:
    both = Both(lambda _, __: httpx.Response(200, json=EMPTY))
    with pytest.raises(ValueError, match="must not be empty"):
        both.run(lambda m: m.source_items.delete(item_id), lambda m: m.source_items.delete(item_id))
    assert both.requests == []


def test_raises_the_error_before_a_stream() -> None:
    both = Both(lambda _, __: problem(402, "subscription_required"))
    with pytest.raises(MemoryAPIError) as caught:
        both.run(lambda m: list(m.ask_stream("q")), lambda m: collect(m.ask_stream("q")))
    assert caught.value.code == "subscription_required"


def test_closes_the_stream_when_the_reader_stops() -> None:
    closed: list[str] = []

    class Endless(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self) -> Any:
            while True:
                yield event("delta", {"text": "25"}).encode()

        async def __aiter__(self) -> Any:
            while True:
                yield event("delta", {"text": "25"}).encode()

        def close(self) -> None:
            closed.append("sync")

        async def aclose(self) -> None:
            closed.append("async")

    def read(m: Memory) -> str:
        stream = m.ask_stream("q")
        first = next(stream)["type"]
        stream.close()  # type: ignore[attr-defined]
        return first

    async def read_async(m: AsyncMemory) -> str:
        stream = m.ask_stream("q")
        first = (await anext(stream))["type"]
        await stream.aclose()  # type: ignore[attr-defined]
        return first

    assert Both(lambda _, __: streamed(Endless())).run(read, read_async) == "delta"
    assert closed == ["sync", "async"]


def test_reports_progress_and_stored_documents_of_each_request() -> None:
    documents = [document(str(number)) for number in range(5)]
    for kind in ("sync", "async"):
        progress: list[int] = []
        stored_ids: list[list[str]] = []

        def take(some: Any) -> None:
            stored_ids.append([one["externalId"] for one in some])

        async def take_later(some: Any) -> None:
            take(some)

        options: dict[str, Any] = {"documents_per_request": 2, "on_progress": lambda now: progress.append(now)}
        if kind == "sync":
            with httpx.Client(transport=httpx.MockTransport(stored)) as client:
                Memory(KEY, URL, http_client=client).ingest(documents, on_stored=take, **options)
        else:

            async def ingest() -> None:
                async with httpx.AsyncClient(transport=httpx.MockTransport(stored)) as client:
                    memory = AsyncMemory(KEY, URL, http_client=client)
                    await memory.ingest(documents, on_stored=take_later, **options)

            asyncio.run(ingest())
        assert [now.ingested for now in progress] == [2, 4, 5]
        assert stored_ids == [["0", "1"], ["2", "3"], ["4"]]


@pytest.mark.parametrize("named", ["issues", "index", "neither"])
def test_finds_refused_documents_by_the_error_or_by_halving(named: str) -> None:
    def answer(request: httpx.Request, _: int) -> httpx.Response:
        ids = [one["externalId"] for one in json.loads(request.content)["documents"]]
        bad = [index for index, external_id in enumerate(ids) if external_id in ("3", "7")]
        if not bad:
            return stored(request)
        if named == "issues":
            issues = [{"path": f"documents.{index}.url", "message": "m"} for index in bad]
            return problem(400, "validation_failed", issues=issues)
        if named == "index":
            return problem(400, "provider_mismatch", index=bad[0])
        return problem(413, "body_too_large", limitBytes=1)

    refused: list[str] = []
    both = Both(answer)
    options: dict[str, Any] = {"on_refused": lambda one, _: refused.append(one["externalId"])}
    documents = [document(str(number)) for number in range(10)]
    progress = both.run(lambda m: m.ingest(documents, **options), lambda m: m.ingest(documents, **options))
    assert sorted(refused) == ["3", "3", "7", "7"]
    assert (progress.ingested, progress.refused, progress.requests) == (8, 2, len(both.requests))


def test_refuses_limits_and_documents_beyond_those_of_the_service() -> None:
    both = Both(lambda request, _: stored(request))
    huge = {**document("huge"), "metadata": {"x": "x" * (10 * 1024 * 1024)}}
    for call in (
        lambda m: m.ingest([], documents_per_request=1_001),
        lambda m: m.ingest([], bytes_per_request=11 * 1024 * 1024),
        lambda m: m.ingest([document("long", "ä" * 524_289)]),
        lambda m: m.ingest([huge]),
    ):
        with pytest.raises(ValueError):
            both.run(call, call)
    assert both.requests == []
    fits = [document("fits", "ä" * 524_288)]
    assert both.run(lambda m: m.ingest(fits), lambda m: m.ingest(fits)).ingested == 1


def test_ends_an_ingest_with_what_its_listener_raises_and_with_other_errors() -> None:
    def refuse(_document: Any, _error: Exception) -> None:
        raise ValueError("enough")

    refusing = Both(lambda _, __: problem(400, "validation_failed"))
    with pytest.raises(ValueError, match="enough"):
        refusing.run(
            lambda m: m.ingest([document("a")], on_refused=refuse),
            lambda m: m.ingest([document("a")], on_refused=refuse),
        )
    unknown = Both(lambda _, __: problem(404, "not_found"))
    with pytest.raises(MemoryAPIError) as caught:
        unknown.run(
            lambda m: m.ingest([document("a")], on_refused=refuse),
            lambda m: m.ingest([document("a")], on_refused=refuse),
        )
    assert caught.value.code == "not_found"
