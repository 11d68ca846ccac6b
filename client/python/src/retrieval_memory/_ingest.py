"""Splits any number of documents into requests, for the sync and the async client."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Callable, Iterator, Sequence

from ._api import (
    DOCUMENT_FAULTS,
    INGEST_DOCUMENTS_MAX,
    INGEST_REQUEST_BYTES_MAX,
    INGEST_TEXT_BYTES_MAX,
    IngestDocument,
    IngestResponse,
)
from ._errors import MemoryAPIError
from ._requests import RawRequest, dumps

#: Few requests, and few enough documents for a slow embedding model to finish in time.
_BYTES_DEFAULT = 4 * 1024 * 1024
_ENVELOPE_BYTES = len('{"documents":[]}')

_ISSUE_PATH = re.compile(r"documents\.(\d+)(?:\.|$)")

Weighed = tuple[IngestDocument, str]
OnRefused = Callable[[IngestDocument, Exception], None]


@dataclass
class IngestProgress:
    """The progress of an ingest."""

    #: Documents that were stored.
    ingested: int = 0
    #: Documents that were already stored with the same content.
    skipped: int = 0
    #: Refused documents. Without `on_refused`, the first refusal ends the ingest.
    refused: int = 0
    #: Answered requests.
    requests: int = 0


class IngestError(MemoryAPIError):
    """A request was refused because of its documents. Those of earlier requests are stored."""

    def __init__(self, error: MemoryAPIError, documents: Sequence[IngestDocument], progress: IngestProgress) -> None:
        super().__init__(
            error.message,
            status=error.status,
            code=error.code,
            request_id=error.request_id,
            issues=error.issues,
            retry_after=error.retry_after,
            details=error.details,
        )
        #: The documents of the refused request. None of them is stored.
        self.documents = documents
        self.progress = progress


class Ingest:
    """Groups documents into batches, in their order, and counts the outcomes."""

    def __init__(
        self,
        documents_per_request: int | None,
        bytes_per_request: int | None,
        on_refused: OnRefused | None,
        on_progress: Callable[[IngestProgress], None] | None,
    ) -> None:
        self._documents_max = _limit(
            "documents_per_request", documents_per_request, INGEST_DOCUMENTS_MAX, INGEST_DOCUMENTS_MAX
        )
        self._bytes_max = _limit("bytes_per_request", bytes_per_request, _BYTES_DEFAULT, INGEST_REQUEST_BYTES_MAX)
        self._on_refused = on_refused
        self._on_progress = on_progress
        self._batch: dict[str, Weighed] = {}
        self._bytes = _ENVELOPE_BYTES
        self.progress = IngestProgress()

    def add(self, document: IngestDocument) -> Iterator[list[Weighed]]:
        """Yields the batch that this document completes, if any."""
        text = dumps(document)
        size = len(text.encode()) + 1
        fault = _fault_of(document, size)
        if fault is not None:
            self._refuse(document, fault)
            return
        key = dumps([document.get("provider"), document.get("externalId")])
        is_full = len(self._batch) == self._documents_max or self._bytes + size > self._bytes_max
        # The service refuses a request with two documents of the same key.
        if self._batch and (is_full or key in self._batch):
            yield from self.rest()
        self._batch[key] = (document, text)
        self._bytes += size

    def rest(self) -> Iterator[list[Weighed]]:
        """The last batch."""
        if self._batch:
            yield list(self._batch.values())
        self._batch, self._bytes = {}, _ENVELOPE_BYTES

    def stored(self, answer: IngestResponse) -> None:
        self.progress.ingested += answer["ingested"]
        self.progress.skipped += answer["skipped"]
        self._answered()

    def refused(self, batch: list[Weighed], error: MemoryAPIError) -> list[list[Weighed]]:
        """The batches to send without the faulty documents. Raises if the ingest cannot continue."""
        if error.code not in DOCUMENT_FAULTS:
            raise error
        if self._on_refused is None:
            raise IngestError(error, [document for document, _ in batch], replace(self.progress)) from error
        faulty = {0} if len(batch) == 1 else _faulty_indexes(error, len(batch))
        for index in sorted(faulty):
            self._refuse(batch[index][0], error)
        self._answered()
        others = [weighed for index, weighed in enumerate(batch) if index not in faulty]
        # If the error names no document, halving the batch finds it.
        half = len(others) if faulty else (len(others) + 1) // 2
        return [part for part in (others[:half], others[half:]) if part]

    def _refuse(self, document: IngestDocument, error: Exception) -> None:
        if self._on_refused is None:
            raise error
        self.progress.refused += 1
        self._on_refused(document, error)

    def _answered(self) -> None:
        self.progress.requests += 1
        if self._on_progress is not None:
            self._on_progress(replace(self.progress))


def ingest_request(batch: list[Weighed]) -> RawRequest:
    """Safe to repeat, because stored documents are skipped."""
    body = '{"documents":[' + ",".join(text for _, text in batch) + "]}"
    return RawRequest("POST", "/v1/ingest", body, idempotent=True)


def _limit(name: str, value: int | None, default: int, maximum: int) -> int:
    if value is None:
        return default
    if not 1 <= value <= maximum:
        raise ValueError(f"{name} must be a whole number from 1 to {maximum}")
    return value


def _fault_of(document: IngestDocument, json_bytes: int) -> ValueError | None:
    # The service refuses fields that are missing or have another type.
    name = f'The document "{document.get("externalId")}" of {document.get("provider")}'
    text_bytes = len(str(document.get("body", "")).encode(errors="surrogatepass"))
    if text_bytes > INGEST_TEXT_BYTES_MAX:
        return ValueError(f"{name} has a body of {text_bytes} bytes; at most {INGEST_TEXT_BYTES_MAX} fit: split it")
    if _ENVELOPE_BYTES + json_bytes > INGEST_REQUEST_BYTES_MAX:
        return ValueError(f"{name} has {json_bytes} bytes as JSON; a request has at most {INGEST_REQUEST_BYTES_MAX}")
    return None


def _faulty_indexes(error: MemoryAPIError, length: int) -> set[int]:
    named = [match[1] for issue in error.issues if (match := _ISSUE_PATH.match(issue["path"]))]
    index = error.details.get("index")
    found = [*map(int, named), *([index] if isinstance(index, int) else [])]
    return {index for index in found if 0 <= index < length}
