"""The Python client of the Retrieval Memory Service."""

from . import _api as api
from ._async import AsyncMemory
from ._errors import MemoryAPIError, MemoryConnectionError, RetrievalMemoryError
from ._ingest import IngestError, IngestProgress
from ._requests import RawAnswer, RawRequest
from ._retries import RetryPolicy
from ._stream import AskEvent
from ._sync import Memory

__all__ = [
    "AskEvent",
    "AsyncMemory",
    "IngestError",
    "IngestProgress",
    "Memory",
    "MemoryAPIError",
    "MemoryConnectionError",
    "RawAnswer",
    "RawRequest",
    "RetrievalMemoryError",
    "RetryPolicy",
    "api",
]
