import { z } from 'zod'
import { PROVIDERS } from '../providers/index.ts'
import { count, EXAMPLE_ID, moment, shownId, text } from '../kernel/schemas.ts'

export const Provider = z.enum(PROVIDERS).meta({ description: 'The provider.', example: 'slack' })

export const AccessRequest = z
  .object({
    id: shownId("The request's ID.", EXAMPLE_ID.request),
    provider: Provider.meta({ example: 'gmail' }),
    status: z.enum(['pending', 'granted', 'denied']).describe('The status.'),
    createdAt: moment('When it was first requested.'),
  })
  .meta({
    id: 'ConnectorAccessRequest',
    description: 'A request for access to a gated provider.',
  })
export type AccessRequest = z.output<typeof AccessRequest>

const FormFieldView = z
  .object({
    name: text("The field's name in `fields`.", 'token'),
    label: text('Display name.', 'Access token'),
    help: text('What to enter, and where to find it.', 'Create it in your settings.'),
    secret: z
      .boolean()
      .meta({ description: 'Whether the value must be hidden while it is entered.', example: true }),
    multiline: z.boolean().meta({ description: 'Whether the value may have several lines.', example: false }),
    required: z.boolean().meta({ description: 'Whether it is required.', example: true }),
  })
  .meta({ id: 'ConnectFormField', description: 'A field of the form that connects an account.' })

/** A provider's availability to a workspace. */
export const ConnectorView = z.object({
  provider: Provider,
  offered: z.boolean().meta({ description: 'Whether the deployment has its credentials.', example: true }),
  access: z
    .enum(['open', 'required', 'pending', 'granted', 'denied'])
    .describe("Whether the operator's approval is required, and its status."),
  grantable: z.boolean().meta({
    description:
      'Whether you can grant access with `…/connector-access/{provider}/grant`. Only the owner of the local workspace can.',
    example: false,
  }),
  form: z.array(FormFieldView).nullable().meta({
    description: 'The fields to send to `…/connectors/{provider}/connect`; null: start with `…/authorize`.',
    example: null,
  }),
})
export type ConnectorView = z.output<typeof ConnectorView>

export const CleanUpReport = z.object({
  scanned: count('Number of messages checked.', 120),
  deleted: count('Number of messages deleted; in a dry run, the number that would be.', 4),
  dryRun: z.boolean().meta({ description: 'Whether it was a dry run.', example: false }),
})
export type CleanUpReport = z.output<typeof CleanUpReport>
