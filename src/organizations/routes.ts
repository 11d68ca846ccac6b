import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { defineRoute, reply } from '../http/route.ts'
import { ROLES } from '../kernel/actions.ts'
import type { Clock } from '../kernel/clock.ts'
import { EXAMPLE_ID, idOf, label, moment, shownId, text, textOrNull } from '../kernel/schemas.ts'
import type { Invitations } from './invitations.ts'
import type { Members } from './members.ts'
import { type Organizations, PERMISSIONS } from './organizations.ts'
import { previewInvitation } from './preview-invitation.ts'

export interface OrganizationServices {
  db: Db
  clock: Clock
  organizations: Organizations
  members: Members
  invitations: Invitations
}

const PERMISSIONS_MEANING =
  '`enforced`: in the console, and over MCP with a console token, people find only what they may read.'

const Organization = z
  .object({
    id: shownId("The workspace's id, for `X-Organization-Id`.", EXAMPLE_ID.organization),
    name: text('Its name.', 'Acme'),
    role: z.enum(ROLES).describe("The person's role."),
    permissions: z.enum(PERMISSIONS).meta({ description: PERMISSIONS_MEANING, example: 'off' }),
    createdAt: moment('When it was made.'),
  })
  .meta({ id: 'Organization', description: "One of the person's workspaces." })

const OwnOrganization = Organization.extend({
  hasPlan: z.boolean().meta({
    description: 'Whether its subscription answers searches and questions.',
    example: true,
  }),
}).meta({ id: 'OwnOrganization', description: "One of the person's workspaces, and whether it has a plan." })

const User = z
  .object({
    id: shownId("The person's ID, as in the audit trail.", EXAMPLE_ID.user),
    email: textOrNull('E-mail address; null when the identity provider gives none.', 'ada@example.com'),
    name: textOrNull('Their name, likewise.', 'Ada Lovelace'),
  })
  .meta({ id: 'User', description: 'The signed-in person.' })

const RoleOf = (description: string) => z.enum(ROLES).meta({ description, example: 'admin' })

const Member = z
  .object({
    id: shownId("The person's ID, as in the audit trail.", EXAMPLE_ID.user),
    name: textOrNull('Name; null when the identity provider gives none.', 'Ada Lovelace'),
    email: textOrNull('Their address, likewise.', 'ada@example.com'),
    role: RoleOf('Role in the workspace.'),
    joinedAt: moment('Since when.'),
  })
  .meta({ id: 'Member', description: 'A member of the workspace.' })

const Invitation = z
  .object({
    id: shownId("The invitation's ID.", EXAMPLE_ID.invitation),
    role: RoleOf('Role of the person who accepts it.'),
    email: textOrNull('The only address that can accept it; null: anyone with the link.', 'ada@example.com'),
    createdBy: shownId('The person who created it.', EXAMPLE_ID.user),
    createdAt: moment('When it was made.'),
    expiresAt: moment('Expiry, seven days after creation.', '2026-03-09T09:30:00.000Z'),
  })
  .meta({
    id: 'Invitation',
    description: 'An open invitation, without its secret.',
  })

const InvitationPreview = z
  .object({
    workspace: text("The workspace's name.", 'Acme'),
    invitedBy: textOrNull('Name or address of the person who invites.', 'Grace Hopper'),
    role: RoleOf('Role of the person who accepts it.'),
    email: textOrNull('The only address that can accept it; null: anyone with the link.', 'ada@example.com'),
    expiresAt: moment('Expiry.', '2026-03-09T09:30:00.000Z'),
    signedInAs: textOrNull('Your address.', 'ada@example.com'),
    isForYou: z.boolean().meta({ description: 'Whether you can accept it.', example: true }),
    isMember: z.boolean().meta({ description: 'Whether you are a member already.', example: false }),
  })
  .meta({ id: 'InvitationPreview', description: "What the holder of an invitation's link sees." })

const secretOfLink = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: "The link's secret: the part after `#`.", example: 'inv_…' })

