import { loopTurn } from '../kernel/turns.ts'

/** Text produced before other work gets a turn; it takes a few milliseconds. */
const CHARACTERS_A_TURN = 500_000

/** JSON.stringify's text of a response, yielding between entries of lists, which can be megabytes. */
export async function stringifyInTurns(answer: unknown): Promise<string> {
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
  let turnAt = CHARACTERS_A_TURN
  for (const entry of list) {
    entries += `${entries === '' ? '' : ','}${JSON.stringify(entry) ?? 'null'}`
    if (entries.length < turnAt) continue
    await loopTurn()
    turnAt = entries.length + CHARACTERS_A_TURN
  }
  return `[${entries}]`
}
