import type { Source } from './api-shapes.ts'
import { printableLine } from './terminal.ts'

const SHORT_ID_CHARACTERS = 8

type Named = Pick<Source, 'id' | 'displayName' | 'externalAccountId'>

/** A unique name for each source, by id: duplicates add the account or the start of the id. */
export function nameSources(sources: readonly Named[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [name, namesakes] of Map.groupBy(sources, ({ displayName }) => printableLine(displayName))) {
    const accounts = namesakes.map(({ externalAccountId }) => printableLine(externalAccountId))
    const areApart = new Set(accounts).size === accounts.length && !accounts.includes('')
    for (const [at, { id }] of namesakes.entries()) {
      const mark = areApart ? accounts[at] : id.slice(0, SHORT_ID_CHARACTERS)
      names.set(id, namesakes.length === 1 ? name : `${name} (${mark})`)
    }
  }
  return names
}
