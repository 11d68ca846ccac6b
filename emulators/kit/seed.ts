import { hash } from 'node:crypto'
import { createRandom } from './random.ts'

/** A source of numbers in [0, 1) that is deterministic per key. */
export type Random = () => number

/** Numbers that depend only on the key, so that the n-th mail can be generated without the ones before it. */
export function randomOf(...key: (string | number)[]): Random {
  // As text, because a buffer takes several times as long.
  const digest = hash('sha256', key.join('\u001f'))
  return createRandom(Buffer.from(digest.slice(0, 8), 'hex').readUInt32LE(0))
}

/** An integer in [min, max]. */
export function between(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1))
}

/** One of the values; throws on an empty list. */
export function pick<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}

/** `length` characters of A-Z and 0-9, like providers' ids. */
export function idOf(random: Random, length: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
  return Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join('')
}

const FIRST_NAMES = [
  'Ana',
  'Ben',
  'Chidi',
  'Dana',
  'Elif',
  'Farid',
  'Grace',
  'Hiro',
  'Ines',
  'Jonas',
  'Kemi',
  'Lars',
]
const LAST_NAMES = [
  'Lima',
  'Okafor',
  'Novak',
  'Haddad',
  'Yilmaz',
  'Moreau',
  'Tanaka',
  'Berg',
  'Silva',
  'Kowalski',
]

/** The n-th person of a seed's company: a name and an address at `domain`. */
export function personOf(index: number, domain: string): { name: string; email: string } {
  const first = FIRST_NAMES[index % FIRST_NAMES.length] ?? 'Ana'
  const last = LAST_NAMES[Math.floor(index / FIRST_NAMES.length) % LAST_NAMES.length] ?? 'Lima'
  const again = Math.floor(index / (FIRST_NAMES.length * LAST_NAMES.length))
  const suffix = again === 0 ? '' : String(again + 1)
  return {
    name: `${first} ${last}${suffix === '' ? '' : ` ${suffix}`}`,
    email: `${first}.${last}${suffix}@${domain}`.toLowerCase(),
  }
}

export const TOPICS = [
  'billing',
  'checkout',
  'search index',
  'onboarding',
  'mobile app',
  'data warehouse',
  'login page',
  'support queue',
  'invoice export',
  'release train',
  'staging cluster',
  'customer survey',
  'travel policy',
  'hiring plan',
  'price list',
  'security review',
  'backup job',
  'office move',
  'partner portal',
  'quarterly report',
] as const

const SENTENCES = [
  'The {topic} needs a second look before {day}.',
  '{person} found out why the {topic} was slow: {number} requests piled up behind one lock.',
  'We agreed to ship the {topic} change on {day} at {number} percent of traffic.',
  'Please keep the notes about the {topic} in one place, {person} will own them.',
  'The budget for the {topic} is {number} thousand for this quarter.',
  'Rollback of the {topic} took {number} minutes; the runbook step about caches was missing.',
  'Two customers asked about the {topic} again, ticket {number} has the details.',
  '{person} is out on {day}, ask {person} about the {topic} instead.',
  'The contract for the {topic} renews in {number} days unless we cancel it.',
  'Nobody touched the {topic} since {day}, so the numbers should be stable.',
] as const

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const

/** `count` plain sentences of office talk about one topic. */
export function sentences(random: Random, count: number, topic: string = pick(random, TOPICS)): string {
  return Array.from({ length: count }, () =>
    pick(random, SENTENCES)
      .replaceAll('{topic}', topic)
      .replaceAll('{day}', () => pick(random, DAYS))
      .replaceAll('{person}', () => pick(random, FIRST_NAMES))
      .replaceAll('{number}', () => String(between(random, 2, 900))),
  ).join(' ')
}
