import { z } from 'zod'
import { isMissing, ProviderError } from '../../adapter.ts'
import type { GitHub } from '../client.ts'

const Installation = z.object({
  id: z.int(),
  account: z.object({ id: z.int(), login: z.string(), type: z.string() }).nullable().catch(null),
})
const Membership = z.object({
  role: z.string(),
  state: z.string(),
  organization: z.object({ id: z.int() }),
})

/** An account where the app is installed. */
export interface InstalledAccount {
  installation: string
  id: number
  login: string
}

/**
 * Finds the installation that a person connects, with the person's own token, because ids can be guessed. An
 * installation reads all of its repositories, but GitHub lists it to people who read only one. So the person must own
 * the account: it is theirs, or they are an owner of the organization.
 * @throws ProviderError
 */
export async function findOwnInstallation(
  github: GitHub,
  person: number,
  installUrl: () => Promise<string>,
): Promise<InstalledAccount> {
  const own: InstalledAccount[] = []
  const others: string[] = []
  for await (const { data } of github.pages('user/installations', Installation, {}, 'installations')) {
    for (const { id, account } of data) {
      if (account === null) continue
      const { id: accountId, login } = account
      if (await owns(github, person, account)) own.push({ installation: String(id), id: accountId, login })
      else others.push(login)
    }
  }
  const [found, ...more] = own
  if (found === undefined) throw refused(await wordsFor(others, installUrl))
  if (more.length === 0) return found
  const logins = own.map(({ login }) => login).join(', ')
  throw refused(
    `you own several accounts with the app (${logins}), and only one can be connected this way; connect each with an access token as the provider github`,
  )
}

async function owns(
  github: GitHub,
  person: number,
  { id, login, type }: { id: number; login: string; type: string },
): Promise<boolean> {
  if (type !== 'Organization') return type === 'User' && id === person
  try {
    const path = `user/memberships/orgs/${encodeURIComponent(login)}`
    const { role, state, organization } = await github.get(path, Membership)
    return role === 'admin' && state === 'active' && organization.id === id
  } catch (error) {
    if (isMissing(error)) return false
    if (error instanceof ProviderError && error.refusal === 'missing_permission')
      throw refused(
        'the app needs the organization permission Members (read) to see who owns an organization',
      )
    throw error
  }
}

async function wordsFor(others: readonly string[], installUrl: () => Promise<string>): Promise<string> {
  if (others.length > 0)
    return `the app is installed on ${others.join(', ')}, but you are not an owner; only an owner connects it`
  return `the app is not installed on an account of yours; install it at ${await installUrl()} and connect again`
}

const refused = (words: string): ProviderError => new ProviderError('rejected', words)
