"""Written by `npm run generate` from `_async_resources.py`: the same, synchronous."""

from __future__ import annotations

import builtins
from typing import Any, Iterator

from . import _api as api
from ._requests import person_query
from ._transport import Transport


class _Group:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport


class SourceItems(_Group):
    """Stored items."""

    def list(self, query: api.ListSourceItemsQuery | None = None) -> Iterator[api.ListedSourceItem]:
        """Every item, last changed first. Pages are read as needed."""
        for page in self.pages(query):
            for item in page["sourceItems"]:
                yield item

    def pages(
        self, query: api.ListSourceItemsQuery | None = None
    ) -> Iterator[api.ListSourceItemsAnswer]:
        """The same in pages of `limit` items (default 50, at most 200)."""
        parameters: dict[str, Any] = dict(query or {})
        while True:
            page = self._transport.call("listSourceItems", query=parameters)
            yield page
            if page["nextCursor"] is None:
                return
            parameters["cursor"] = page["nextCursor"]

    def get(self, item_id: str, *, on_behalf_of: str | None = None) -> api.SourceItem:
        """An item with its text. With `on_behalf_of`, only if the person with this email address may read it."""
        query = person_query(on_behalf_of)
        return (self._transport.call("getSourceItem", path={"id": item_id}, query=query))["sourceItem"]

    def readers(self, item_id: str, *, on_behalf_of: str | None = None) -> builtins.list[api.ItemReader]:
        """Who may read an item, and why."""
        query = person_query(on_behalf_of)
        return (self._transport.call("listItemReaders", path={"id": item_id}, query=query))["readers"]

    def delete(self, item_id: str) -> api.DeletedSourceItem:
        """Deletes an item by its ID. A retry may find the item already deleted (404)."""
        return self._transport.call("deleteSourceItem", path={"id": item_id})

    def delete_by_external_id(self, provider: str, external_id: str) -> api.DeletedSourceItem:
        """Deletes an item by its ID in your system."""
        query = {"provider": provider, "externalId": external_id}
        return self._transport.call("deleteSourceItemByExternalId", query=query)


class Sources(_Group):
    """The sources of documents."""

    # `list` is a method here, so the types name the builtin.
    def list(self) -> builtins.list[api.Source]:
        return (self._transport.call("listSources"))["sources"]

    def channels(self, source_id: str) -> api.ListSourceChannelsAnswer:
        """The channels that a Slack source's bot sees, and the allowlist."""
        return self._transport.call("listSourceChannels", path={"id": source_id})

    def set_channel_allowlist(
        self, source_id: str, channel_ids: builtins.list[str] | None
    ) -> api.UpdateSourceAnswer:
        """Limits a Slack source to these channel IDs; None means all channels the bot is in. Applies to the next run."""
        body = {"channelAllowlist": channel_ids}
        return self._transport.call("updateSource", path={"id": source_id}, body=body)


class SyncRuns(_Group):
    """Sync runs of sources."""

    def list(self, query: api.ListSyncRunsQuery | None = None) -> builtins.list[api.SyncRun]:
        """One page of runs, newest first."""
        return (self._transport.call("listSyncRuns", query=query))["syncRuns"]

    def pages(self, query: api.ListSyncRunsQuery | None = None) -> Iterator[api.ListSyncRunsAnswer]:
        """Every page of runs, newest first."""
        parameters: dict[str, Any] = dict(query or {})
        while True:
            page = self._transport.call("listSyncRuns", query=parameters)
            yield page
            if "nextCursor" not in page:
                return
            parameters["cursor"] = page["nextCursor"]

    def get(self, run_id: str) -> api.GetSyncRunAnswer:
        """A run with the items that could not be read."""
        return self._transport.call("getSyncRun", path={"id": run_id})

    def start(self, run: api.CreateSyncRunRequest) -> api.CreateSyncRunAnswer:
        """Queues a run, or returns the one that is already active (`alreadyActive`)."""
        return self._transport.call("createSyncRun", body=run)


class AuditEvents(_Group):
    """The audit trail."""

    def list(self, query: api.ListAuditEventsQuery | None = None) -> builtins.list[api.AuditEvent]:
        """The newest events first: 100 by default, at most 500."""
        return (self._transport.call("listAuditEvents", query=query))["auditEvents"]


class ApiKeys(_Group):
    """Keys of the organization."""

    def list(self) -> builtins.list[api.ApiKey]:
        """Live keys, newest first."""
        return (self._transport.call("listApiKeys"))["apiKeys"]

    def create(self, key: api.NewApiKey) -> api.CreateApiKeyAnswer:
        """Creates a key. Only this response contains its secret."""
        return self._transport.call("createApiKey", body=key)

    def revoke(self, key_id: str) -> api.RevokeApiKeyAnswer:
        """Revokes a key at once. A retry may find it already revoked (404)."""
        return self._transport.call("revokeApiKey", path={"id": key_id})


class Groups(_Group):
    """Groups of people that access policies name by their ID."""

    def list(self, query: api.ListGroupsQuery | None = None) -> Iterator[api.Group]:
        """Every group, newest first, each with its first 100 members. Pages are read as needed."""
        parameters: dict[str, Any] = dict(query or {})
        while True:
            page = self._transport.call("listGroups", query=parameters)
            for group in page["groups"]:
                yield group
            if page["nextCursor"] is None:
                return
            parameters["cursor"] = page["nextCursor"]

    def get(self, group_id: str) -> api.Group:
        """A group with all its members."""
        return (self._transport.call("getGroup", path={"groupId": group_id}))["group"]

    def put(self, group_id: str, group: api.NewGroup) -> api.Group:
        """Creates a group, or replaces its members."""
        return (self._transport.call("putGroup", path={"groupId": group_id}, body=group))["group"]

    def delete(self, group_id: str) -> api.DeleteGroupAnswer:
        """Deletes a group. A retry may find it already deleted (404)."""
        return self._transport.call("deleteGroup", path={"groupId": group_id})


class MemoryCanvas(_Group):
    """The graph of entities in the items."""

    def get(self, query: api.MemoryCanvasQuery | None = None) -> api.MemoryCanvas:
        return self._transport.call("memoryCanvas", query=query)

    def entity(self, entity_id: str, *, on_behalf_of: str | None = None) -> api.CanvasEntity:
        """One entity with its neighbors and the items that name it."""
        query = person_query(on_behalf_of)
        return self._transport.call("memoryCanvasEntity", path={"id": entity_id}, query=query)


class Maintenance(_Group):
    """Administrator tasks."""

    def clean_up_slack_system_events(self, *, dry_run: bool = False) -> api.CleanUpSlackSystemEventsAnswer:
        """Deletes stored system messages of Slack. With `dry_run`, only counts them."""
        return self._transport.call("cleanUpSlackSystemEvents", body={"dryRun": dry_run})

    def start_reembedding(self) -> api.Reembedding:
        """Moves the organization to the configured embedding model, in the background."""
        return self._transport.call("startReembedding")

    def reembedding(self) -> api.Reembedding:
        """The progress of the move."""
        return self._transport.call("getReembedding")
