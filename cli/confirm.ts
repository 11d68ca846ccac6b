import { confirm, isCancel, text } from '@clack/prompts'
import { CommandError, UsageError } from './failures.ts'
import { printableLine, type Terminal } from './terminal.ts'

/** Asks for confirmation on a terminal only. @throws CommandError with `refusal` when the user declines */
export async function askFirst(terminal: Terminal, message: string, refusal: string): Promise<void> {
  if (!process.stdin.isTTY || !terminal.stderr.isTTY) return
  const answer = await confirm({ message, initialValue: false, output: terminal.stderr })
  if (isCancel(answer) || !answer) throw new CommandError(refusal)
}

/**
 * Asks the user to type a displayed name before an irreversible action.
 * @throws UsageError without a terminal; CommandError with `refusal` when the user types something else
 */
export async function askForName(
  terminal: Terminal,
  { warning, name, refusal }: { warning: string; name: string; refusal: string },
): Promise<void> {
  if (!process.stdin.isTTY || !terminal.stderr.isTTY)
    throw new UsageError(`${refusal}: no terminal to confirm on; pass --yes to skip the confirmation`)
  const answer = await text({ message: `${warning} Type its name to continue.`, output: terminal.stderr })
  if (isCancel(answer) || answer.trim() !== printableLine(name)) throw new CommandError(refusal)
}