const memberId = z.object({ id: idOf("The person's ID, from the list of members.", EXAMPLE_ID.user) })
const asMember = { surface: 'console', role: 'member', action: 'admin' } as const
const asAdmin = { surface: 'console', role: 'admin', action: 'admin' } as const

export const organizationRoutes = [
  defineRoute<OrganizationServices>()({
    operationId: 'consoleMe',
    method: 'GET',
    path: '/v1/console/me',
    summary: 'Show the signed-in person and their workspaces',
    tag: 'Workspaces',
    access: { surface: 'user' },
    credits: 0,
    audit: 'none',
    responses: {
      200: z.object({ user: User, organizations: z.array(OwnOrganization).describe('Their workspaces.') }),
    },
    handle: async ({ principal }, { organizations }) =>
      reply(200, await organizations.describeUser(principal.userId)),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleCreateOrganization',
    method: 'POST',
    path: '/v1/console/organizations',
    summary: 'Create a workspace',
    tag: 'Workspaces',
    access: { surface: 'user' },
    credits: 0,
    audit: 'organization.create',
    body: z.strictObject({
      name: label.meta({ description: 'Name of the workspace.', example: 'Acme' }),
    }),
    responses: { 201: z.object({ organization: Organization }) },
    handle: async ({ principal, body }, { organizations }) =>
      reply(201, { organization: await organizations.create(principal.userId, body.name) }),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleUpdateOrganization',
    method: 'PATCH',
    path: '/v1/console/organizations/{id}',
    summary: 'Rename the workspace, or enforce permissions',
    description: '`X-Organization-Id` names the workspace. Only owners can change `permissions`.',
    tag: 'Workspaces',
    access: asAdmin,
    credits: 0,
    audit: 'organization.update',
    params: z.object({ id: idOf("The workspace's id.", EXAMPLE_ID.organization) }),
    body: z
      .strictObject({
        name: label.optional().meta({ description: 'New name of the workspace.', example: 'Acme' }),
        permissions: z.enum(PERMISSIONS).optional().describe(PERMISSIONS_MEANING),
      })
      .refine((body) => Object.keys(body).length > 0, 'must change something'),
    responses: { 200: z.object({ organization: Organization }) },
    handle: async ({ principal, params, body }, { organizations }) =>
      reply(200, { organization: await organizations.update(principal, params.id, body) }),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleListMembers',
    method: 'GET',
    path: '/v1/console/members',
    summary: 'List the members of the workspace',
    tag: 'Members',
    access: asMember,
    credits: 0,
    audit: 'none',
    responses: {
      200: z.object({ members: z.array(Member).describe('Members in the order of joining.') }),
    },
    handle: async ({ principal }, { members }) =>
      reply(200, { members: await members.list(principal.organizationId) }),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleUpdateMember',
    method: 'PATCH',
    path: '/v1/console/members/{id}',
    summary: "Change a member's role",
    description:
      'Owners can give any role; admins can switch admins and members. The last owner keeps the role.',
    tag: 'Members',
    access: asAdmin,
    credits: 0,
    audit: 'member.update',
    params: memberId,
    body: z.strictObject({ role: RoleOf('The new role.') }),
    refuses: ['last_owner'],
    responses: { 200: z.object({ member: Member }) },
    handle: async ({ principal, params, body }, { members }) =>
      reply(200, { member: await members.changeRole(principal, params.id, body.role) }),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleRemoveMember',
    method: 'DELETE',
    path: '/v1/console/members/{id}',
    summary: 'Remove a member, or leave',
    description:
      'Applies to their next request. Keys that they created stay, because keys belong to the workspace; their open ' +
      'invitations are revoked. Anyone can leave, except the last owner.',
    tag: 'Members',
    access: asMember,
    credits: 0,
    audit: 'member.remove',
    params: memberId,
    refuses: ['last_owner'],
    responses: {
      200: z.object({
        member: Member.describe('The member before the removal.'),
        removedAt: moment('Time of the removal.'),
      }),
    },
    handle: async ({ principal, params }, { members }) =>
      reply(200, await members.remove(principal, params.id)),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleListInvitations',
    method: 'GET',
    path: '/v1/console/invitations',
    summary: 'List open invitations, newest first',
    tag: 'Members',
    access: asAdmin,
    credits: 0,
    audit: 'none',
    responses: {
      200: z.object({
        invitations: z.array(Invitation).describe('Open invitations.'),
      }),
    },
    handle: async ({ principal }, { invitations }) =>
      reply(200, { invitations: await invitations.list(principal.organizationId) }),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleCreateInvitation',
    method: 'POST',
    path: '/v1/console/invitations',
    summary: 'Invite a person to the workspace',
    description:
      'The link works once, within seven days. With `email` and a configured mail server, it is mailed. Otherwise send ' +
      'it yourself: only this response contains it. Only owners can invite owners.',
    tag: 'Members',
    access: asAdmin,
    credits: 0,
    audit: 'member.invite',
    body: z.strictObject({
      role: RoleOf('Role of the person who accepts it.'),
      email: z.email().max(320).optional().meta({
        description:
          'Only a person with this address, verified by the identity provider, can accept it. Default: anyone with the link.',
        example: 'ada@example.com',
      }),
    }),
    refuses: ['invitation_limit_reached'],
    responses: {
      201: z.object({
        invitation: Invitation,
        url: z.url().meta({
          description: 'The link. Store it now: it is shown only once.',
          example: 'https://memory.example.com/console/invitation#inv_Zk3vQ9aL',
        }),
        isMailed: z.boolean().nullable().meta({
          description:
            'Whether the mail server accepted the mail with the link. If `false`, send the link yourself. `null`: no mail, without `email` or without a mail server.',
          example: true,
        }),
      }),
    },
    handle: async ({ principal, body }, { invitations }) =>
      reply(201, await invitations.create(principal, body), { 'Cache-Control': 'no-store' }),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleRevokeInvitation',
    method: 'DELETE',
    path: '/v1/console/invitations/{id}',
    summary: 'Withdraw an open invitation',
    tag: 'Members',
    access: asAdmin,
    credits: 0,
    audit: 'invitation.revoke',
    params: z.object({ id: idOf("The invitation's ID, from the list.", EXAMPLE_ID.invitation) }),
    responses: {
      200: z.object({ invitation: Invitation, revokedAt: moment('Time of the revocation.') }),
    },
    handle: async ({ principal, params }, { invitations }) =>
      reply(200, await invitations.revoke(principal, params.id)),
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consolePreviewInvitation',
    method: 'POST',
    path: '/v1/console/invitations/preview',
    summary: 'Show an invitation before accepting it',
    description: 'Changes nothing. The secret is in the body, so that no log has it.',
    tag: 'Members',
    access: { surface: 'user' },
    credits: 0,
    audit: 'none',
    body: z.strictObject({ token: secretOfLink }),
    refuses: ['invitation_invalid'],
    responses: { 200: z.object({ invitation: InvitationPreview }) },
    handle: async ({ principal, body }, { db, clock }) => {
      const given = { userId: principal.userId, secret: body.token, at: clock.now() }
      return reply(200, { invitation: await previewInvitation(db, given) })
    },
  }),
  defineRoute<OrganizationServices>()({
    operationId: 'consoleAcceptInvitation',
    method: 'POST',
    path: '/v1/console/invitations/accept',
    summary: 'Accept an invitation',
    description:
      "For any signed-in person, unless the invitation is for another person's address. Members keep their role; " +
      'accepting again changes nothing.',
    tag: 'Members',
    access: { surface: 'user' },
    credits: 0,
    audit: 'member.join',
    body: z.strictObject({
      token: secretOfLink,
    }),
    refuses: ['invitation_invalid', 'invitation_for_another', 'member_limit_reached'],
    responses: { 200: z.object({ organization: Organization }) },
    handle: async ({ principal, body }, { invitations }) =>
      reply(200, { organization: await invitations.accept(principal.userId, body.token) }),
  }),
]
