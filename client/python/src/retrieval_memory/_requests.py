"""Builds requests and parses responses, for the sync and the async client."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any, Mapping
from urllib.parse import quote, urlencode, urlsplit

import httpx

from ._api import OPERATIONS
from ._errors import MemoryConnectionError, error_of, invalid_answer, json_object
from ._retries import NO_RETRIES, RetryPolicy

DEFAULT_TIMEOUT = 180.0
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class RawRequest:
    """A request to any address of the service."""

    method: str
    #: Path and query, beginning with `/`.
    path: str
    #: JSON as text.
    body: str | None = None
    accept: str = "application/json"
    #: Whether it may be sent again when its outcome is unknown. By default, everything except POST may.
    idempotent: bool | None = None

    @property
    def is_idempotent(self) -> bool:
        return self.method != "POST" if self.idempotent is None else self.idempotent


@dataclass(frozen=True)
class RawAnswer:
    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True)
class Settings:
    """How a client reaches the service."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    timeout: float
    retry: RetryPolicy

    def with_options(
        self, timeout: float | None, retry: RetryPolicy | bool | None, headers: Mapping[str, str]
    ) -> Settings:
        """These settings with some options changed."""
        return replace(
            self,
            headers={**self.headers, **headers},
            timeout=self.timeout if timeout is None else timeout,
            retry=policy_of(retry, self.retry),
        )


def settings_of(
    api_key: str | None,
    url: str,
    timeout: float,
    retry: RetryPolicy | bool | None,
    headers: Mapping[str, str],
) -> Settings:
    """Raises ValueError for an invalid key or URL."""
    url = str(url).strip()
    parts = urlsplit(url)
    if parts.query or parts.fragment or parts.username is not None:
        raise ValueError("url must be the http or https address of the service, without user, query and fragment")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(f'url must be the http or https address of the service, not "{url}"')
    authorization = {}
    if api_key is not None:
        if not api_key or not all("\x21" <= character <= "\x7e" for character in api_key):
            raise ValueError("api_key must be an API key, which begins with svc_")
        authorization["authorization"] = f"Bearer {api_key}"
    return Settings(url.rstrip("/"), {**authorization, **headers}, timeout, policy_of(retry, RetryPolicy()))


def policy_of(retry: RetryPolicy | bool | None, default: RetryPolicy) -> RetryPolicy:
    if retry is False:
        return NO_RETRIES
    return retry if isinstance(retry, RetryPolicy) else default


def operation(
    operation_id: str,
    *,
    path: Mapping[str, str] | None = None,
    query: Mapping[str, Any] | None = None,
    body: Any = None,
) -> RawRequest:
    """The request of an operation of the OpenAPI document."""
    method, template = OPERATIONS[operation_id]
    filled = template
    for name, value in (path or {}).items():
        # URLs drop empty and dotted segments, so the request would reach another route.
        if value in ("", ".", ".."):
            raise ValueError(f'{name} must not be empty, "." or ".."')
        filled = filled.replace("{" + name + "}", quote(value, safe=""))
    pairs = [(name, _text_of(value)) for name, value in (query or {}).items() if value is not None]
    address = f"{filled}?{urlencode(pairs)}" if pairs else filled
    return RawRequest(method, address, None if body is None else dumps(body))


def dumps(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # UTF-8 has no surrogates, which names decoded with `surrogateescape` contain.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _text_of(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def to_request(query: str | Mapping[str, Any]) -> Mapping[str, Any]:
    return {"query": query} if isinstance(query, str) else query


def export_request(after: str | None) -> RawRequest:
    body = {} if after is None else {"after": after}
    return RawRequest("POST", "/v1/export", dumps(body), accept="application/x-ndjson", idempotent=True)


def http_request(client: httpx.Client | httpx.AsyncClient, settings: Settings, request: RawRequest) -> httpx.Request:
    headers = {**settings.headers, "accept": request.accept}
    if request.body is not None:
        headers["content-type"] = "application/json"
    content = None if request.body is None else request.body.encode()
    return client.build_request(
        request.method, settings.url + request.path, headers=headers, content=content, timeout=settings.timeout
    )


def connection_error(error: httpx.HTTPError, settings: Settings, *, begun: bool) -> MemoryConnectionError:
    """The fault behind an exception of httpx. `begun`: a part of the answer had arrived."""
    if isinstance(error, httpx.TimeoutException):
        return MemoryConnectionError(f"{settings.url} did not answer within {settings.timeout:g} s", "timeout")
    if begun or isinstance(error, httpx.RemoteProtocolError):
        return MemoryConnectionError(f"The answer of {settings.url} broke off", "broken")
    return MemoryConnectionError(f"The connection to {settings.url} failed", "unreachable")


def checked(answer: RawAnswer, now: float) -> RawAnswer:
    """Raises MemoryAPIError for an error answer."""
    if 200 <= answer.status < 300:
        return answer
    raise error_of(answer.status, answer.headers, answer.text, now)


def parsed(answer: RawAnswer) -> Any:
    """The JSON of a success. Raises MemoryAPIError if it is not an object."""
    value = json_object(answer.text)
    if value is None:
        raise invalid_answer(answer.status, answer.headers, "The answer is not JSON")
    return value


def person_query(email: str | None) -> dict[str, str]:
    """The query of a request on behalf of a person."""
    return {} if email is None else {"onBehalfOf": email}
