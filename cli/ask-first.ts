import { confirm, isCancel } from '@clack/prompts'
import { CommandError } from './failures.ts'
import type { Terminal } from './terminal.ts'

/** Asks a person on a terminal; elsewhere nobody could answer. @throws CommandError with `refusal` when they say no */
export async function askFirst(terminal: Terminal, message: string, refusal: string): Promise<void> {
  if (!process.stdin.isTTY || !terminal.stderr.isTTY) return
  const answer = await confirm({ message, initialValue: false, output: terminal.stderr })
  if (isCancel(answer) || !answer) throw new CommandError(refusal)
}
