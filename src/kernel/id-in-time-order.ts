import { randomUUIDv7 } from 'node:crypto'

const VERSION_AT = 14

/**
 * A version 4 UUID, as the API promises, that starts with the time, so that an index of new ids grows at its end. Its
 * last 74 bits are random.
 */
export function idInTimeOrder(): string {
  const id = randomUUIDv7()
  return `${id.slice(0, VERSION_AT)}4${id.slice(VERSION_AT + 1)}`
}
