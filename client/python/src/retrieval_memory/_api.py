# Written by `npm run generate` from openapi/openapi.json: what an API key can call, and every error code.
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

# Every operation that an API key can call: method and path by its ID.
OPERATIONS: dict[str, tuple[str, str]] = {
    "search": ("POST", "/v1/search"),
    "context": ("POST", "/v1/context"),
    "ask": ("POST", "/v1/ask"),
    "ingest": ("POST", "/v1/ingest"),
    "listSourceItems": ("GET", "/v1/source-items"),
    "deleteSourceItemByExternalId": ("DELETE", "/v1/source-items"),
    "getSourceItem": ("GET", "/v1/source-items/{id}"),
    "deleteSourceItem": ("DELETE", "/v1/source-items/{id}"),
    "listItemReaders": ("GET", "/v1/source-items/{id}/readers"),
    "exportWorkspace": ("POST", "/v1/export"),
    "memoryCanvas": ("GET", "/v1/memory-canvas"),
    "memoryCanvasEntity": ("GET", "/v1/memory-canvas/entities/{id}"),
    "getReembedding": ("GET", "/v1/maintenance/reembed"),
    "startReembedding": ("POST", "/v1/maintenance/reembed"),
    "listApiKeys": ("GET", "/v1/api-keys"),
    "createApiKey": ("POST", "/v1/api-keys"),
    "revokeApiKey": ("DELETE", "/v1/api-keys/{id}"),
    "listSources": ("GET", "/v1/sources"),
    "listSourceChannels": ("GET", "/v1/sources/{id}/channels"),
    "updateSource": ("PATCH", "/v1/sources/{id}"),
    "listSyncRuns": ("GET", "/v1/sync-runs"),
    "createSyncRun": ("POST", "/v1/sync-runs"),
    "getSyncRun": ("GET", "/v1/sync-runs/{id}"),
    "cleanUpSlackSystemEvents": ("POST", "/v1/maintenance/slack/cleanup-system-events"),
    "listAuditEvents": ("GET", "/v1/audit-events"),
    "listGroups": ("GET", "/v1/groups"),
    "getGroup": ("GET", "/v1/groups/{groupId}"),
    "putGroup": ("PUT", "/v1/groups/{groupId}"),
    "deleteGroup": ("DELETE", "/v1/groups/{groupId}"),
}

ErrorCode = Literal[
    "validation_failed",
    "malformed_json",
    "not_a_slack_source",
    "audience_not_supported",
    "provider_mismatch",
    "duplicate_document",
    "file_unreadable",
    "malformed_state",
    "invitation_invalid",
    "webhook_signature_invalid",
    "unauthenticated",
    "subscription_required",
    "plan_limit_reached",
    "action_not_allowed",
    "role_required",
    "provider_not_allowed",
    "user_required",
    "connector_access_required",
    "invitation_for_another",
    "origin_not_allowed",
    "not_found",
    "method_not_allowed",
    "request_timeout",
    "cannot_revoke_self",
    "key_limit_reached",
    "last_owner",
    "member_limit_reached",
    "invitation_limit_reached",
    "webhook_limit_reached",
    "webhook_disabled",
    "group_limit_reached",
    "group_exists",
    "person_exists",
    "group_provisioned",
    "source_disabled",
    "source_push_only",
    "item_not_synced",
    "plan_by_contract",
    "embedding_model_mismatch",
    "approximate_index_refused",
    "removal_refused",
    "body_too_large",
    "unsupported_media_type",
    "rate_limited",
    "quota_exceeded",
    "headers_too_large",
    "internal",
    "upstream_error",
    "not_configured",
    "not_ready",
    "overloaded",
]

# The limits of a request of ingest.
INGEST_DOCUMENTS_MAX = 1000
INGEST_REQUEST_BYTES_MAX = 10485760
INGEST_TEXT_BYTES_MAX = 1048576

# Errors of ingest about a document. Any other error would occur for the next request too.
DOCUMENT_FAULTS = frozenset(
    {"validation_failed", "malformed_json", "duplicate_document", "provider_mismatch", "body_too_large"}
)

