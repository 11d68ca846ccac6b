import { setImmediate as turn } from 'node:timers/promises'

/** Text that is made before other work gets its turn; it takes a few milliseconds. */
const CHARACTERS_A_TURN = 500_000

/**
 * The JSON text of an answer, as JSON.stringify makes it: the entries of its lists one by one, with turns for other work in
 * between, since fifty hits may carry megabytes of metadata.
 * @param answer a JSON value without functions or symbols
 */
export async function stringifyInTurns(answer: unknown): Promise<string> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return JSON.stringify(answer)
  const fields: string[] = []
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue
    const text = Array.isArray(value) ? await stringifyList(value) : JSON.stringify(value)
    fields.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${fields.join()}}`
}

async function stringifyList(list: readonly unknown[]): Promise<string> {
  const texts: string[] = []
  let characters = 0
  for (const entry of list) {
    const text = JSON.stringify(entry) ?? 'null'
    texts.push(text)
    characters += text.length
    if (characters < CHARACTERS_A_TURN) continue
    await turn()
    characters = 0
  }
  return `[${texts.join()}]`
}
