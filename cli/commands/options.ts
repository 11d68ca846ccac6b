import { Argument, InvalidArgumentError, Option } from 'commander'

export const PROVIDER_CHOICES = ['slack', 'google_drive', 'notion', 'gmail'] as const

const LIMIT_MAX = 25

/** `--limit`: how many passages, 1 to 25. */
export function limitOption(): Option {
  return new Option('-n, --limit <number>', 'how many passages, 1 to 25 (the service takes 8)').argParser(
    (text) => {
      const limit = Number(text)
      if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
        throw new InvalidArgumentError(`It has to be a whole number from 1 to ${LIMIT_MAX}.`)
      }
      return limit
    },
  )
}

/** `--provider`, which may be given several times. */
export function providersOption(): Option {
  return new Option('--provider <provider...>', 'only from these providers').choices(PROVIDER_CHOICES)
}

/** A comma-separated list without empty entries. */
export function listArgument(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  if (entries.includes('')) throw new InvalidArgumentError('It has to be a list separated by commas.')
  return entries
}

/** The id of a source, which becomes part of a path. */
export function sourceIdArgument(): Argument {
  return new Argument('<source>', 'its id, from "sources list"').argParser((text) => {
    if (!/^[0-9a-f-]{36}$/i.test(text)) {
      throw new InvalidArgumentError('It is no source\'s id; "sources list" shows them.')
    }
    return text.toLowerCase()
  })
}
