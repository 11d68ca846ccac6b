"""Reads the server-sent events of a streamed answer."""

from __future__ import annotations

import re
import time
from typing import Any, Iterator, Literal, Mapping, TypedDict

from ._api import AskResponse, Citation
from ._errors import MemoryConnectionError, error_of, invalid_answer, json_object

_EVENT_CHARACTERS_MAX = 16 * 1024 * 1024
_LINE_END = re.compile("\r\n|\r|\n")
_TEXTS = {"delta": "text", "step": "step"}
_LISTS = {"context": ("context",), "citations": ("citations",), "done": ("citations", "context")}


class StepEvent(TypedDict):
    """A step of an answer with `effort: "high"`."""

    type: Literal["step"]
    step: dict[str, Any]


class ContextEvent(TypedDict):
    type: Literal["context"]
    context: list[Any]


class DeltaEvent(TypedDict):
    """The next piece of the answer."""

    type: Literal["delta"]
    text: str


class CitationsEvent(TypedDict):
    type: Literal["citations"]
    citations: list[Citation]


class DoneEvent(TypedDict):
    """The whole answer, as `ask` returns it."""

    type: Literal["done"]
    answer: AskResponse


AskEvent = StepEvent | ContextEvent | DeltaEvent | CitationsEvent | DoneEvent


class AskStreamReader:
    """Turns the text of an event stream into the events of an answer."""

    def __init__(self, status: int, headers: Mapping[str, str]) -> None:
        self._status = status
        self._headers = headers
        self._event = ""
        self._data: list[str] = []
        self._size = 0
        self._rest = ""
        self.is_done = False

    def feed(self, piece: str) -> Iterator[AskEvent]:
        """Raises MemoryAPIError if the service reports a failure or sends an invalid event."""
        # Not splitlines(): it splits at characters such as U+2028, which JSON may contain.
        text = self._rest + piece
        # A CR at the end may be half of a CR LF.
        held = "\r" if text.endswith("\r") else ""
        lines = _LINE_END.split(text[: len(text) - len(held)])
        self._rest = lines.pop() + held
        if len(self._rest) > _EVENT_CHARACTERS_MAX:
            raise self._invalid("A line of the stream has no end")
        for line in lines:
            yield from self._line(line)
            if self.is_done:
                return

    def _line(self, line: str) -> Iterator[AskEvent]:
        self._size += len(line)
        if self._size > _EVENT_CHARACTERS_MAX:
            raise self._invalid("An event of the stream has no end")
        if line:
            self._take(line)
            return
        event, data = self._event, "\n".join(self._data)
        has_data = bool(self._data)
        self._event, self._data, self._size = "", [], 0
        if has_data:
            yield from self._read(event, data)

    def end(self) -> None:
        """Raises MemoryConnectionError if the stream ended before the answer."""
        if not self.is_done:
            raise MemoryConnectionError("The answer was interrupted; ask again", "broken")

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)

    def _read(self, event: str, data: str) -> Iterator[AskEvent]:
        if event == "error":
            raise error_of(self._status, self._headers, data, time.time())
        if event not in _TEXTS and event not in _LISTS:
            return
        fields = json_object(data) or {}
        if event in _TEXTS and not isinstance(fields.get(_TEXTS[event]), str):
            raise self._invalid("The service streamed an invalid answer")
        if event == "step":
            yield {"type": "step", "step": fields}
            return
        if event == "delta":
            yield {"type": "delta", "text": fields["text"]}
            return
        if not all(isinstance(fields.get(name), list) for name in _LISTS[event]):
            raise self._invalid("The service streamed an invalid answer")
        if event == "context":
            yield {"type": "context", "context": fields["context"]}
        elif event == "citations":
            yield {"type": "citations", "citations": fields["citations"]}
        else:
            self.is_done = True
            yield {"type": "done", "answer": fields}  # type: ignore[typeddict-item]

    def _invalid(self, what: str) -> Exception:
        return invalid_answer(self._status, self._headers, what)
