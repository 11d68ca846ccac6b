"""The groups of methods of the asynchronous client."""

from __future__ import annotations

import builtins
from typing import Any, AsyncIterator

from . import _api as api
from ._requests import person_query
from ._transport import AsyncTransport


class _Group:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport


class SourceItems(_Group):
    """What is stored."""

    async def list(self, query: api.ListSourceItemsQuery | None = None) -> AsyncIterator[api.ListedSourceItem]:
        """Every item, what changed last first; pages are read as they are needed."""
        async for page in self.pages(query):
            for item in page["sourceItems"]:
                yield item

    async def pages(
        self, query: api.ListSourceItemsQuery | None = None
    ) -> AsyncIterator[api.ListSourceItemsAnswer]:
        """The same by pages of `limit` items (50 by default, 200 at most)."""
        parameters: dict[str, Any] = dict(query or {})
        while True:
            page = await self._transport.call("listSourceItems", query=parameters)
            yield page
            if page["nextCursor"] is None:
                return
            parameters["cursor"] = page["nextCursor"]

    async def get(self, item_id: str, *, on_behalf_of: str | None = None) -> api.SourceItem:
        """An item with its text; with `on_behalf_of`, where the person of that e-mail address may read it."""
        query = person_query(on_behalf_of)
        return (await self._transport.call("getSourceItem", path={"id": item_id}, query=query))["sourceItem"]

    async def readers(self, item_id: str, *, on_behalf_of: str | None = None) -> builtins.list[api.ItemReader]:
        """Who may read an item, and why."""
        query = person_query(on_behalf_of)
        return (await self._transport.call("listItemReaders", path={"id": item_id}, query=query))["readers"]

    async def delete(self, item_id: str) -> api.DeletedSourceItem:
        """Removes an item by its ID here. Sent again after a fault, it may find the item gone (404)."""
        return await self._transport.call("deleteSourceItem", path={"id": item_id})

    async def delete_by_external_id(self, provider: str, external_id: str) -> api.DeletedSourceItem:
        """Removes an item by its ID in your system."""
        query = {"provider": provider, "externalId": external_id}
        return await self._transport.call("deleteSourceItemByExternalId", query=query)


class Sources(_Group):
    """Where documents come from."""

    # `list` is a method here, so the types name the builtin.
    async def list(self) -> builtins.list[api.Source]:
        return (await self._transport.call("listSources"))["sources"]

    async def channels(self, source_id: str) -> api.ListSourceChannelsAnswer:
        """The channels that the bot of a Slack source can see, and which of them are read."""
        return await self._transport.call("listSourceChannels", path={"id": source_id})

    async def set_channel_allowlist(
        self, source_id: str, channel_ids: builtins.list[str] | None
    ) -> api.UpdateSourceAnswer:
        """Limits a Slack source to channels by their IDs; None: all that the bot is in. Holds from the next run on."""
        body = {"channelAllowlist": channel_ids}
        return await self._transport.call("updateSource", path={"id": source_id}, body=body)


class SyncRuns(_Group):
    """Readings of sources."""

    async def list(self, query: api.ListSyncRunsQuery | None = None) -> builtins.list[api.SyncRun]:
        """The runs, newest first."""
        return (await self._transport.call("listSyncRuns", query=query))["syncRuns"]

    async def get(self, run_id: str) -> api.GetSyncRunAnswer:
        """A run with what could not be read."""
        return await self._transport.call("getSyncRun", path={"id": run_id})

    async def start(self, run: api.CreateSyncRunRequest) -> api.CreateSyncRunAnswer:
        """Queues a run; where one is queued or running already, it is that one (`alreadyActive`)."""
        return await self._transport.call("createSyncRun", body=run)


class AuditEvents(_Group):
    """The audit trail."""

    async def list(self, query: api.ListAuditEventsQuery | None = None) -> builtins.list[api.AuditEvent]:
        """The newest events, newest first: 100 by default, 500 at most."""
        return (await self._transport.call("listAuditEvents", query=query))["auditEvents"]


class ApiKeys(_Group):
    """Keys of the organization."""

    async def list(self) -> builtins.list[api.ApiKey]:
        """Live keys, newest first."""
        return (await self._transport.call("listApiKeys"))["apiKeys"]

    async def create(self, key: api.NewApiKey) -> api.CreateApiKeyAnswer:
        """Mints a key; its secret is in this answer alone."""
        return await self._transport.call("createApiKey", body=key)

    async def revoke(self, key_id: str) -> api.RevokeApiKeyAnswer:
        """Ends a key at once. Sent again after a fault, it may find the key gone (404)."""
        return await self._transport.call("revokeApiKey", path={"id": key_id})


class Groups(_Group):
    """Groups of people, which access policies name by their id."""

    async def list(self, query: api.ListGroupsQuery | None = None) -> api.ListGroupsAnswer:
        """One page of groups, newest first, each with its first 100 members."""
        return await self._transport.call("listGroups", query=query)

    async def get(self, group_id: str) -> api.Group:
        """A group with all its members."""
        return (await self._transport.call("getGroup", path={"groupId": group_id}))["group"]

    async def put(self, group_id: str, group: api.NewGroup) -> api.Group:
        """Creates a group, or replaces its members."""
        return (await self._transport.call("putGroup", path={"groupId": group_id}, body=group))["group"]

    async def delete(self, group_id: str) -> api.DeleteGroupAnswer:
        """Deletes a group. Sent again after a fault, it may find the group gone (404)."""
        return await self._transport.call("deleteGroup", path={"groupId": group_id})


class MemoryCanvas(_Group):
    """The graph of who and what the documents name."""

    async def get(self, query: api.MemoryCanvasQuery | None = None) -> api.MemoryCanvas:
        return await self._transport.call("memoryCanvas", query=query)

    async def entity(self, entity_id: str, *, on_behalf_of: str | None = None) -> api.CanvasEntity:
        """One entity with its neighbors and the items that name it."""
        query = person_query(on_behalf_of)
        return await self._transport.call("memoryCanvasEntity", path={"id": entity_id}, query=query)


class Maintenance(_Group):
    """Jobs of an administrator."""

    async def clean_up_slack_system_events(self, *, dry_run: bool = False) -> api.CleanUpSlackSystemEventsAnswer:
        """Removes what Slack itself wrote into channels; with `dry_run` it is only counted."""
        return await self._transport.call("cleanUpSlackSystemEvents", body={"dryRun": dry_run})

    async def start_reembedding(self) -> api.Reembedding:
        """Moves the organization to the configured embedding model, in the background."""
        return await self._transport.call("startReembedding")

    async def reembedding(self) -> api.Reembedding:
        """How far that is."""
        return await self._transport.call("getReembedding")
