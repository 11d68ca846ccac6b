import type {
  GroupMembers,
  JsonValue,
  PermissionsPage,
  ProviderAdapter,
  ProviderSession,
} from '../../src/providers/adapter.ts'

/** All permissions that an adapter reports for a source. */
export interface ReadPermissions {
  workspace: string[] | undefined
  groups: Map<string, GroupMembers>
  policies: Map<string, PermissionsPage['policies'][number]['accessPolicy']>
  groupIds: string[] | null
  needsRun: boolean
}

/** Reads the permissions of a source whose runs are at `cursor`. */
export async function readPermissions(
  adapter: ProviderAdapter,
  session: ProviderSession,
  cursor: JsonValue | null,
  groupIds: string[] = [],
): Promise<ReadPermissions> {
  const pages = adapter.listPermissions?.(session, { cursor, groupIds: new Set(groupIds) })
  if (!pages) throw new Error(`${adapter.provider} does not tell who may read`)
  const read: ReadPermissions = {
    workspace: undefined,
    groups: new Map(),
    policies: new Map(),
    groupIds: null,
    needsRun: false,
  }
  for (;;) {
    const next = await pages.next()
    if (next.done) return { ...read, ...next.value }
    const { workspace, groups, policies } = next.value
    read.workspace ??= workspace
    for (const { id, members } of groups) read.groups.set(id, members)
    for (const { externalId, accessPolicy } of policies) read.policies.set(externalId, accessPolicy)
  }
}
