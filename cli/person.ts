import type { Command } from 'commander'
import { type ApiClient, createApiClient } from './api-client.ts'
import { Me } from './api-shapes.ts'
import { DEVELOPER, fetchConsoleToken } from './console-token.ts'
import { CommandError, UsageError } from './failures.ts'
import { printableLine } from './terminal.ts'

/** The options that identify a user and a workspace. */
export interface PersonOptions {
  token?: string
  organization?: string
}

export function addPersonOptions(command: Command): Command {
  return command
    .option(
      '--token <token>',
      'console token (MEMORY_CONSOLE_TOKEN; default: one from the development issuer)',
    )
    .option('--organization <id>', 'the workspace, if you are in several')
}

/** The user's console token. @throws CommandError when there is none, and no way to sign in */
export async function tokenOf(url: string, options: PersonOptions): Promise<string> {
  return options.token ?? process.env.MEMORY_CONSOLE_TOKEN ?? (await fetchConsoleToken(url, DEVELOPER)).token
}

/**
 * The user's client in the chosen workspace.
 * @throws UsageError when the choice is ambiguous; CommandError when there is none, or no way to sign in
 */
export async function signIn(
  url: string,
  options: PersonOptions,
): Promise<{ person: ApiClient; organizationId: string }> {
  const key = await tokenOf(url, options)
  const me = createApiClient({ url, key })
  const { organizations } = await me.call(Me, { method: 'GET', path: '/v1/console/me' })
  const [first, ...others] = organizations.filter(
    ({ id }) => options.organization === undefined || id === options.organization,
  )
  if (first === undefined)
    throw new CommandError(
      'You are not a member of that workspace, or you have none yet: create one in the console',
    )
  if (others.length > 0) {
    const names = organizations.map(({ id, name }) => `  ${id}  ${printableLine(name)}`).join('\n')
    throw new UsageError(`You are in several workspaces: name one with --organization\n${names}`)
  }
  return { person: createApiClient({ url, key, organizationId: first.id }), organizationId: first.id }
}
