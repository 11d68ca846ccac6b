import { fold, type FoundEntity, RANK } from './identity.ts'

/**
 * The topics that are not people or organizations of the same item. A topic spelled like a mailbox or domain
 * of the item (`Jörg Keller` beside `joerg.keller@corp.com`, `Acme Foods` beside `acmefoods.com`) becomes a
 * name of its owner, as does a person whom only the text names. A word of a person's name is that person.
 */
export function settleNames(
  found: readonly FoundEntity[],
  topics: readonly FoundEntity[],
): { found: FoundEntity[]; topics: FoundEntity[] } {
  const owners = ownersOf(found)
  const kept = found.filter((entity) => entity.rank !== RANK.name || !giveTo(owners, entity))
  const words = nameWordsOf(kept)
  return {
    found: kept,
    topics: topics.filter(
      (topic) => !giveTo(owners, topic) && !spellingsOf(nameOf(topic)).some((name) => isMadeOf(name, words)),
    ),
  }
}

/** Owners of addresses and domains, by spelling without separators; null: two owners. */
function ownersOf(found: readonly FoundEntity[]): ReadonlyMap<string, FoundEntity | null> {
  const owners = new Map<string, FoundEntity | null>()
  for (const entity of found) {
    const written = writtenOf(entity)
    if (written === null || written.length < 6) continue
    const known = owners.get(written)
    owners.set(written, known === undefined || known?.key === entity.key ? entity : null)
  }
  return owners
}

function writtenOf({ key, rank }: FoundEntity): string | null {
  if (rank !== RANK.address) return null
  const mailbox = /^address:([^@+]+)/.exec(key)?.[1]
  // A mailbox of one word may be an ordinary word.
  if (mailbox !== undefined) return /[._-]/.test(mailbox) ? compact(mailbox) : null
  const domain = /^domain:([^.]+)/.exec(key)?.[1]
  return domain === undefined ? null : compact(domain)
}

/** Adds an entity's names to the owner with the same spelling; false: there is none. */
function giveTo(owners: ReadonlyMap<string, FoundEntity | null>, entity: FoundEntity): boolean {
  const owner = spellingsOf(nameOf(entity))
    .map((name) => owners.get(compact(name)))
    .find((one) => one !== undefined && one !== null)
  if (!owner || owner === entity || (entity.type !== 'topic' && owner.type !== entity.type)) return false
  // One word identifies a company, but not a person.
  if (owner.type === 'person' && !(entity.alias ?? '').includes(' ')) return false
  owner.names = [...owner.names, ...entity.names]
  return true
}

function nameWordsOf(found: readonly FoundEntity[]): ReadonlySet<string> {
  return new Set(
    found
      .filter(({ type }) => type === 'person')
      .flatMap(({ names }) => names.flatMap(({ name }) => spellingsOf(name.replace(/(.)@.+$/, '$1'))))
      .flatMap((name) => name.split(' '))
      .filter((word) => word.length > 1),
  )
}

function isMadeOf(name: string, words: ReadonlySet<string>): boolean {
  return name.split(' ').every((word) => words.has(word))
}

/** A name folded, and folded with umlauts written as two letters. */
function spellingsOf(name: string): string[] {
  const written = name.normalize('NFC').replace(/[äöü]/giu, (letter) => `${letter}e`)
  return [fold(name), fold(written.replaceAll('ß', 'ss'))]
}

function compact(name: string): string {
  return fold(name).replaceAll(' ', '')
}

function nameOf({ names }: FoundEntity): string {
  return names[0]?.name ?? ''
}