# A provider: one of these, or another that the deployment names.
Provider = Literal["slack", "google_drive", "notion", "gmail"] | str


class SearchRequest(TypedDict):
    """The body of search and context."""

    query: str
    limit: NotRequired[int]
    filter: NotRequired[SearchFilter]
    onBehalfOf: NotRequired[SearchRequestOnBehalfOf]
    recency: NotRequired[float]
    rank: NotRequired[Literal["vector", "hybrid"]]


class SearchFilter(TypedDict):
    """Conditions that the item of each hit must meet."""

    providers: NotRequired[list[Provider]]
    sourceKinds: NotRequired[list[Literal["message", "document", "file"]]]
    authorName: NotRequired[str]
    updatedAfter: NotRequired[str]
    updatedBefore: NotRequired[str]
    connectorId: NotRequired[str]
    entityId: NotRequired[str]
    metadata: NotRequired[dict[str, str | float | bool | None]]


class SearchRequestOnBehalfOf(TypedDict):
    """Limits the response to what this person may read. An unknown person can read only public items."""

    email: str


class SearchResponse(TypedDict):
    """The passages nearest to a query."""

    query: str
    hits: list[Hit]


class Hit(TypedDict):
    """A passage found by a search."""

    sourceItemId: str
    title: str
    content: str
    url: str
    provider: Provider
    score: float
    relevance: NotRequired[float]
    metadata: dict[str, Any]
    syncedAt: str


class ContextContract(TypedDict):
    """Hits with citations, exclusions and limitations."""

    contract: ContextContractContract
    query: ContextContractQuery
    hits: list[Hit]
    citations: list[Citation]
    exclusions: list[ContextContractExclusionsItem]
    limitations: list[ContextContractLimitationsItem]


class ContextContractContract(TypedDict):
    """The origin of the contract."""

    version: Literal["1.0"]
    requestId: str
    endpoint: str
    issuedAt: str
    callerActorType: Literal["agent", "application", "admin", "user"]
    callerApiKeyId: str | None


class ContextContractQuery(TypedDict):
    """The request."""

    raw: str
    limit: int


class Citation(TypedDict):
    """The item that a marker cites."""

    index: int
    sourceItemId: str
    title: str


class ContextContractExclusionsItem(TypedDict):
    type: Literal["provider_scope"]
    provider: Provider
    reason: str


class ContextContractLimitationsItem(TypedDict):
    code: Literal["provider_scope_applied", "permissions_applied", "source_stale", "source_sync_incomplete", "embedding_fallback", "weak_evidence", "nothing_cited", "approximate_search", "answer_truncated"]
    message: str


class AskRequest(TypedDict):
    """The body of ask."""

    query: str
    limit: NotRequired[int]
    conversation: NotRequired[list[AskRequestConversationItem]]
    recency: NotRequired[float]
    effort: NotRequired[Literal["normal", "high"]]
    onBehalfOf: NotRequired[AskRequestOnBehalfOf]


class AskRequestConversationItem(TypedDict):
    question: str
    answer: str


class AskRequestOnBehalfOf(TypedDict):
    """Limits the response to what this person may read. An unknown person can read only public items."""

    email: str


class AskResponse(TypedDict):
    """An answer with its citations."""

    question: str
    answer: str
    citations: list[Citation]
    context: list[AskResponseContextItem]
    limitations: list[AskResponseLimitationsItem]


class AskResponseContextItem(TypedDict):
    """A passage that was read for the answer."""

    sourceItemId: str
    title: str
    content: str
    url: str
    provider: Provider
    score: float


class AskResponseLimitationsItem(TypedDict):
    code: Literal["provider_scope_applied", "permissions_applied", "source_stale", "source_sync_incomplete", "embedding_fallback", "weak_evidence", "nothing_cited", "approximate_search", "answer_truncated"]
    message: str


class IngestRequest(TypedDict):
    """The body of an ingest."""

    documents: list[IngestDocument]


