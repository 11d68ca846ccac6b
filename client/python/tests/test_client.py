"""Both clients against answers that a test writes."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Callable

import httpx
import pytest

from retrieval_memory import (
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
    """The same calls by the sync and the async client; what they return and send has to agree."""

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
def test_repeats_what_may_pass(status: int, code: str, headers: dict[str, str], waits: list[float]) -> None:
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
        (lambda: httpx.Response(200, text="hello"), "invalid_answer"),
    ],
)
def test_raises_what_no_repetition_mends(answer: Callable[[], httpx.Response], code: str) -> None:
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
    # Reads are sent three times, a question once: its answer may have cost a credit.
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
    # A line separator that is no line end here.
    + event("delta", {"text": "25\u2028days"})
    + event("citations", {"citations": []})
    + event("done", DONE)
)


def pieces(text: str) -> Any:
    class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self) -> Any:
            # Every byte on its own, which cuts characters and line ends apart.
            return iter([bytes([byte]) for byte in text.encode()])

        async def __aiter__(self) -> Any:
            for piece in self:
                yield piece

    return Pieces()


def test_streams_an_answer_however_it_is_cut() -> None:
    both = Both(lambda _, __: httpx.Response(200, stream=pieces(STREAM)))
    events = both.run(lambda m: list(m.ask_stream("q")), lambda m: collect(m.ask_stream("q")))
    assert [one["type"] for one in events] == ["step", "context", "delta", "citations", "done"]
    assert events[0]["step"] == {"step": "search", "query": "q", "hitCount": 1}
    assert events[2]["text"] == "25\u2028days"
    assert events[-1]["answer"] == DONE
    assert both.requests[0].headers["accept"] == "text/event-stream"


def test_says_that_a_streamed_answer_broke() -> None:
    both = Both(lambda _, __: httpx.Response(200, stream=pieces(event("delta", {"text": "25"}))))
    with pytest.raises(MemoryConnectionError) as broken:
        both.run(lambda m: list(m.ask_stream("q")), lambda m: collect(m.ask_stream("q")))
    assert broken.value.fault == "broken"
    failing = event("error", {"error": "The model failed", "code": "upstream_error"})
    both = Both(lambda _, __: httpx.Response(200, stream=pieces(failing)))
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
    # Two of one key never share a request.
    assert sent == [["0", "1"], ["2", "3"], ["4"], ["4"]]


def test_leaves_out_documents_that_are_refused() -> None:
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


@pytest.mark.parametrize(("key", "url"), [("svc x", URL), ("", URL), (KEY, "memory.test"), (KEY, "ftp://x")])
def test_refuses_a_key_or_an_address_that_cannot_be_one(key: str, url: str) -> None:
    for kind in (Memory, AsyncMemory):
        with pytest.raises(ValueError):
            kind(key, url)
