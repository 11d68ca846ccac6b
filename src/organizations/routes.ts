import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { EXAMPLE_ID, idOf, label, moment } from '../kernel/schemas.ts'
import type { Members } from './members.ts'
import type { Organizations } from './organizations.ts'
import {
  PERMISSIONS,
  PERMISSIONS_MEANING,
  Organization,
  OwnOrganization,
  User,
  RoleOf,
  Member,
} from './schemas.ts'

export interface OrganizationServices {
  organizations: Organizations
  members: Members
}

const memberId = z.object({ id: idOf("The person's ID, from the list of members.", EXAMPLE_ID.user) })

const asMember = { surface: 'console', role: 'member', action: 'admin' } as const

export const asAdmin = { surface: 'console', role: 'admin', action: 'admin' } as const

export const organizationRoutes = [
  defineRoute<OrganizationServices>()({
    operationId: 'consoleMe',
    method: 'GET',
    path: '/v1/console/me',
    summary: 'Show the signed-in person and their workspaces',
    tag: 'Workspaces',
    access: { surface: 'user' },
    audit: 'none',
    responses: {
      200: z.object({
        user: User,
        organizations: z.array(OwnOrganization).describe("The person's workspaces."),
      }),
    },
    handle: async ({ caller }, { organizations }) =>
      reply(200, await organizations.describeUser(caller.userId)),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleCreateOrganization',
    method: 'POST',
    path: '/v1/console/organizations',
    summary: 'Create a workspace',
    tag: 'Workspaces',
    access: { surface: 'user' },
    audit: 'organization.create',
    body: z.strictObject({
      name: label.meta({ description: 'Name of the workspace.', example: 'Acme' }),
    }),
    responses: { 201: z.object({ organization: Organization }) },
    handle: async ({ caller, body }, { organizations }) =>
      reply(201, { organization: await organizations.create(caller.userId, body.name) }),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleUpdateOrganization',
    method: 'PATCH',
    path: '/v1/console/organizations/{id}',
    summary: 'Rename the workspace, or enforce permissions',
    description: '`X-Organization-Id` names the workspace. Only owners can change `permissions`.',
    tag: 'Workspaces',
    access: asAdmin,
    audit: 'organization.update',
    params: z.object({ id: idOf("The workspace's ID.", EXAMPLE_ID.organization) }),
    body: z
      .strictObject({
        name: label.optional().meta({ description: 'New name of the workspace.', example: 'Acme' }),
        permissions: z.enum(PERMISSIONS).optional().describe(PERMISSIONS_MEANING),
      })
      .refine((body) => Object.keys(body).length > 0, 'must change something'),
    responses: { 200: z.object({ organization: Organization }) },
    handle: async ({ caller, params, body }, { organizations }) =>
      reply(200, { organization: await organizations.update(caller, params.id, body) }),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleListMembers',
    method: 'GET',
    path: '/v1/console/members',
    summary: 'List the members of the workspace',
    tag: 'Members',
    access: asMember,
    audit: 'none',
    responses: {
      200: z.object({ members: z.array(Member).describe('Members in the order of joining.') }),
    },
    handle: async ({ caller }, { members }) =>
      reply(200, { members: await members.list(caller.organizationId) }),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleUpdateMember',
    method: 'PATCH',
    path: '/v1/console/members/{id}',
    summary: "Change a member's role",
    description:
      "Owners can assign any role; admins can change the roles of admins and members. The last owner's role cannot change.",
    tag: 'Members',
    access: asAdmin,
    audit: 'member.update',
    params: memberId,
    body: z.strictObject({ role: RoleOf('The new role.') }),
    refuses: ['last_owner'],
    responses: { 200: z.object({ member: Member }) },
    handle: async ({ caller, params, body }, { members }) =>
      reply(200, { member: await members.changeRole(caller, params.id, body.role) }),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleRemoveMember',
    method: 'DELETE',
    path: '/v1/console/members/{id}',
    summary: 'Remove a member, or leave',
    description:
      'Takes effect with their next request. Keys that they created stay, because keys belong to the workspace; their open ' +
      'invitations are revoked. Anyone can leave, except the last owner.',
    tag: 'Members',
    access: asMember,
    audit: 'member.remove',
    params: memberId,
    refuses: ['last_owner'],
    responses: {
      200: z.object({
        member: Member.describe('The member before the removal.'),
        removedAt: moment('Time of the removal.'),
      }),
    },
    handle: async ({ caller, params }, { members }) => reply(200, await members.remove(caller, params.id)),
  }),
]
