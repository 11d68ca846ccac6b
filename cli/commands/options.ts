import { Argument, InvalidArgumentError, Option } from 'commander'
import { PROVIDERS } from '../../client/src/index.ts'
import { HITS_DEFAULT, HITS_MAX, RECENCY_DAYS_MAX } from '../../src/kernel/limits.ts'

/** Shown in help and completion. The service validates, because deployments can add providers. */
const PROVIDER_CHOICES = PROVIDERS.map(({ id }) => id)

export function providerOption(description: string): Option {
  return new Option('--provider <provider>', description).choices(PROVIDER_CHOICES).argParser(providerId)
}

export function providerArgument(): Argument {
  return new Argument('<provider>').choices(PROVIDER_CHOICES).argParser(providerId)
}

export function providersArgument(): Argument {
  return new Argument('<provider...>').choices(PROVIDER_CHOICES).argParser(severalIds)
}

function providerId(text: string): string {
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(text))
    throw new InvalidArgumentError(`Not a provider ID, such as ${PROVIDER_CHOICES.join(', ')}.`)
  return text
}

function severalIds(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), providerId(text)]
}

/** `--limit`: how many passages. */
export function limitOption(): Option {
  return countOption('passages', { max: HITS_MAX, defaultValue: HITS_DEFAULT })
}

/** `--limit`: a count from 1 to `max`; `defaultValue` describes the default. */
export function countOption(
  what: string,
  { max, defaultValue }: { max: number; defaultValue: number },
): Option {
  const description = `how many ${what}, 1 to ${max} (default: ${defaultValue})`
  return new Option('-n, --limit <number>', description).argParser(wholeNumber(max))
}

/** Parses an option's value as a whole number from `min` to `max`. */
export function wholeNumber(max: number, min = 1): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (text.trim() === '' || !Number.isInteger(number) || number < min || number > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    }
    return number
  }
}

/** `--provider`: a list, which may be repeated. */
export function providersOption(): Option {
  return new Option('--provider <list>', 'only these providers, separated by commas')
    .choices(PROVIDER_CHOICES)
    .argParser((text: string, before: string[] | undefined) => [
      ...(before ?? []),
      ...listArgument(text).map(providerId),
    ])
}

/** `--rank`: the order of passages. */
export function rankOption(): Option {
  return new Option('--rank <order>', 'order of hits').choices(['hybrid', 'vector']).default('hybrid')
}

/** `--recency`: prefers newer items. */
export function recencyOption(): Option {
  const description = 'prefer newer items: half-life in days'
  return new Option('--recency <days>', description).argParser(wholeNumber(RECENCY_DAYS_MAX))
}

/** `--on-behalf-of`: limits reading to one user's permissions. */
export function onBehalfOfOption(): Option {
  return new Option('--on-behalf-of <email>', 'only what this person may read')
}

/** The user field of a request body. */
export function personOf(email: string | undefined): { onBehalfOf?: { email: string } } {
  return email === undefined ? {} : { onBehalfOf: { email } }
}

/** A comma-separated list without empty entries. */
export function listArgument(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  if (entries.includes('')) throw new InvalidArgumentError('It must be a list separated by commas.')
  return entries
}

/** The id of a source, which becomes part of a path. */
export function sourceIdArgument(): Argument {
  return new Argument('<source>', 'ID, from "sources list"').argParser(sourceId)
}

/** The id of a workspace, which becomes part of a path. */
export function organizationArgument(): Argument {
  return new Argument('<organization>', 'ID, from "operator organizations"').argParser((text: string) => {
    if (!isId(text)) throw new InvalidArgumentError('Not a workspace ID; see "operator organizations".')
    return text.toLowerCase()
  })
}

/** `--source`: the id of a source. */
export function sourceIdOption(): Option {
  return new Option('--source <id>', 'only this source (ID from "sources list")').argParser(sourceId)
}

function sourceId(text: string): string {
  if (!isId(text)) throw new InvalidArgumentError('Not a source ID; see "sources list".')
  return text.toLowerCase()
}

const isId = (text: string): boolean => /^[0-9a-f-]{36}$/i.test(text)
