import { yieldToEventLoop } from '../kernel/event-loop.ts'

/** Text produced before other work runs; it takes a few milliseconds. */
const CHARACTERS_A_BURST = 500_000

/** JSON.stringify's text of a response, yielding between entries of lists, which can be megabytes. */
export async function stringifyCooperatively(answer: unknown): Promise<string> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return JSON.stringify(answer)
  // Concatenated, not joined: the characters are copied once, when they are sent.
  let fields = ''
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue
    const text = Array.isArray(value) ? await stringifyList(value) : JSON.stringify(value)
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
