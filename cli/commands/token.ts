import type { Command } from 'commander'
import { DEVELOPER, fetchConsoleToken } from '../console-token.ts'
import { openSession, printJson } from './session.ts'

/** `token`: a console token of the built-in development issuer. */
export function addTokenCommand(program: Command): void {
  program
    .command('token')
    .description('print a console token of the development issuer, for a service on this machine')
    .option('--email <address>', 'who signs in', DEVELOPER)
    .action(printToken)
}

async function printToken({ email }: { email: string }, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const answer = await fetchConsoleToken(client.url, email)
  if (json) return printJson(terminal, answer)
  terminal.print(answer.token)
}
