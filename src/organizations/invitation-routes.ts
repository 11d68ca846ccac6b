import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { defineRoute, reply } from '../http/route.ts'
import type { Clock } from '../kernel/clock.ts'
import { EXAMPLE_ID, idOf, moment } from '../kernel/schemas.ts'
import type { Invitations } from './invitations.ts'
import { previewInvitation } from './preview-invitation.ts'
import { asAdmin } from './routes.ts'
import { Invitation, InvitationPreview, Organization, RoleOf } from './schemas.ts'
import { INVITATION_DAYS } from '../kernel/retention.ts'

export interface InvitationServices {
  db: Db
  clock: Clock
  invitations: Invitations
}

const secretOfLink = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: "The link's secret: the part after `#`.", example: 'inv_…' })

export const invitationRoutes = [
  defineRoute<InvitationServices>()({
    operationId: 'consoleListInvitations',
    method: 'GET',
    path: '/v1/console/invitations',
    summary: 'List open invitations, newest first',
    tag: 'Members',
    access: asAdmin,
    audit: 'none',
    responses: {
      200: z.object({
        invitations: z.array(Invitation).describe('Open invitations.'),
      }),
    },
    handle: async ({ caller }, { invitations }) =>
      reply(200, { invitations: await invitations.list(caller.organizationId) }),
  }),
  defineRoute<InvitationServices>()({
    operationId: 'consoleCreateInvitation',
    method: 'POST',
    path: '/v1/console/invitations',
    summary: 'Invite a person to the workspace',
    description:
      `The link works once, within ${INVITATION_DAYS} days. ` +
      'With `email` and a configured mail server, the link is emailed. Otherwise, ' +
      'send it yourself: only this response contains it. Only owners can invite owners.',
    tag: 'Members',
    access: asAdmin,
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
            'Whether the mail server accepted the mail with the link. If `false`, send the link yourself. `null`: no mail was sent, because there is no `email` or no mail server.',
          example: true,
        }),
      }),
    },
    handle: async ({ caller, body }, { invitations }) =>
      reply(201, await invitations.create(caller, body), { 'Cache-Control': 'no-store' }),
  }),
  defineRoute<InvitationServices>()({
    operationId: 'consoleRevokeInvitation',
    method: 'DELETE',
    path: '/v1/console/invitations/{id}',
    summary: 'Revoke an open invitation',
    tag: 'Members',
    access: asAdmin,
    audit: 'invitation.revoke',
    params: z.object({ id: idOf("The invitation's ID, from the list.", EXAMPLE_ID.invitation) }),
    responses: {
      200: z.object({ invitation: Invitation, revokedAt: moment('Time of the revocation.') }),
    },
    handle: async ({ caller, params }, { invitations }) =>
      reply(200, await invitations.revoke(caller, params.id)),
  }),
  defineRoute<InvitationServices>()({
    operationId: 'consolePreviewInvitation',
    method: 'POST',
    path: '/v1/console/invitations/preview',
    summary: 'Show an invitation before accepting it',
    description: 'Changes nothing. The secret is in the body, which keeps it out of logs.',
    tag: 'Members',
    access: { surface: 'user' },
    audit: 'none',
    body: z.strictObject({ token: secretOfLink }),
    refuses: ['invitation_invalid'],
    responses: { 200: z.object({ invitation: InvitationPreview }) },
    handle: async ({ caller, body }, { db, clock }) => {
      const given = { userId: caller.userId, secret: body.token, at: clock.now() }
      return reply(200, { invitation: await previewInvitation(db, given) })
    },
  }),
  defineRoute<InvitationServices>()({
    operationId: 'consoleAcceptInvitation',
    method: 'POST',
    path: '/v1/console/invitations/accept',
    summary: 'Accept an invitation',
    description:
      "For any signed-in person, unless the invitation is for another person's address. Members keep their role; " +
      'accepting again changes nothing.',
    tag: 'Members',
    access: { surface: 'user' },
    audit: 'member.join',
    body: z.strictObject({
      token: secretOfLink,
    }),
    refuses: ['invitation_invalid', 'invitation_for_another', 'member_limit_reached'],
    responses: { 200: z.object({ organization: Organization }) },
    handle: async ({ caller, body }, { invitations }) =>
      reply(200, { organization: await invitations.accept(caller.userId, body.token) }),
  }),
]
