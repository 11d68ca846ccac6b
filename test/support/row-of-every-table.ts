import { createHash, randomUUID } from 'node:crypto'
import { type Insertable, sql } from 'kysely'
import type { Db } from '../../src/database/database.ts'
import { LAYOUT } from '../../src/database/distribution/layout.ts'
import type { Schema } from '../../src/database/schema.ts'

type OwnedTable = {
  [Table in keyof Schema]: (typeof LAYOUT)[Table] extends 'reference' ? never : Table
}[keyof Schema]

/** One row for each: code with a new table of organizations does not compile without a row here. */
type Rows = { [Table in OwnedTable]: Insertable<Schema[Table]> }

/** The tables with rows of organizations in the layout's order: a table follows those it references. */
export const OWNED_TABLES = Object.entries(LAYOUT).flatMap(([name, placement]) =>
  placement === 'reference' ? [] : [name],
)

const AT = new Date('2026-02-01T00:00:00.000Z')
const bytes = (text: string): Buffer => createHash('sha256').update(text).digest()

export interface FilledOrganization {
  id: string
  userId: string
  sourceId: string
  itemId: string
}

/** Stores an organization with a member and a row in every table with rows of organizations. */
export async function insertRowOfEveryTable(db: Db, name = 'Acme'): Promise<FilledOrganization> {
  const ids = { id: randomUUID(), userId: randomUUID(), sourceId: randomUUID(), itemId: randomUUID() }
  const model = await db
    .insertInto('embedding_models')
    .values({ name: `test:${randomUUID()}`, dimensions: 3 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('organizations')
    .values({ id: ids.id, name, embedding_model_id: model.id, created_at: AT })
    .execute()
  await db
    .insertInto('users')
    .values({
      id: ids.userId,
      issuer: 'i',
      subject: ids.userId,
      email: 'ada@example.com',
      name: 'Ada',
      created_at: AT,
    })
    .execute()
  const rows: Record<string, object> = rowsOf(ids, model.id)
  for (const table of OWNED_TABLES) {
    const entries = Object.entries(rows[table] ?? {})
    await sql`
      insert into ${sql.table(table)} (${sql.join(entries.map(([column]) => sql.ref(column)))})
      values (${sql.join(entries.map(([, value]) => value))})`.execute(db)
  }
  return ids
}

/** An organization's row count in each table where it has any, including its own row. */
export async function countRowsOf(db: Db, organizationId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of OWNED_TABLES) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from ${sql.table(table)} where organization_id = ${organizationId}`.execute(
      db,
    )
    counts[table] = rows[0]?.n ?? 0
  }
  const own = await db.selectFrom('organizations').select('id').where('id', '=', organizationId).execute()
  counts.organizations = own.length
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0))
}

/** All rows of an organization by table, to show that none has changed. */
export async function rowsOfOrganization(db: Db, organizationId: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const table of OWNED_TABLES) {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(t::text, ',' order by t::text) as text from ${sql.table(table)} t
      where organization_id = ${organizationId}`.execute(db)
    found[table] = rows[0]?.text ?? ''
  }
  return found
}

