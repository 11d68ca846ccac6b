"""Asks the memory from Python, with nothing but the standard library.

MEMORY_URL=... MEMORY_API_KEY=svc_... python3 client/examples/memory.py "How many vacation days do I get?"
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

ATTEMPTS = 3
LONGEST_WAIT_SECONDS = 60


class MemoryError_(Exception):
    """An error answer of the service: its status, its code and its sentence."""

    def __init__(self, status, body):
        super().__init__(body.get("error", f"The service answered {status}"))
        self.status = status
        self.code = body.get("code", "http_error")


class Memory:
    def __init__(self, api_key, url):
        self._api_key = api_key
        self._url = url.rstrip("/")

    def search(self, query, **settings):
        """The passages nearest to the query, best first."""
        return self._post("/v1/search", {"query": query, **settings})["hits"]

    def ask(self, query, **settings):
        """An answer with its citations."""
        return self._post("/v1/ask", {"query": query, **settings})

    def _post(self, path, body):
        request = urllib.request.Request(
            self._url + path,
            data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._api_key}", "Content-Type": "application/json"},
        )
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with urllib.request.urlopen(request, timeout=60) as response:
                    return json.load(response)
            except urllib.error.HTTPError as answer:
                error = MemoryError_(answer.code, _json_of(answer.read()))
                wait = int(answer.headers.get("Retry-After") or 1)
                # Refused unread: it may be sent again. A used-up budget does not come back by waiting.
                may_repeat = error.code in ("rate_limited", "overloaded", "not_ready")
                if not may_repeat or attempt == ATTEMPTS or wait > LONGEST_WAIT_SECONDS:
                    raise error from None
                time.sleep(wait)


def _json_of(data):
    try:
        value = json.loads(data)
        return value if isinstance(value, dict) else {}
    except ValueError:
        return {}


if __name__ == "__main__":
    memory = Memory(os.environ["MEMORY_API_KEY"], os.environ.get("MEMORY_URL", "http://127.0.0.1:8787"))
    try:
        answer = memory.ask(" ".join(sys.argv[1:]))
    except MemoryError_ as error:
        sys.exit(f"{error} ({error.code})")
    print(answer["answer"])
    for citation in answer["citations"]:
        print(f"[{citation['index']}] {citation['title']}")
