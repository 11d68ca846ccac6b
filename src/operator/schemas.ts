import { z } from 'zod'
import { Subscription } from '../billing/index.ts'
import { providerOf } from '../providers/index.ts'
import { EXAMPLE_ID, moment, momentOrNull, shownId, text, textOrNull } from '../kernel/schemas.ts'

export const Organization = z
  .object({
    id: shownId("The organization's ID.", EXAMPLE_ID.organization),
    name: text("The organization's name.", 'Acme'),
    createdAt: moment('When it was created.'),
    removedAt: momentOrNull('When its removal began; null: not being removed.', null),
    subscription: Subscription.nullable().describe("The organization's plan; null: none."),
  })
  .meta({ id: 'OperatorOrganization', description: 'An organization, for the operator.' })
export type Organization = z.output<typeof Organization>

const accessFields = {
  id: shownId("The request's ID.", EXAMPLE_ID.request),
  organizationId: shownId('The workspace that requested access.', EXAMPLE_ID.organization),
  provider: providerOf('The gated provider.').meta({ example: 'gmail' }),
  status: z.enum(['pending', 'granted', 'denied']).describe('Status of the request.'),
  createdAt: moment('Time of the first request.'),
  updatedAt: moment('Time of the last change.'),
}

export const ConnectorAccess = z
  .object({ ...accessFields, status: accessFields.status.meta({ example: 'granted' }) })
  .meta({ id: 'OperatorConnectorAccess', description: "An organization's access to a gated provider." })
export type ConnectorAccess = z.output<typeof ConnectorAccess>

export const WaitingRequest = z
  .object({
    ...accessFields,
    organizationName: text("The organization's name.", 'Acme'),
    requestedByUserId: z
      .uuid()
      .nullable()
      .meta({ description: 'The person who made the request.', example: EXAMPLE_ID.user }),
    requestedByEmail: textOrNull('Email address, if known.', 'ada@example.com'),
  })
  .meta({ id: 'OperatorConnectorRequest', description: 'An open request for access to a gated provider.' })
export type WaitingRequest = z.output<typeof WaitingRequest>
