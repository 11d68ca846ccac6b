"""The asynchronous client."""

from __future__ import annotations

from types import TracebackType
from typing import Any, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence

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
    export_request,
    parsed,
    settings_of,
    to_request,
)
from ._retries import RetryPolicy
from ._stream import AskEvent, AskStreamReader
from ._transport import AsyncTransport, async_pieces_of


OnStoredAsync = Callable[[Sequence[api.IngestDocument]], Awaitable[None] | None]


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
    """A client of the service, with a key of one organization.

    Every method raises `MemoryAPIError` when the service returns an error, and `MemoryConnectionError` when there is no
    complete answer. The constructor raises `ValueError` for an invalid key or URL.
    """

    def __init__(
        self,
        api_key: str | None,
        url: str,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        retry: RetryPolicy | bool | None = None,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._use(AsyncTransport(settings_of(api_key, url, timeout, retry, headers or {}), http_client))

    def _use(self, transport: AsyncTransport) -> None:
        self._transport = transport
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

    def with_options(
        self,
        *,
        timeout: float | None = None,
        retry: RetryPolicy | bool | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncMemory:
        """The same client with other options, for some calls. It shares the connections, which only this client closes."""
        client = AsyncMemory.__new__(AsyncMemory)
        client._use(self._transport.with_options(timeout, retry, headers or {}))
        return client

    async def search(self, query: str | api.SearchRequest) -> api.SearchResponse:
        """The passages nearest to a query, best first. 1 credit."""
        return await self._transport.call("search", body=to_request(query))

    async def context(self, query: str | api.SearchRequest) -> api.ContextContract:
        """The Context Contract: hits with citations, exclusions and limitations. 1 credit."""
        return await self._transport.call("context", body=to_request(query))

    async def ask(self, query: str | api.AskRequest) -> api.AskResponse:
        """An answer whose markers `[N]` point to its citations. 1 credit."""
        return await self._transport.call("ask", body=to_request(query))

    async def ask_stream(self, query: str | api.AskRequest) -> AsyncIterator[AskEvent]:
        """Streams the answer while it is written. Costs 1 credit once its first piece arrives."""
        request = RawRequest("POST", "/v1/ask", dumps(to_request(query)), accept="text/event-stream")
        response = await self._transport.open(request)
        reader = AskStreamReader(response.status_code, response.headers)
        try:
            async for piece in async_pieces_of(response):
                for event in reader.feed(piece):
                    yield event
                if reader.is_done:
                    return
        except httpx.HTTPError as error:
            raise connection_error(error, self._transport.settings, begun=True) from error
        finally:
            await response.aclose()
        reader.end()

    async def export(self, after: str | None = None) -> AsyncIterator[str]:
        """An export of all items with their vectors, as text in pieces: a JSON object per line. `after` continues after an item."""
        response = await self._transport.open(export_request(after))
        try:
            async for piece in async_pieces_of(response):
                yield piece
        except httpx.HTTPError as error:
            raise connection_error(error, self._transport.settings, begun=True) from error
        finally:
            await response.aclose()

    async def ingest(
        self,
        documents: Iterable[api.IngestDocument] | AsyncIterable[api.IngestDocument],
        *,
        on_progress: Callable[[IngestProgress], None] | None = None,
        on_stored: OnStoredAsync | None = None,
        on_refused: OnRefused | None = None,
        documents_per_request: int | None = None,
        bytes_per_request: int | None = None,
    ) -> IngestProgress:
        """Stores any number of documents in as many requests as needed. They are searchable when it returns.

        It costs no credits and is safe to repeat. `on_stored` is called with the documents of each accepted request. Raises
        `IngestError` when a request is refused because of its documents, and `ValueError` for a document that is too large
        for any request. With `on_refused`, both are reported instead, and the other documents are stored.
        """
        ingest = Ingest(documents_per_request, bytes_per_request, on_refused, on_progress)
        async for document in _each(documents):
            for batch in ingest.add(document):
                await self._store(ingest, batch, on_stored)
        for batch in ingest.rest():
            await self._store(ingest, batch, on_stored)
        return ingest.progress

    async def _store(self, ingest: Ingest, batch: list[Any], on_stored: OnStoredAsync | None) -> None:
        waiting = [batch]
        while waiting:
            part = waiting.pop(0)
            try:
                answer = await self._transport.send(ingest_request(part))
            except MemoryAPIError as error:
                waiting = ingest.refused(part, error) + waiting
            else:
                ingest.stored(parsed(answer))
                if on_stored is not None:
                    told = on_stored([document for document, _ in part])
                    if told is not None:
                        await told

    async def send(
        self, request: RawRequest, *, timeout: float | None = None, retry: RetryPolicy | bool | None = None
    ) -> RawAnswer:
        """Sends a request to any route, with the same key, retries and errors as every call."""
        return await self._transport.with_options(timeout, retry, {}).send(request)

    async def aclose(self) -> None:
        """Closes the connections, unless you passed your own `http_client`."""
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
