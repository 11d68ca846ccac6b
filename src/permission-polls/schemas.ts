import { z } from 'zod'
import { count, momentOrNull, textOrNull } from '../kernel/schemas.ts'
import { Audience } from '../sources/index.ts'

export const SourcePermissions = z
  .object({
    kind: z.enum(['items', 'audience', 'pushed']).meta({
      description:
        '`items`: the provider says who can read each item; `audience`: you choose who can read everything; `pushed`: each document has its policy.',
      example: 'items',
    }),
    audience: Audience.nullable().meta({
      description: 'Who can read everything, if you choose the readers.',
      example: null,
    }),
    connector: textOrNull(
      "Address of the mailbox's owner, or of the person who connected another source; null: unknown.",
      null,
    ),
    people: count("Number of people in the provider's workspace, or in the audience.", 42),
    groups: count('Number of groups of the source, such as private channels.', 3),
    checkedAt: momentOrNull('When people, groups and changed permissions were last read.'),
    errorMessage: textOrNull("Why the last read failed, in the provider's words."),
  })
  .meta({
    id: 'SourcePermissions',
    description: "Who can read a source's items, and how fresh that information is.",
  })
export type SourcePermissions = z.output<typeof SourcePermissions>
