import { z } from 'zod'
import { ROLES } from '../kernel/roles.ts'
import { EXAMPLE_ID, moment, shownId, text, textOrNull } from '../kernel/schemas.ts'
import { INVITATION_DAYS } from '../kernel/retention.ts'

/** Whether people read only what they may read. */
export const PERMISSIONS = ['off', 'enforced'] as const

export const PERMISSIONS_MEANING =
  '`enforced`: in the console, and over MCP with a console token, people find only what they may read.'

export const Organization = z
  .object({
    id: shownId("The workspace's ID, for `X-Organization-Id`.", EXAMPLE_ID.organization),
    name: text("The workspace's name.", 'Acme'),
    role: z.enum(ROLES).describe("The person's role."),
    permissions: z.enum(PERMISSIONS).meta({ description: PERMISSIONS_MEANING, example: 'off' }),
    createdAt: moment('When it was created.'),
  })
  .meta({ id: 'Organization', description: "One of the person's workspaces." })
export type Organization = z.output<typeof Organization>

export const OwnOrganization = Organization.extend({
  hasPlan: z.boolean().meta({
    description: 'Whether its subscription allows searches and questions.',
    example: true,
  }),
}).meta({ id: 'OwnOrganization', description: "One of the person's workspaces, and whether it has a plan." })

export const User = z
  .object({
    id: shownId("The person's ID, as in the audit trail.", EXAMPLE_ID.user),
    email: textOrNull('Email address; null when the identity provider gives none.', 'ada@example.com'),
    name: textOrNull('Name; null when the identity provider gives none.', 'Ada Lovelace'),
  })
  .meta({ id: 'User', description: 'The signed-in person.' })
export type User = z.output<typeof User>

export const RoleOf = (description: string) => z.enum(ROLES).meta({ description, example: 'admin' })

export const Member = z
  .object({
    id: shownId("The person's ID, as in the audit trail.", EXAMPLE_ID.user),
    name: textOrNull('Name; null when the identity provider gives none.', 'Ada Lovelace'),
    email: textOrNull('Email address; null when the identity provider gives none.', 'ada@example.com'),
    role: RoleOf('Role in the workspace.'),
    joinedAt: moment('When the member joined.'),
  })
  .meta({ id: 'Member', description: 'A member of the workspace.' })
export type Member = z.output<typeof Member>

export const Invitation = z
  .object({
    id: shownId("The invitation's ID.", EXAMPLE_ID.invitation),
    role: RoleOf('Role of the person who accepts it.'),
    email: textOrNull('The only address that can accept it; null: anyone with the link.', 'ada@example.com'),
    createdBy: shownId('The person who created it.', EXAMPLE_ID.user),
    createdAt: moment('When it was created.'),
    expiresAt: moment(`Expiry, ${INVITATION_DAYS} days after creation.`, '2026-03-09T09:30:00.000Z'),
  })
  .meta({
    id: 'Invitation',
    description: 'An open invitation, without its secret.',
  })
export type Invitation = z.output<typeof Invitation>

export const InvitationPreview = z
  .object({
    workspace: text("The workspace's name.", 'Acme'),
    invitedBy: textOrNull('Name or address of the person who invites.', 'Grace Hopper'),
    role: RoleOf('Role of the person who accepts it.'),
    email: textOrNull('The only address that can accept it; null: anyone with the link.', 'ada@example.com'),
    expiresAt: moment('Expiry.', '2026-03-09T09:30:00.000Z'),
    signedInAs: textOrNull('Your address.', 'ada@example.com'),
    isForYou: z.boolean().meta({ description: 'Whether you can accept it.', example: true }),
    isMember: z.boolean().meta({ description: 'Whether you are already a member.', example: false }),
  })
  .meta({ id: 'InvitationPreview', description: "What the holder of an invitation's link sees." })
export type InvitationPreview = z.output<typeof InvitationPreview>
