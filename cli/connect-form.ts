import { readFile } from 'node:fs/promises'
import { isCancel, password, text } from '@clack/prompts'
import type { ConnectFormField } from './api-shapes.ts'
import { CommandError, messageOf, UsageError } from './failures.ts'
import { printableLine, type Terminal } from './terminal.ts'

/** Asks for one field; undefined when the user left it empty. @throws CommandError when the user stops */
export type AskField = (field: ConnectFormField) => Promise<string | undefined>

/** Adds `--field`'s `NAME=VALUE`, or `NAME=@FILE` for what must not be in the list of processes. */
export function fieldArgument(argument: string, before: Record<string, string> = {}): Record<string, string> {
  const at = argument.indexOf('=')
  if (at < 1) throw new UsageError('--field must be NAME=VALUE, or NAME=@FILE to read the value from a file')
  return { ...before, [argument.slice(0, at)]: argument.slice(at + 1) }
}

/**
 * The values of a provider's form: those given, and what the user enters for the others.
 * @throws UsageError for a field that the form does not have, or is required and cannot be asked for
 */
export async function fillForm(
  fields: readonly ConnectFormField[],
  given: Readonly<Record<string, string>>,
  ask: AskField | null,
): Promise<Record<string, string>> {
  const names = fields.map(({ name }) => name)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`There is no field ${unknown}; the form has ${names.join(', ')}`)
  const missing = fields.filter(({ name, required }) => required && given[name] === undefined)
  if (ask === null && missing.length > 0) {
    const options = missing.map(({ name }) => `--field ${name}=…`).join(' ')
    throw new UsageError(`The form has required fields and there is no terminal to ask on: add ${options}`)
  }
  const values: Record<string, string> = {}
  for (const field of fields) {
    const option = given[field.name]
    const value = option === undefined ? await ask?.(field) : await valueOf(option)
    if (value !== undefined) values[field.name] = value
  }
  return values
}

/** Asks on the terminal; null when there is none. */
export function askOn(terminal: Terminal): AskField | null {
  if (!process.stdin.isTTY || !terminal.stderr.isTTY) return null
  return async ({ label, help, secret, required }) => {
    const prompt = {
      message: `${printableLine(label)}: ${printableLine(help)}`,
      validate: (value: string | undefined) =>
        required && (value ?? '').trim() === '' ? 'It is required.' : undefined,
      output: terminal.stderr,
    }
    const answer = await (secret ? password(prompt) : text(prompt))
    if (isCancel(answer)) throw new CommandError('Nothing was connected')
    return answer === '' ? undefined : answer
  }
}

async function valueOf(option: string): Promise<string> {
  if (!option.startsWith('@')) return option
  try {
    return (await readFile(option.slice(1), 'utf8')).trim()
  } catch (cause) {
    throw new UsageError(`The file that --field names cannot be read: ${messageOf(cause)}`)
  }
}
