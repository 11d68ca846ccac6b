"""The asynchronous client."""

from __future__ import annotations

from types import TracebackType
from typing import Any, AsyncIterable, AsyncIterator, Callable, Iterable

import httpx

from . import _api as api
from ._async_resources import (
    ApiKeys,
    AuditEvents,
    Groups,
    Maintenance,
    MemoryCanvas,
    SourceItems,
    Sources,
    SyncRuns,
)
from ._errors import MemoryAPIError
from ._ingest import Ingest, IngestProgress, OnRefused, ingest_request
from ._requests import (
    DEFAULT_TIMEOUT,
    RawAnswer,
    RawRequest,
    connection_error,
    dumps,
    parsed,
    settings_of,
    to_request,
)
from ._retries import RetryPolicy
from ._stream import AskEvent, AskStreamReader
from ._transport import AsyncTransport


async def _each(
    documents: Iterable[api.IngestDocument] | AsyncIterable[api.IngestDocument],
) -> AsyncIterator[api.IngestDocument]:
    if isinstance(documents, AsyncIterable):
        async for document in documents:
            yield document
    else:
        for document in documents:
            yield document


class AsyncMemory:
    """An organization's memory: a client of its service, with a key.

    Every method raises `MemoryAPIError` when the service answers with an error and `MemoryConnectionError` when it does not
    answer. Raises `ValueError` for a key or an address that cannot be one.
    """

    def __init__(
        self,
        api_key: str | None,
        url: str,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        retry: RetryPolicy | bool | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._transport = AsyncTransport(settings_of(api_key, url, timeout, retry), http_client)
        self.source_items = SourceItems(self._transport)
        self.sources = Sources(self._transport)
        self.sync_runs = SyncRuns(self._transport)
        self.audit_events = AuditEvents(self._transport)
        self.api_keys = ApiKeys(self._transport)
        self.groups = Groups(self._transport)
        self.memory_canvas = MemoryCanvas(self._transport)
        self.maintenance = Maintenance(self._transport)

    @property
    def url(self) -> str:
        return self._transport.settings.url

    async def search(self, query: str | api.SearchRequest) -> api.SearchResponse:
        """The passages nearest to a query, best first. 1 credit."""
        return await self._transport.call("search", body=to_request(query))

    async def context(self, query: str | api.SearchRequest) -> api.ContextContract:
        """The Context Contract: hits with citations, what was left out, and what limits their meaning. 1 credit."""
        return await self._transport.call("context", body=to_request(query))

    async def ask(self, query: str | api.AskRequest) -> api.AskResponse:
        """An answer whose markers `[N]` stand for its citations. 1 credit."""
        return await self._transport.call("ask", body=to_request(query))

    async def ask_stream(self, query: str | api.AskRequest) -> AsyncIterator[AskEvent]:
        """The same answer as it is written. 1 credit once its first piece has come."""
        request = RawRequest("POST", "/v1/ask", dumps(to_request(query)), accept="text/event-stream")
        response = await self._transport.open(request)
        reader = AskStreamReader(response.status_code, response.headers)
        try:
            async for piece in response.aiter_text():
                for event in reader.feed(piece):
                    yield event
                if reader.is_done:
                    return
        except httpx.HTTPError as error:
            raise connection_error(error, self._transport.settings, begun=True) from error
        finally:
            await response.aclose()
        reader.end()

    async def ingest(
        self,
        documents: Iterable[api.IngestDocument] | AsyncIterable[api.IngestDocument],
        *,
        on_progress: Callable[[IngestProgress], None] | None = None,
        on_refused: OnRefused | None = None,
        documents_per_request: int | None = None,
        bytes_per_request: int | None = None,
    ) -> IngestProgress:
        """Stores documents, any number of them, in as many requests as they need. They are searchable on return.

        Free of credits, and safe to repeat. Raises `IngestError` when a request is refused because of its documents and
        `ValueError` for a document that no request can hold; with `on_refused` neither, and the others are stored.
        """
        ingest = Ingest(documents_per_request, bytes_per_request, on_refused, on_progress)
        async for document in _each(documents):
            for batch in ingest.add(document):
                await self._store(ingest, batch)
        for batch in ingest.rest():
            await self._store(ingest, batch)
        return ingest.progress

    async def _store(self, ingest: Ingest, batch: list[Any]) -> None:
        waiting = [batch]
        while waiting:
            part = waiting.pop(0)
            try:
                answer = await self._transport.send(ingest_request(part))
            except MemoryAPIError as error:
                waiting = ingest.refused(part, error) + waiting
            else:
                ingest.stored(parsed(answer))

    async def send(
        self, request: RawRequest, *, timeout: float | None = None, retry: RetryPolicy | bool | None = None
    ) -> RawAnswer:
        """Sends a request to any address, with the key, the retries and the errors of every other."""
        return await self._transport.send(request, self._transport.settings.with_options(timeout, retry))

    async def aclose(self) -> None:
        """Closes the connections, unless they are those of an `http_client` of your own."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
