import { z } from 'zod'
import type { Tx } from '../database/database.ts'
import { personsEmail } from '../kernel/schemas.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { bumpPermissions, EVERYONE, setMembers, sourcePrincipal, userPrincipal } from '../people/index.ts'
import { findProvider } from '../providers/index.ts'
import type { ProviderId } from '../kernel/provider-id.ts'

export const AUDIENCE_MAX = 1_000

/** Who may read a source whose provider does not report readers. `connector`: the mailbox's owner, or who connected it. */
export const Audience = z.union([z.enum(['everyone', 'connector']), z.array(personsEmail).max(AUDIENCE_MAX)])
export type Audience = z.output<typeof Audience>

export function audienceOf(stored: string | null): Audience {
  return stored === null ? 'connector' : Audience.parse(JSON.parse(stored))
}

/** The audience of a new source, as stored in its row. */
export function firstAudience(provider: ProviderId): string | null {
  const { audience } = findProvider(provider)
  return audience === undefined ? null : JSON.stringify(audience satisfies Audience)
}

/** Makes the audience the members of the group that the items' policies name, unless the provider reports readers. */
export async function applyAudience(tx: Tx, source: SourceRef): Promise<void> {
  const row = await tx
    .selectFrom('sources')
    .select(['provider', 'audience', 'connected_by', 'external_account_id', 'push_only'])
    .where('organization_id', '=', source.organizationId)
    .where('id', '=', source.sourceId)
    .executeTakeFirstOrThrow()
  if (!hasAudience(row.provider) || row.push_only) return
  const audience = audienceOf(row.audience)
  const members = membersOf(audience, connectorOf(row.external_account_id, row.connected_by))
  const principal = sourcePrincipal(source.sourceId)
  await bumpPermissions(tx, source.organizationId)
  await setMembers(tx, { ...source, principal }, members)
}

/** Whether users choose who may read the sources of this provider. */
export function hasAudience(provider: ProviderId): boolean {
  return !findProvider(provider).reportsReaders
}

/** A mailbox; paths and addresses of pages may have an @ too. */
const MAILBOX = /^[^@/\s]+@[^@/\s]+$/

/** The owner of a mailbox, even if another person connected it; null: unknown. */
export function connectorOf(externalAccountId: string, connectedBy: string | null): string | null {
  return MAILBOX.test(externalAccountId) ? externalAccountId : connectedBy
}

function membersOf(audience: Audience, connector: string | null): string[] {
  if (audience === 'everyone') return [EVERYONE]
  if (audience === 'connector') return connector === null ? [] : [userPrincipal(connector)]
  return audience.map(userPrincipal)
}
