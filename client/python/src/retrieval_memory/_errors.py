"""The client's exceptions."""

from __future__ import annotations

import json
import math
from email.utils import parsedate_to_datetime
from typing import Any, Literal, Mapping, get_args

from ._api import ErrorCode

_CODES = frozenset(get_args(ErrorCode))


class RetrievalMemoryError(Exception):
    """The base of every exception of this package."""


class MemoryAPIError(RetrievalMemoryError):
    """The service returned an error."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        request_id: str | None = None,
        issues: tuple[dict[str, str], ...] = (),
        retry_after: float | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: The HTTP status; 200 for an answer that failed while it was streamed.
        self.status = status
        #: A code of the service; `http_error` or `invalid_answer` for answers of something else, such as a proxy.
        self.code = code
        #: Quote it in bug reports.
        self.request_id = request_id
        #: What is wrong with an invalid request: `path` and `message` of each fault.
        self.issues = issues
        #: Seconds to wait before the next attempt, if the service says so.
        self.retry_after = retry_after
        #: The whole response body.
        self.details: Mapping[str, Any] = details or {}


class MemoryConnectionError(RetrievalMemoryError):
    """There is no complete answer. Whether the request took effect is unknown."""

    def __init__(self, message: str, fault: Literal["unreachable", "timeout", "broken"]) -> None:
        super().__init__(message)
        self.fault = fault


def json_object(text: str) -> dict[str, Any] | None:
    """Parses a JSON object; None if the text is not one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def error_of(status: int, headers: Mapping[str, str], text: str, now: float) -> MemoryAPIError:
    """The error in a response. `now` is needed for a `Retry-After` that is a date."""
    details = json_object(text) or {}
    message, code = details.get("error"), details.get("code")
    return MemoryAPIError(
        message if isinstance(message, str) else _unworded(status, headers),
        status=status,
        code=code if isinstance(code, str) and code in _CODES else "http_error",
        request_id=headers.get("x-request-id"),
        issues=_issues_of(details.get("issues")),
        retry_after=_retry_after_of(headers.get("retry-after"), now),
        details=details,
    )


def _unworded(status: int, headers: Mapping[str, str]) -> str:
    if 300 <= status < 400 and (target := headers.get("location")):
        return f"The URL redirects to {target}; use the address of the service itself"
    return f"A proxy or another program answered {status} instead of the service. Is the URL that of the service?"


def invalid_answer(status: int, headers: Mapping[str, str], what: str) -> MemoryAPIError:
    """A successful response that did not come from the service."""
    return MemoryAPIError(
        f"{what}. Is the URL that of the service?",
        status=status,
        code="invalid_answer",
        request_id=headers.get("x-request-id"),
    )


def _issues_of(value: Any) -> tuple[dict[str, str], ...]:
    if not isinstance(value, list):
        return ()
    return tuple(
        {"path": issue["path"], "message": issue["message"]}
        for issue in value
        if isinstance(issue, dict)
        and isinstance(issue.get("path"), str)
        and isinstance(issue.get("message"), str)
    )


def _retry_after_of(value: str | None, now: float) -> float | None:
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return float(max(0, math.ceil(parsedate_to_datetime(value).timestamp() - now)))
    except (TypeError, ValueError, OverflowError):
        return None
