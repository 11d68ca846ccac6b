import { randomBytes } from 'node:crypto'
import { createSecretCipher } from '../../src/kernel/secret-cipher.ts'
import type { Row, WebhookDisabledReason } from '../../src/database/schema.ts'
import { lockOrganization } from '../../src/organizations/index.ts'
import {
  createOutgoingWebhooks,
  emitEvent,
  type OutgoingWebhookDependencies,
  type OutgoingWebhooks,
} from '../../src/outgoing-webhooks/index.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { insertOrganization, type TestOrganization } from './organizations.ts'

/** A database with a workspace, and processes that deliver its events by the test's clock. */
export interface WebhookBench {
  database: TestDatabase
  organization: TestOrganization
  /** The time of every clock. */
  now: Date
  /** Background failures. */
  errors: unknown[]
  disabled: { webhookId: string; reason: WebhookDisabledReason }[]
  /** A process that delivers on request; several behave like separate processes. */
  process(options?: Partial<OutgoingWebhookDependencies>): OutgoingWebhooks
  webhook(url: string, organization?: TestOrganization): Promise<{ id: string; secret: string }>
  /** Makes a source of the workspace fail. */
  emit(organization?: TestOrganization): Promise<void>
  deliveries(): Promise<Row<'webhook_deliveries'>[]>
  pass(ms: number): void
  close(): Promise<void>
}

export async function startWebhookBench(): Promise<WebhookBench> {
  const database = await createTestDatabase()
  const { db } = database
  const cipher = createSecretCipher([randomBytes(32)])
  const bench: WebhookBench = {
    database,
    organization: await insertOrganization(db),
    now: new Date(),
    errors: [],
    disabled: [],
    process: (options = {}) =>
      createOutgoingWebhooks({
        db,
        clock: { now: () => bench.now },
        random: () => 0,
        findCipher: async () => cipher,
        allowsPrivate: true,
        lockOrganization,
        onAttempt: () => {},
        onDisabled: (webhook) => bench.disabled.push(webhook),
        onError: (error) => bench.errors.push(error),
        ...options,
      }),
    async webhook(url, organization = bench.organization) {
      const { webhook, secret } = await bench.process().webhooks.create(organization.caller(), { url })
      return { id: webhook.id, secret }
    },
    emit: ({ id, sourceIds } = bench.organization) =>
      db.transaction().execute((tx) =>
        emitEvent(tx, id, {
          type: 'source.error',
          at: bench.now,
          data: {
            sourceId: sourceIds.notion,
            provider: 'notion',
            displayName: 'Handbook',
            errorMessage: 'The grant has ended',
          },
        }),
      ),
    deliveries: () => db.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute(),
    pass: (ms) => void (bench.now = new Date(bench.now.getTime() + ms)),
    close: () => database.close(),
  }
  return bench
}
