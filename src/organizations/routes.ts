import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { ROLES } from '../kernel/actions.ts'
import { EXAMPLE_ID, label, moment, shownId, text, textOrNull } from '../kernel/schemas.ts'
import type { Organizations } from './organizations.ts'

export interface OrganizationServices {
  organizations: Organizations
}

const Organization = z
  .object({
    id: shownId("The workspace's id, for `X-Organization-Id`.", EXAMPLE_ID.organization),
    name: text('Its name.', 'Acme'),
    role: z.enum(ROLES).describe('What the person is in it.'),
    createdAt: moment('When it was made.'),
  })
  .meta({ id: 'Organization', description: 'A workspace of the person.' })

const User = z
  .object({
    id: shownId("The person's id, as the audit trail has it.", EXAMPLE_ID.user),
    email: textOrNull('Their address, where the identity provider tells it.', 'ada@example.com'),
    name: textOrNull('Their name, likewise.', 'Ada Lovelace'),
  })
  .meta({ id: 'User', description: 'The person who is signed in.' })

export const organizationRoutes = [
  defineRoute<OrganizationServices>()({
    operationId: 'consoleMe',
    method: 'GET',
    path: '/v1/console/me',
    summary: 'Who is signed in, and their workspaces',
    tag: 'Workspaces',
    access: { surface: 'user' },
    credits: 0,
    audit: 'none',
    responses: {
      200: z.object({ user: User, organizations: z.array(Organization).describe('Their workspaces.') }),
    },
    handle: async ({ principal }, { organizations }) =>
      reply(200, await organizations.describeUser(principal.userId)),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleCreateOrganization',
    method: 'POST',
    path: '/v1/console/organizations',
    summary: 'Make a workspace',
    tag: 'Workspaces',
    access: { surface: 'user' },
    credits: 0,
    audit: 'organization.create',
    body: z.strictObject({
      name: label.meta({ description: 'What the workspace is called.', example: 'Acme' }),
    }),
    responses: { 201: z.object({ organization: Organization }) },
    handle: async ({ principal, body }, { organizations }) =>
      reply(201, { organization: await organizations.create(principal.userId, body.name) }),
  }),
]