class IngestDocument(TypedDict):
    """A document to store."""

    connectorId: str
    provider: Provider
    sourceKind: Literal["message", "document", "file"]
    externalId: str
    title: str
    body: str
    url: NotRequired[str | None]
    authorName: NotRequired[str | None]
    sourceCreatedAt: NotRequired[str | None]
    sourceUpdatedAt: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any]]
    embedding: NotRequired[GivenEmbedding]


class GivenEmbedding(TypedDict):
    """Vectors of the chunks from an export, so that they are not embedded again."""

    model: str
    chunksSha256: str
    vectors: str


class IngestResponse(TypedDict):
    """The result of an ingest."""

    ingested: int
    skipped: int


class ListSourceItemsQuery(TypedDict):
    provider: NotRequired[Provider]
    connectorId: NotRequired[str]
    sourceKind: NotRequired[Literal["message", "document", "file"]]
    title: NotRequired[str]
    cursor: NotRequired[str]
    limit: NotRequired[int]
    onBehalfOf: NotRequired[str]


class ListSourceItemsAnswer(TypedDict):
    sourceItems: list[ListedSourceItem]
    nextCursor: str | None


class ListedSourceItem(TypedDict):
    """A stored item without its text."""

    id: str
    connectorId: str
    provider: Provider
    sourceKind: Literal["message", "document", "file"]
    externalId: str
    title: str
    url: str | None
    authorName: str | None
    sourceUpdatedAt: str | None
    syncedAt: str
    updatedAt: str


class DeleteSourceItemByExternalIdQuery(TypedDict):
    provider: Provider
    externalId: str


class DeletedSourceItem(TypedDict):
    """A deleted item."""

    sourceItem: DeletedSourceItemSourceItem
    deletedAt: str


class DeletedSourceItemSourceItem(TypedDict):
    """IDs of the deleted item."""

    id: str
    connectorId: str
    provider: Provider
    externalId: str


class GetSourceItemQuery(TypedDict):
    onBehalfOf: NotRequired[str]


class GetSourceItemAnswer(TypedDict):
    sourceItem: SourceItem


class SourceItem(TypedDict):
    """A stored document, message or file."""

    id: str
    connectorId: str
    provider: Provider
    sourceKind: Literal["message", "document", "file"]
    externalId: str
    title: str
    body: str
    url: str | None
    authorName: str | None
    sourceCreatedAt: str | None
    sourceUpdatedAt: str | None
    metadata: dict[str, Any]
    syncedAt: str
    createdAt: str
    updatedAt: str


class ListItemReadersQuery(TypedDict):
    onBehalfOf: NotRequired[str]


class ListItemReadersAnswer(TypedDict):
    readers: list[ItemReader]


class ItemReader(TypedDict):
    """A principal in an access policy."""

    kind: Literal["everyone", "member", "source", "user", "group", "domain"]
    name: str | None
    memberCount: int | None
    denied: bool


class ExportWorkspaceRequest(TypedDict):
    after: NotRequired[str]
    onBehalfOf: NotRequired[ExportWorkspaceRequestOnBehalfOf]


class ExportWorkspaceRequestOnBehalfOf(TypedDict):
    """Limits the response to what this person may read. An unknown person can read only public items."""

    email: str


class MemoryCanvasQuery(TypedDict):
    q: NotRequired[str]
    provider: NotRequired[Provider]
    entityType: NotRequired[Literal["person", "organization", "channel", "topic"]]
    around: NotRequired[str]
    since: NotRequired[str]
    limit: NotRequired[int]
    onBehalfOf: NotRequired[str]


class MemoryCanvas(TypedDict):
    """The people, organizations, channels and topics that stored items name."""

    nodes: list[CanvasNode]
    edges: list[CanvasEdge]
    generatedAt: str
    complete: bool
    itemsWaiting: int


class CanvasNode(TypedDict):
    """An entity or a source."""

    id: str
    kind: Literal["entity", "source"]
    type: Literal["person", "organization", "channel", "topic", "slack", "google_drive", "notion", "gmail"]
    label: str
    provider: Provider | None
    weight: int


