import type { Role } from '../../src/kernel/roles.ts'
import { addMember } from '../../src/organizations/index.ts'
import type { TestIssuer } from './issuer.ts'
import type { TestService } from './service.ts'

export interface Person {
  userId: string
  token: string
}

/** A signed-in user who is a member of the workspace with this role. */
export async function signIn(
  service: TestService,
  issuer: TestIssuer,
  subject: string,
  membership?: { organizationId: string; role: Role },
): Promise<Person> {
  const token = await issuer.token({ subject })
  const { status, body } = await service.call('GET', '/v1/console/me', { key: token })
  if (status !== 200) throw new Error(`signing in answered ${status}: ${JSON.stringify(body)}`)
  const userId: string = body.user.id
  if (membership) await addMember(service.database.db, { ...membership, userId, at: new Date() })
  return { userId, token }
}
