"""When and how often a request is retried."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Callable

from ._errors import MemoryAPIError, MemoryConnectionError

_FIRST_PAUSE = 0.25
_PAUSE_MAX = 8.0
_RETRY_AFTER_SPREAD = 0.1
#: After these, it is unknown whether the request took effect.
_UNCERTAIN = frozenset({408, 500, 502, 504})

Passing = MemoryAPIError | MemoryConnectionError


@dataclass(frozen=True)
class RetryPolicy:
    """How failed requests are retried. Times are in seconds."""

    #: Attempts of a failing request, including the first.
    attempts: int = 3
    #: Waits for the rate limit, which do not count as attempts.
    rate_waits: int = 10
    #: If the service asks for a longer pause, the error is raised instead.
    max_wait: float = 60.0
    #: Called before each wait with its seconds and the reason.
    on_wait: Callable[[float, Passing], None] | None = None
    #: From 0 to below 1. Spreads the pauses of many callers.
    random: Callable[[], float] = field(default=random.random)


NO_RETRIES = RetryPolicy(attempts=1, rate_waits=0)


class Retries:
    """The attempts of one request."""

    def __init__(self, policy: RetryPolicy, idempotent: bool) -> None:
        self._policy = policy
        self._idempotent = idempotent
        self._attempt = 1
        self._waits = 0

    def pause_after(self, error: Exception) -> float:
        """Seconds to wait before the next attempt. Raises `error` if there is none."""
        policy = self._policy
        if not isinstance(error, (MemoryAPIError, MemoryConnectionError)) or not self._is_passing(error):
            raise error
        is_rate = _is_rate_limit(error)
        used_up = self._waits >= policy.rate_waits if is_rate else self._attempt >= policy.attempts
        asked = _asked_of(error)
        if used_up or asked > policy.max_wait:
            raise error
        pause = self._pause(asked)
        if is_rate:
            self._waits += 1
        else:
            self._attempt += 1
        if policy.on_wait is not None:
            policy.on_wait(pause, error)
        return pause

    def _is_passing(self, error: Passing) -> bool:
        if isinstance(error, MemoryConnectionError):
            return self._idempotent
        if _is_rate_limit(error):
            return True
        if error.status == 503:
            return error.code != "not_configured"
        return self._idempotent and error.status in _UNCERTAIN

    def _pause(self, asked: float) -> float:
        spread = self._policy.random()
        if asked > 0:
            return asked * (1 + _RETRY_AFTER_SPREAD * spread)
        whole = min(_PAUSE_MAX, _FIRST_PAUSE * 2 ** (self._attempt - 1))
        return whole * (0.5 + 0.5 * spread)


def _is_rate_limit(error: Passing) -> bool:
    """Used-up credits are a 429 too, but waiting does not help."""
    return isinstance(error, MemoryAPIError) and error.status == 429 and error.code != "quota_exceeded"


def _asked_of(error: Passing) -> float:
    if isinstance(error, MemoryAPIError) and error.retry_after is not None:
        return max(1.0, error.retry_after)
    return 0.0
