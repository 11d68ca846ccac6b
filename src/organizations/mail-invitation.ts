import type { Db } from '../database/database.ts'
import type { Role } from '../kernel/roles.ts'
import type { Mail } from '../mail/index.ts'
import { shortLine } from '../text/short-line.ts'

interface Invited {
  role: Role
  createdBy: string
  expiresAt: string
}

const NAME_CHARACTERS_MAX = 100
/** Characters that break a line or change the writing direction, so that a name stays within its sentence. */
const BEYOND_A_NAME = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/** The mail of an invitation for an address, as plain text: names and addresses in it are never markup. */
export async function describeInvitation(
  db: Db,
  organizationId: string,
  { invitation, to, url }: { invitation: Invited; to: string; url: string },
): Promise<Mail> {
  const organization = await db
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const inviter = await db
    .selectFrom('users')
    .select(['name', 'email'])
    .where('id', '=', invitation.createdBy)
    .executeTakeFirst()
  const workspace = shortName(organization.name)
  const names = [inviter?.name, inviter?.email && `(${inviter.email})`].filter(
    (part) => part != null && part !== '',
  )
  const from = names.length === 0 ? 'An admin' : shortName(names.join(' '))
  const until = new Date(invitation.expiresAt).toLocaleDateString('en-US', {
    dateStyle: 'long',
    timeZone: 'UTC',
  })
  const article = /^[aeiou]/.test(invitation.role) ? 'an' : 'a'
  return {
    to,
    subject: `Invitation to the workspace ${workspace}`,
    text: [
      `${from} invites you to join the workspace "${workspace}" as ${article} ${invitation.role}.`,
      `To join, open this link and sign in as ${to}. It works once, until ${until}:`,
      url,
      "If you don't expect this invitation, ignore this mail.",
      '',
    ].join('\n\n'),
  }
}

function shortName(name: string): string {
  return shortLine(name.replace(BEYOND_A_NAME, ' '), NAME_CHARACTERS_MAX)
}