function rowsOf({ id, userId, sourceId, itemId }: FilledOrganization, modelId: number): Rows {
  const organization_id = id
  const [runId, entityId, webhookId] = [randomUUID(), randomUUID(), randomUUID()]
  const lasting = { created_at: AT, updated_at: AT }
  return {
    subscriptions: {
      organization_id,
      status: 'internal',
      period_anchor: AT,
      period_started_at: AT,
      period_ends_at: AT,
      updated_at: AT,
    },
    credit_reservations: { organization_id, id: randomUUID(), period_started_at: AT, expires_at: AT },
    payment_accounts: { organization_id, created_at: AT },
    payment_events: { organization_id, event_id: 'evt_1', type: 'invoice.paid', received_at: AT },
    overage_reports: {
      organization_id,
      id: randomUUID(),
      period_started_at: AT,
      window_started_at: AT,
      answers: 3,
      sealed_at: AT,
      sent_at: AT,
    },
    audit_events: {
      organization_id,
      id: randomUUID(),
      actor_user_id: userId,
      actor_api_key_id: null,
      action: 'organization.create',
      target_type: 'organization',
      target_id: id,
      metadata: '{}',
      created_at: AT,
    },
    people: {
      organization_id,
      id: randomUUID(),
      login: 'ada@example.com',
      active: true,
      resource: '{}',
      ...lasting,
    },
    person_groups: { organization_id, id: 'finance', key: randomUUID(), origin: 'api', ...lasting },
    principal_members: { organization_id, principal: 'group:finance', member: 'user:ada@example.com' },
    threads: {
      organization_id,
      id: randomUUID(),
      user_id: userId,
      title: 'Vacation?',
      content: '{"turns":[]}',
      turn_count: 1,
      ...lasting,
    },
    request_log: {
      organization_id,
      answered_at: AT,
      request_id: randomUUID(),
      api_key_id: randomUUID(),
      method: 'POST',
      path: '/v1/search',
      status: 200,
      duration_ms: 12,
      credits: 1,
      is_mcp: false,
    },
    evaluation_questions: { organization_id, id: itemId, position: 1, question: 'Vacation?', ...lasting },
    evaluation_runs: { organization_id, id: runId, user_id: userId, started_at: AT },
    evaluation_results: {
      organization_id,
      run_id: runId,
      question_id: itemId,
      position: 1,
      question: 'Vacation?',
      page: 'Title',
      answer: '25 days',
      content: '{"citations":[]}',
      measured_at: AT,
    },
    permission_polls: { organization_id, source_id: sourceId, next_at: AT },
    scim_tokens: {
      organization_id,
      id: randomUUID(),
      name: 'Okta',
      prefix: 'scim_aaaaaaaa',
      secret_sha256: Buffer.from(randomUUID()),
      created_by_user_id: userId,
      created_at: AT,
    },
    connector_access: {
      organization_id,
      provider: 'gmail',
      id: randomUUID(),
      status: 'pending',
      requested_by_user_id: userId,
      ...lasting,
    },
    sources: {
      organization_id,
      id: sourceId,
      provider: 'notion',
      push_only: false,
      status: 'active',
      display_name: 'Notion',
      external_account_id: `account-of-${id}`,
      ...lasting,
    },
    sync_runs: {
      organization_id,
      id: runId,
      source_id: sourceId,
      status: 'failed',
      full_resync: false,
      created_at: AT,
    },
    sync_run_failures: { organization_id, run_id: runId, external_id: 'x', message: 'm', created_at: AT },
    source_credentials: { organization_id, source_id: sourceId, ciphertext: bytes('grant'), updated_at: AT },
    grant_revocations: {
      organization_id,
      id: randomUUID(),
      provider: 'notion',
      external_account_id: 'other',
      ciphertext: bytes('grant'),
      next_attempt_at: AT,
    },
    push_events: { organization_id, source_id: sourceId, event_id: 'e', hints: '[]', received_at: AT },
    access_policies: { organization_id, id: 1, sha256: Buffer.alloc(32) },
    access_policy_principals: { organization_id, principal: 'everyone', policy_id: 1, denies: false },
    source_items: {
      organization_id,
      id: itemId,
      provider: 'notion',
      external_id: 'x',
      source_id: sourceId,
      source_kind: 'document',
      title: 'Title',
      body: 'Body',
      metadata: '{}',
      content_sha256: bytes('x'),
      canvas_sha256: bytes('x'),
      synced_at: AT,
      ...lasting,
    },
    synced_items: { organization_id, source_id: sourceId, external_id: 'x', source_item_id: itemId },
    chunks: { organization_id, source_item_id: itemId, position: 0, content: 'Body' },
    chunk_embeddings: {
      organization_id,
      embedding_model_id: modelId,
      source_item_id: itemId,
      position: 0,
      provider: 'notion',
      embedding: '[1,2,3]',
    },
    ingest_parts: { organization_id, ingest_id: randomUUID(), part: 1, items: '[]', decides: true },
    item_revisions: { organization_id, revision: 1 },
    item_changes: { organization_id, revision: 1, item_ids: null },
    canvas_work: { organization_id },
    entities: { organization_id, id: entityId, type: 'topic', key: 'k', rank: 1 },
    item_entities: {
      organization_id,
      source_item_id: itemId,
      entity_id: entityId,
      source_id: sourceId,
      role: 'mention',
      names: ['k'],
      seen_at: AT,
    },
    entity_totals: {
      organization_id,
      source_id: sourceId,
      entity_id: entityId,
      type: 'topic',
      items: 1,
      authored: 0,
    },
    entity_names: {
      organization_id,
      source_id: sourceId,
      entity_id: entityId,
      name: 'k',
      words: 'k',
      items: 1,
    },
    reembeddings: {
      organization_id,
      id: randomUUID(),
      embedding_model_id: modelId,
      status: 'running',
      started_at: AT,
    },
    evidence_calibrations: { organization_id, embedding_model_id: modelId, provider: 'notion' },
    approximate_indexes: {
      organization_id,
      embedding_model_id: modelId,
      status: 'building',
      requested_at: AT,
    },
    outgoing_webhooks: {
      organization_id,
      id: webhookId,
      url: 'https://example.com',
      status: 'active',
      secret_ciphertext: bytes('secret'),
      ...lasting,
    },
    webhook_deliveries: {
      organization_id,
      id: randomUUID(),
      webhook_id: webhookId,
      event_id: randomUUID(),
      type: 'webhook.test',
      payload: '{}',
      next_attempt_at: AT,
      created_at: AT,
    },
    credit_notices: { organization_id, period_started_at: AT, credit_limit: 10, percent: 80 },
    daily_usage: {
      organization_id,
      day: '2026-02-01',
      period_started_at: AT,
      subject_id: userId,
      is_user: true,
      surface: 'search',
      is_mcp: false,
      requests: 1,
      credits: 1,
    },
    api_keys: {
      organization_id,
      id: randomUUID(),
      name: 'Key',
      prefix: 'svc_1234',
      secret_sha256: bytes(`key of ${id}`),
      actor_type: 'agent',
      allowed_actions: ['search'],
      created_at: AT,
    },
    memberships: { organization_id, user_id: userId, role: 'owner', created_at: AT },
    former_members: { organization_id, user_id: userId, left_at: AT },
    invitations: {
      organization_id,
      id: randomUUID(),
      secret_sha256: bytes(`invitation of ${id}`),
      role: 'member',
      created_by_user_id: userId,
      created_at: AT,
      expires_at: AT,
    },
    oauth_states: {
      state_sha256: bytes(`state of ${id}`),
      organization_id,
      user_id: userId,
      provider: 'notion',
      code_verifier_ciphertext: bytes('verifier'),
      expires_at: AT,
    },
    rate_windows: {
      organization_id,
      subject_id: userId,
      action: 'search',
      admitted_at: [AT],
      admitted_count: [1],
    },
  }
}
