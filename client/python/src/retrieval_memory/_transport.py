"""Sends requests over httpx, and retries them where that may help."""

from __future__ import annotations

import asyncio
import codecs
import time
from typing import Any, AsyncIterator, Iterator, Mapping

import httpx

from ._errors import MemoryAPIError, MemoryConnectionError, invalid_answer
from ._requests import RawAnswer, RawRequest, Settings, checked, connection_error, http_request, operation, parsed
from ._retries import Retries, RetryPolicy


def text_of(response: httpx.Response) -> str:
    """The body as UTF-8, whatever charset its header names."""
    return response.content.decode(errors="replace")


def pieces_of(response: httpx.Response) -> Iterator[str]:
    return codecs.iterdecode(response.iter_bytes(), "utf-8", errors="replace")


async def async_pieces_of(response: httpx.Response) -> AsyncIterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    async for piece in response.aiter_bytes():
        yield decoder.decode(piece)
    if rest := decoder.decode(b"", final=True):
        yield rest


def is_expected(response: httpx.Response, request: RawRequest) -> bool:
    """Whether a streamed answer has the type that the request accepts."""
    return str(response.headers.get("content-type", "")).startswith(request.accept)


def unexpected(response: httpx.Response, request: RawRequest) -> MemoryAPIError:
    return invalid_answer(response.status_code, response.headers, f"The answer is not {request.accept}")


class Transport:
    """Sends requests, with retries."""

    def __init__(self, settings: Settings, client: httpx.Client | None) -> None:
        self.settings = settings
        self._owned = client is None
        self.client = httpx.Client() if client is None else client

    def with_options(
        self, timeout: float | None, retry: RetryPolicy | bool | None, headers: Mapping[str, str]
    ) -> Transport:
        """A transport with other options on the same connections."""
        return Transport(self.settings.with_options(timeout, retry, headers), self.client)

    def close(self) -> None:
        if self._owned:
            self.client.close()

    def send(self, request: RawRequest) -> RawAnswer:
        settings = self.settings
        retries = Retries(settings.retry, request.is_idempotent)
        while True:
            try:
                return self._send_once(request, settings)
            except (MemoryAPIError, MemoryConnectionError) as error:
                pause = retries.pause_after(error)
            time.sleep(pause)

    def _send_once(self, request: RawRequest, settings: Settings) -> RawAnswer:
        try:
            response = self.client.send(http_request(self.client, settings, request))
        except httpx.HTTPError as error:
            raise connection_error(error, settings, begun=False) from error
        return checked(RawAnswer(response.status_code, response.headers, text_of(response)), time.time())

    def call(self, operation_id: str, **parts: Any) -> Any:
        return parsed(self.send(operation(operation_id, **parts)))

    def open(self, request: RawRequest) -> httpx.Response:
        """A successful response whose body is not read yet. The caller closes it."""
        settings = self.settings
        retries = Retries(settings.retry, request.is_idempotent)
        while True:
            try:
                return self._open_once(request, settings)
            except (MemoryAPIError, MemoryConnectionError) as error:
                pause = retries.pause_after(error)
            time.sleep(pause)

    def _open_once(self, request: RawRequest, settings: Settings) -> httpx.Response:
        try:
            response = self.client.send(http_request(self.client, settings, request), stream=True)
            if response.is_success:
                if is_expected(response, request):
                    return response
                response.close()
                raise unexpected(response, request)
            response.read()
            response.close()
        except httpx.HTTPError as error:
            raise connection_error(error, settings, begun=False) from error
        checked(RawAnswer(response.status_code, response.headers, text_of(response)), time.time())
        raise AssertionError("an error answer raises")


class AsyncTransport:
    """Sends requests, with retries."""

    def __init__(self, settings: Settings, client: httpx.AsyncClient | None) -> None:
        self.settings = settings
        self._owned = client is None
        self.client = httpx.AsyncClient() if client is None else client

    def with_options(
        self, timeout: float | None, retry: RetryPolicy | bool | None, headers: Mapping[str, str]
    ) -> AsyncTransport:
        """A transport with other options on the same connections."""
        return AsyncTransport(self.settings.with_options(timeout, retry, headers), self.client)

    async def close(self) -> None:
        if self._owned:
            await self.client.aclose()

    async def send(self, request: RawRequest) -> RawAnswer:
        settings = self.settings
        retries = Retries(settings.retry, request.is_idempotent)
        while True:
            try:
                return await self._send_once(request, settings)
            except (MemoryAPIError, MemoryConnectionError) as error:
                pause = retries.pause_after(error)
            await asyncio.sleep(pause)

    async def _send_once(self, request: RawRequest, settings: Settings) -> RawAnswer:
        try:
            response = await self.client.send(http_request(self.client, settings, request))
        except httpx.HTTPError as error:
            raise connection_error(error, settings, begun=False) from error
        return checked(RawAnswer(response.status_code, response.headers, text_of(response)), time.time())

    async def call(self, operation_id: str, **parts: Any) -> Any:
        return parsed(await self.send(operation(operation_id, **parts)))

    async def open(self, request: RawRequest) -> httpx.Response:
        """A successful response whose body is not read yet. The caller closes it."""
        settings = self.settings
        retries = Retries(settings.retry, request.is_idempotent)
        while True:
            try:
                return await self._open_once(request, settings)
            except (MemoryAPIError, MemoryConnectionError) as error:
                pause = retries.pause_after(error)
            await asyncio.sleep(pause)

    async def _open_once(self, request: RawRequest, settings: Settings) -> httpx.Response:
        try:
            response = await self.client.send(http_request(self.client, settings, request), stream=True)
            if response.is_success:
                if is_expected(response, request):
                    return response
                await response.aclose()
                raise unexpected(response, request)
            await response.aread()
            await response.aclose()
        except httpx.HTTPError as error:
            raise connection_error(error, settings, begun=False) from error
        checked(RawAnswer(response.status_code, response.headers, text_of(response)), time.time())
        raise AssertionError("an error answer raises")
