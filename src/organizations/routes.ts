import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { ROLES } from '../kernel/actions.ts'
import { label } from '../kernel/schemas.ts'
import type { Organizations } from './organizations.ts'

export interface OrganizationServices {
  organizations: Organizations
}

const Organization = z
  .object({ id: z.uuid(), name: z.string(), role: z.enum(ROLES), createdAt: z.iso.datetime() })
  .meta({ id: 'Organization' })

const User = z
  .object({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable() })
  .meta({ id: 'User' })

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
    responses: { 200: z.object({ user: User, organizations: z.array(Organization) }) },
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
    body: z.strictObject({ name: label }),
    responses: { 201: z.object({ organization: Organization }) },
    handle: async ({ principal, body }, { organizations }) =>
      reply(201, { organization: await organizations.create(principal.userId, body.name) }),
  }),
]
