import { yieldToEventLoop } from '../kernel/event-loop.ts'

/** Text produced before other work runs; it takes a few milliseconds. */
const CHARACTERS_A_BURST = 500_000

/** A longer text takes milliseconds to write and to send. */
const LONG_TEXT_CHARACTERS = 100_000

/**
 * JSON.stringify's text of a response, yielding between entries of lists, which can be megabytes, and before the
 * long text of an item, because many items can be read at once.
 */
export async function stringifyCooperatively(answer: unknown): Promise<string> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return JSON.stringify(answer)
  // Concatenated, not joined: the characters are copied once, when they are sent.
  let fields = ''
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue
    const text = Array.isArray(value) ? await stringifyList(value) : await stringifyOne(value)
    fields += `${fields === '' ? '' : ','}${JSON.stringify(name)}:${text}`
  }
  return `{${fields}}`
}

async function stringifyList(list: readonly unknown[]): Promise<string> {
  let entries = ''
  let yieldAt = CHARACTERS_A_BURST
  for (const entry of list) {
    entries += `${entries === '' ? '' : ','}${JSON.stringify(entry) ?? 'null'}`
    if (entries.length < yieldAt) continue
    await yieldToEventLoop()
    yieldAt = entries.length + CHARACTERS_A_BURST
  }
  return `[${entries}]`
}

async function stringifyOne(value: unknown): Promise<string> {
  if (hasLongText(value)) await yieldToEventLoop()
  return JSON.stringify(value)
}

function hasLongText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((text) => typeof text === 'string' && text.length > LONG_TEXT_CHARACTERS)
}
