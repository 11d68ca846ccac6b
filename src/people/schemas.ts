import { z } from 'zod'
import { count, moment, text, textOrNull } from '../kernel/schemas.ts'

export const EXAMPLE_GROUP = 'finance'

export const MEMBERS = ['ada@example.com', 'grace@example.com']

export const Group = z
  .object({
    id: text("The group's ID, as access policies name it.", EXAMPLE_GROUP),
    name: textOrNull('Display name.', 'Finance'),
    origin: z.enum(['api', 'scim']).meta({
      description: 'Who manages it: `api`: you; `scim`: your identity provider.',
      example: 'api',
    }),
    memberCount: count('Number of members.', 2),
    members: z.array(z.string()).meta({
      description: 'Addresses of the members; a list shows the first 100 of each group.',
      example: MEMBERS,
    }),
    createdAt: moment('When it was created.'),
    updatedAt: moment('Time of the last change.'),
  })
  .meta({ id: 'Group', description: 'A group of people that access policies can name.' })
export type Group = z.output<typeof Group>
