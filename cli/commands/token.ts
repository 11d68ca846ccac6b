import { type Command, InvalidArgumentError } from 'commander'
import { DEVELOPER, fetchConsoleToken } from '../console-token.ts'
import { openSession, printJson } from './session.ts'

/** `token`: a console token of the built-in development issuer. */
export function addTokenCommand(program: Command): void {
  program
    .command('token')
    .description('print a console token of the development issuer, for a service on this machine')
    .option('--email <address>', 'who signs in', address, DEVELOPER)
    .action(printToken)
}

/** The issuer signs in its default user for anything else. */
function address(text: string): string {
  if (!/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(text))
    throw new InvalidArgumentError('It must be an email address.')
  return text
}

async function printToken({ email }: { email: string }, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const answer = await fetchConsoleToken(client.url, email)
  if (json) return printJson(terminal, answer)
  terminal.print(answer.token)
}
