import { z } from 'zod'
import { EXAMPLE_ID, moment, momentOrNull, shownId, text } from '../../kernel/schemas.ts'

export const ScimToken = z
  .object({
    id: shownId("The token's ID.", EXAMPLE_ID.apiKey),
    name: text('Purpose of the token.', 'Okta'),
    prefix: text('The first characters of the secret, to recognize the token.', 'scim_Zk3vQ9aL'),
    createdBy: shownId('The person who created it.', EXAMPLE_ID.user),
    lastUsedAt: momentOrNull('Last use, to the minute; null: never.', null),
    createdAt: moment('When it was created.'),
  })
  .meta({ id: 'ScimToken', description: 'A token with which an identity provider provisions people.' })
export type ScimToken = z.output<typeof ScimToken>
