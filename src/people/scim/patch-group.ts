import { z } from 'zod'
import { givenId } from '../../kernel/schemas.ts'
import { GROUP_MEMBERS_MAX } from '../groups.ts'
import { readExternalId, readScimGroup } from './group-shape.ts'
import type { PatchStep } from './patch.ts'
import { scimError } from './scim-error.ts'

export type GroupChange =
  | { kind: 'attributes'; displayName?: string; externalId?: string | null }
  | { kind: 'add' | 'remove' | 'replace'; members: string[] }

/** The changes of a PATCH to a group. Unknown attributes are ignored. @throws AppError `validation_failed` */
export function groupChangesOf(steps: readonly PatchStep[]): GroupChange[] {
  return steps.flatMap((step): GroupChange[] => {
    switch (step.attribute) {
      case 'displayname':
        return [{ kind: 'attributes', displayName: readScimGroup({ displayName: step.value }).displayName }]
      case 'externalid':
        return [{ kind: 'attributes', externalId: readExternalId(step.value) }]
      case 'members':
        return [membersOf(step)]
      default:
        return []
    }
  })
}

const Member = z.union([z.object({ value: givenId }).transform(({ value }) => value), givenId])
const Members = z.union([z.array(Member).max(GROUP_MEMBERS_MAX), Member.transform((member) => [member])])

function membersOf({ op, where, value }: PatchStep): GroupChange {
  if (op === 'remove') {
    if (where !== null) return { kind: 'remove', members: idsOf(where.value) }
    // Microsoft Entra ID names the members to remove in the value; without a value, all are removed.
    return value == null ? { kind: 'replace', members: [] } : { kind: 'remove', members: idsOf(value) }
  }
  return { kind: op, members: idsOf(value) }
}

function idsOf(value: unknown): string[] {
  const parsed = Members.safeParse(value)
  if (parsed.success) return parsed.data
  throw scimError(
    'validation_failed',
    'invalidValue',
    'members must be a list of { "value": "<id of a user>" }',
  )
}