class CanvasEdge(TypedDict):
    """A relation between two nodes."""

    id: str
    source: str
    target: str
    type: Literal["authored", "mentions", "posted_in", "co_occurs"]
    weight: int


class MemoryCanvasEntityQuery(TypedDict):
    onBehalfOf: NotRequired[str]


class CanvasEntity(TypedDict):
    """An entity with its neighbours and items."""

    entity: CanvasEntityEntity
    neighbours: list[CanvasEntityNeighboursItem]
    items: list[CanvasEntityItemsItem]


class CanvasEntityEntity(TypedDict):
    """The entity."""

    id: str
    type: Literal["person", "organization", "channel", "topic"]
    label: str
    aliases: list[str]
    weight: int
    firstSeenAt: str
    lastSeenAt: str
    evidence: list[CanvasEntityEntityEvidenceItem]


class CanvasEntityEntityEvidenceItem(TypedDict):
    name: str
    items: int
    sourceItemId: str


class CanvasEntityNeighboursItem(TypedDict):
    id: str
    type: Literal["person", "organization", "channel", "topic"]
    label: str
    weight: int


class CanvasEntityItemsItem(TypedDict):
    sourceItemId: str
    title: str
    url: str | None
    provider: Provider
    snippet: str


class Reembedding(TypedDict):
    """The progress of a move to another embedding model."""

    status: Literal["idle", "running", "succeeded"]
    model: str | None
    answeringModel: str | None
    chunksTotal: int
    chunksDone: int
    startedAt: str | None
    finishedAt: str | None
    errorMessage: str | None


class ListApiKeysAnswer(TypedDict):
    apiKeys: list[ApiKey]


class ApiKey(TypedDict):
    """An API key, without its secret."""

    id: str
    name: str
    prefix: str
    actorType: Literal["agent", "application", "admin"]
    allowedActions: list[Literal["admin", "search", "context", "ask", "memory:read", "sources:read", "sources:write", "sync:read", "sync:write", "ingest"]]
    allowedProviders: list[Provider] | None
    requiresUser: bool
    lastUsedAt: str | None
    createdAt: str


class NewApiKey(TypedDict):
    """The key to create."""

    name: str
    actorType: NotRequired[Literal["agent", "application", "admin"]]
    allowedActions: list[Literal["admin", "search", "context", "ask", "memory:read", "sources:read", "sources:write", "sync:read", "sync:write", "ingest"]]
    allowedProviders: NotRequired[list[Provider] | None]
    requiresUser: NotRequired[bool]


class CreateApiKeyAnswer(TypedDict):
    apiKey: ApiKey
    secret: str


class RevokeApiKeyAnswer(TypedDict):
    apiKey: ApiKey
    revokedAt: str


class ListSourcesAnswer(TypedDict):
    sources: list[Source]


class Source(TypedDict):
    """Where documents come from: a provider account, or pushes."""

    id: str
    provider: Provider
    status: Literal["pending", "active", "error", "disabled"]
    displayName: str
    externalAccountId: str
    lastSyncedAt: str | None
    errorMessage: str | None
    errorCode: NotRequired[Literal["access_ended", "missing_permission", "app_blocked", "api_disabled", "access_refused", "not_configured"] | None]
    itemsSkipped: NotRequired[int]
    audience: NotRequired[Literal["everyone", "connector"] | list[str]]
    channelAllowlist: list[str] | None
    sourceItemCount: int
    policyHealth: dict[str, Any] | None
    createdAt: str
    updatedAt: str


class ListSourceChannelsAnswer(TypedDict):
    channels: list[SlackChannel]
    channelAllowlist: list[str] | None


class SlackChannel(TypedDict):
    """A channel of a Slack workspace."""

    id: str
    name: str
    isPrivate: bool
    memberCount: int


class UpdateSourceRequest(TypedDict):
    channelAllowlist: list[str] | None


