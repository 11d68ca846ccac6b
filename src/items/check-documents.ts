import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { providersOf } from '../providers/index.ts'
import { type CleanItem, itemKey, type PushedItem } from './item.ts'

/** @throws AppError `duplicate_document` that names the second of two documents with the same key */
export function refuseDuplicates(items: readonly CleanItem[]): void {
  const firstAt = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const key = itemKey(item)
    const first = firstAt.get(key)
    if (first !== undefined) {
      throw new AppError(
        'duplicate_document',
        `documents.${index} has the same provider and externalId as documents.${first}; send each document once`,
        { details: { index, firstIndex: first } },
      )
    }
    firstAt.set(key, index)
  }
}

/** Requires a key that sends vectors to have `admin`, because wrong vectors distort every search. @throws AppError */
export function requireVectorRight(caller: Caller, items: readonly PushedItem[]): void {
  if (caller.kind === 'console' || caller.allowedActions.includes('admin')) return
  const index = items.findIndex(({ embedding }) => embedding !== undefined)
  if (index === -1) return
  throw new AppError(
    'action_not_allowed',
    `documents.${index}.embedding: vectors require an API key with the action admin; send the document without them`,
    { details: { index } },
  )
}

const findSources = prepare<{ id: string; provider: ProviderId }>(`
  select id, provider from sources
  where organization_id = $1 and id = any($2::uuid[]) and provider = any($3::text[]) and removed_at is null`)

/** Requires each document's connector to be the caller's and of its provider. @throws AppError */
export async function requireSources(db: Db, caller: Caller, items: readonly CleanItem[]): Promise<void> {
  const ids = [...new Set(items.map((item) => item.sourceId))]
  const { rows } = await findSources(db, [caller.organizationId, ids, providersOf(caller)])
  const providers = new Map(rows.map((row) => [row.id, row.provider]))
  for (const [index, item] of items.entries()) {
    const provider = providers.get(item.sourceId)
    if (provider === undefined) {
      throw new AppError('not_found', `documents.${index}.connectorId: there is no such source`, {
        details: { index },
      })
    }
    if (provider !== item.provider) {
      throw new AppError(
        'provider_mismatch',
        `documents.${index}.provider: the connector belongs to ${provider}, not to ${item.provider}`,
        { details: { index, connectorProvider: provider } },
      )
    }
  }
}
