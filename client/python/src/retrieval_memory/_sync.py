"""The synchronous client."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

import httpx

from . import _api as api
from ._resources import (
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
from ._transport import Transport, pieces_of


OnStored = Callable[[Sequence[api.IngestDocument]], None]


class Memory:
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
        http_client: httpx.Client | None = None,
    ) -> None:
        self._use(Transport(settings_of(api_key, url, timeout, retry, headers or {}), http_client))

    def _use(self, transport: Transport) -> None:
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
    ) -> Memory:
        """The same client with other options, for some calls. It shares the connections, which only this client closes."""
        client = Memory.__new__(Memory)
        client._use(self._transport.with_options(timeout, retry, headers or {}))
        return client

    def search(self, query: str | api.SearchRequest) -> api.SearchResponse:
        """The passages nearest to a query, best first. 1 credit."""
        return self._transport.call("search", body=to_request(query))

    def context(self, query: str | api.SearchRequest) -> api.ContextContract:
        """The Context Contract: hits with citations, exclusions and limitations. 1 credit."""
        return self._transport.call("context", body=to_request(query))

    def ask(self, query: str | api.AskRequest) -> api.AskResponse:
        """An answer whose markers `[N]` point to its citations. 1 credit."""
        return self._transport.call("ask", body=to_request(query))

    def ask_stream(self, query: str | api.AskRequest) -> Iterator[AskEvent]:
        """Streams the answer while it is written. Costs 1 credit once its first piece arrives."""
        request = RawRequest("POST", "/v1/ask", dumps(to_request(query)), accept="text/event-stream")
        response = self._transport.open(request)
        reader = AskStreamReader(response.status_code, response.headers)
        try:
            for piece in pieces_of(response):
                for event in reader.feed(piece):
                    yield event
                if reader.is_done:
                    return
        except httpx.HTTPError as error:
            raise connection_error(error, self._transport.settings, begun=True) from error
        finally:
            response.close()
        reader.end()

    def export(self, after: str | None = None) -> Iterator[str]:
        """An export of all items with their vectors, as text in pieces: a JSON object per line. `after` continues after an item."""
        response = self._transport.open(export_request(after))
        try:
            yield from pieces_of(response)
        except httpx.HTTPError as error:
            raise connection_error(error, self._transport.settings, begun=True) from error
        finally:
            response.close()

    def ingest(
        self,
        documents: Iterable[api.IngestDocument],
        *,
        on_progress: Callable[[IngestProgress], None] | None = None,
        on_stored: OnStored | None = None,
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
        for document in documents:
            for batch in ingest.add(document):
                self._store(ingest, batch, on_stored)
        for batch in ingest.rest():
            self._store(ingest, batch, on_stored)
        return ingest.progress

    def _store(self, ingest: Ingest, batch: list[Any], on_stored: OnStored | None) -> None:
        waiting = [batch]
        while waiting:
            part = waiting.pop(0)
            try:
                answer = self._transport.send(ingest_request(part))
            except MemoryAPIError as error:
                waiting = ingest.refused(part, error) + waiting
            else:
                ingest.stored(parsed(answer))
                if on_stored is not None:
                    on_stored([document for document, _ in part])

    def send(
        self, request: RawRequest, *, timeout: float | None = None, retry: RetryPolicy | bool | None = None
    ) -> RawAnswer:
        """Sends a request to any route, with the same key, retries and errors as every call."""
        return self._transport.with_options(timeout, retry, {}).send(request)

    def close(self) -> None:
        """Closes the connections, unless you passed your own `http_client`."""
        self._transport.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