class UpdateSourceAnswer(TypedDict):
    id: str
    provider: Provider
    displayName: str
    channelAllowlist: list[str] | None


class ListSyncRunsQuery(TypedDict):
    connectorId: NotRequired[str]
    cursor: NotRequired[str]
    limit: NotRequired[int]


class ListSyncRunsAnswer(TypedDict):
    syncRuns: list[SyncRun]
    nextCursor: NotRequired[str]


class SyncRun(TypedDict):
    """A sync run of a source."""

    id: str
    connectorId: str
    status: Literal["queued", "running", "succeeded", "failed"]
    fullResync: bool
    startedAt: str | None
    finishedAt: str | None
    itemsDiscovered: int
    itemsIngested: int
    itemsDeleted: int
    itemsUnchanged: NotRequired[int]
    itemsSkipped: NotRequired[int]
    errorMessage: str | None
    createdAt: str


class CreateSyncRunRequest(TypedDict):
    connectorId: str
    fullResync: NotRequired[bool]


class CreateSyncRunAnswer(TypedDict):
    syncRun: CreateSyncRunAnswerSyncRun
    alreadyActive: Literal[False]


class CreateSyncRunAnswerSyncRun(TypedDict):
    """The run that was queued."""

    id: str
    connectorId: str
    status: Literal["queued", "running", "succeeded", "failed"]
    fullResync: bool
    createdAt: str


class GetSyncRunAnswer(TypedDict):
    syncRun: SyncRun
    errorCode: Literal["access_ended", "missing_permission", "app_blocked", "api_disabled", "access_refused", "not_configured"] | None
    itemsFailed: int
    failures: list[SyncRunFailure]
    skipped: list[SyncRunFailure]
    waitingUntil: str | None
    needsReconnection: bool
    nextRunAt: str | None


class SyncRunFailure(TypedDict):
    """An item that a run did not read."""

    externalId: str
    title: str | None
    message: str
    code: Literal["service_failed", "not_storable"] | None


class CleanUpSlackSystemEventsRequest(TypedDict):
    dryRun: NotRequired[bool]


class CleanUpSlackSystemEventsAnswer(TypedDict):
    scanned: int
    deleted: int
    dryRun: bool


class ListAuditEventsQuery(TypedDict):
    limit: NotRequired[int]


class ListAuditEventsAnswer(TypedDict):
    auditEvents: list[AuditEvent]


class AuditEvent(TypedDict):
    """An action of a person or a key."""

    id: str
    organizationId: str
    actorUserId: str | None
    actorApiKeyId: str | None
    action: str
    targetType: str
    targetId: str
    metadata: dict[str, Any]
    createdAt: str


class ListGroupsQuery(TypedDict):
    cursor: NotRequired[str]
    limit: NotRequired[int]


class ListGroupsAnswer(TypedDict):
    groups: list[Group]
    nextCursor: str | None


class Group(TypedDict):
    """A group of people that access policies can name."""

    id: str
    name: str | None
    origin: Literal["api", "scim"]
    memberCount: int
    members: list[str]
    createdAt: str
    updatedAt: str


class GetGroupAnswer(TypedDict):
    group: Group


class NewGroup(TypedDict):
    """A group with all its members."""

    name: NotRequired[str]
    members: list[str]


class PutGroupAnswer(TypedDict):
    group: Group


class DeleteGroupAnswer(TypedDict):
    group: Group
    deletedAt: str

SearchAnswer = SearchResponse

ContextRequest = SearchRequest

ContextAnswer = ContextContract

AskAnswer = AskResponse

IngestAnswer = IngestResponse

DeleteSourceItemByExternalIdAnswer = DeletedSourceItem

DeleteSourceItemAnswer = DeletedSourceItem

MemoryCanvasAnswer = MemoryCanvas

MemoryCanvasEntityAnswer = CanvasEntity

GetReembeddingAnswer = Reembedding

StartReembeddingAnswer = Reembedding

CreateApiKeyRequest = NewApiKey

PutGroupRequest = NewGroup
