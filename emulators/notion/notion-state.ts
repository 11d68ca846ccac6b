import { createHash } from 'node:crypto'
import { between, personOf, pick, randomOf, sentences, TOPICS } from '../kit/seed.ts'

export interface NotionSeed {
  seed: string
  /** Pages outside databases. */
  pages: number
  databases: number
  rowsPerDatabase: number
  users: number
  /** The last edit is shortly before this time (epoch milliseconds). */
  endsAt: number
  days: number
}

export const DEFAULT_NOTION_SEED: NotionSeed = {
  seed: 'acme',
  pages: 40,
  databases: 2,
  rowsPerDatabase: 15,
  users: 6,
  endsAt: Date.UTC(2026, 0, 15, 12),
  days: 60,
}

/** A page, row or data source. A database has one data source, with its own id. */
export interface EmulatedObject {
  id: string
  kind: 'page' | 'data_source'
  title: string
  parentId: string | null
  /** Own Markdown without children; null: generated from the seed on demand. */
  markdown: string | null
  createdBy: string
  createdAt: number
  editedAt: number
  inTrash: boolean
  isShared: boolean
  /** Search does not find it, since Notion's search misses objects too. */
  isHidden: boolean
  /** It is on the web, with everything in it. */
  isPublished: boolean
}

/** The current workspace. Times are truncated to the minute, as at Notion. */
export interface NotionEmulatorState {
  readonly objects: ReadonlyMap<string, Readonly<EmulatedObject>>
  users(): { id: string; name: string; email: string }[]
  /** Shared, and neither it nor a container of it is in the trash. */
  isVisible(object: Readonly<EmulatedObject>): boolean
  /** It or a container of it is published. */
  isPublic(object: Readonly<EmulatedObject>): boolean
  /** Visible objects (or the trash), most recently edited first; `all` includes those that search misses. */
  listed(inTrash: boolean): readonly Readonly<EmulatedObject>[]
  children(id: string): Readonly<EmulatedObject>[]
  /** A page's content without its children's tags. */
  contentOf(object: Readonly<EmulatedObject>): string
  create(input: {
    title: string
    parentId?: string | null
    markdown?: string
    kind?: 'page' | 'data_source'
  }): string
  edit(id: string, change: { title?: string; markdown?: string }): void
  /** Changes an object and leaves its edit time. */
  set(id: string, change: Partial<Omit<EmulatedObject, 'id'>>): void
  move(id: string, parentId: string | null): void
  trash(id: string): void
  restore(id: string): void
  setShared(id: string, isShared: boolean): void
  hideFromSearch(id: string): void
}

const MINUTE = 60_000
const toMinute = (time: number) => Math.floor(time / MINUTE) * MINUTE

/** The database of a data source. */
export const databaseIdOf = (dataSourceId: string): string => uuidOf('database', dataSourceId)

/** A workspace generated from a seed: a tree of pages, and databases with rows. */
export function createNotionState(seed: NotionSeed, now: () => number): NotionEmulatorState {
  const objects = new Map<string, EmulatedObject>()
  const users = Array.from({ length: seed.users }, (_unused, index) => ({
    id: uuidOf(seed.seed, 'user', index),
    ...personOf(index, 'acme.example'),
  }))
  for (const object of seededObjects(seed, users)) objects.set(object.id, object)

  // Computed once per change: a large workspace is listed much more often than it changes.
  const lists = new Map<boolean, Readonly<EmulatedObject>[]>()
  let byParent: Map<string | null, Readonly<EmulatedObject>[]> | null = null
  const put = (object: EmulatedObject): void => {
    objects.set(object.id, object)
    lists.clear()
    byParent = null
  }
  const set: NotionEmulatorState['set'] = (id, change) => {
    const object = objects.get(id)
    if (!object) throw new Error(`no object ${id}`)
    put(Object.assign(object, change))
  }
  const edit: NotionEmulatorState['set'] = (id, change) => set(id, { editedAt: toMinute(now()), ...change })
  const isVisible = (object: Readonly<EmulatedObject>) =>
    object.isShared && !isInAny(objects, object, ({ inTrash }) => inTrash)
  const list = (inTrash: boolean): Readonly<EmulatedObject>[] =>
    [...objects.values()]
      .filter((object) => (inTrash ? object.isShared && object.inTrash : isVisible(object)))
      .filter((object) => !object.isHidden)
      .toSorted((left, right) => right.editedAt - left.editedAt || (left.id < right.id ? -1 : 1))

  return {
    objects,
    users: () => users,
    isVisible,
    isPublic: (object) => isInAny(objects, object, ({ isPublished }) => isPublished),
    listed(inTrash) {
      const known = lists.get(inTrash) ?? list(inTrash)
      lists.set(inTrash, known)
      return known
    },
    children(id) {
      byParent ??= Map.groupBy(objects.values(), ({ parentId }) => parentId)
      return (byParent.get(id) ?? []).filter(isVisible)
    },
    contentOf: (object) => object.markdown ?? seededMarkdown(seed, object),
    create: ({ title, parentId = null, markdown = '', kind = 'page' }) => {
      const id = uuidOf(seed.seed, 'created', objects.size)
      const at = toMinute(now())
      const createdBy = users[0]?.id ?? ''
      const rest = {
        createdBy,
        createdAt: at,
        editedAt: at,
        inTrash: false,
        isShared: true,
        isHidden: false,
        isPublished: false,
      }
      put({ id, kind, title, parentId, markdown, ...rest })
      return id
    },
    edit,
    set,
    move: (id, parentId) => edit(id, { parentId }),
    // It is undocumented whether trashing changes the last edit time: here it does not.
    trash: (id) => set(id, { inTrash: true }),
    restore: (id) => set(id, { inTrash: false }),
    setShared: (id, isShared) => set(id, { isShared }),
    hideFromSearch: (id) => set(id, { isHidden: true }),
  }
}

/** Whether something holds for an object or a container of it. */
function isInAny(
  objects: ReadonlyMap<string, Readonly<EmulatedObject>>,
  object: Readonly<EmulatedObject>,
  holds: (object: Readonly<EmulatedObject>) => boolean,
): boolean {
  const parent = object.parentId === null ? undefined : objects.get(object.parentId)
  return holds(object) || (parent !== undefined && isInAny(objects, parent, holds))
}

function seededObjects(seed: NotionSeed, users: { id: string }[]): EmulatedObject[] {
  const objects: EmulatedObject[] = []
  const add = (kind: 'page' | 'data_source', title: string, parentId: string | null) => {
    const random = randomOf(seed.seed, 'object', objects.length)
    const editedAt = toMinute(seed.endsAt - Math.floor(random() * seed.days * 86_400_000))
    const createdAt = toMinute(editedAt - Math.floor(random() * 30 * 86_400_000))
    const createdBy = pick(random, users).id
    const id = uuidOf(seed.seed, 'object', objects.length)
    const rest = {
      createdBy,
      createdAt,
      editedAt,
      inTrash: false,
      isShared: true,
      isHidden: false,
      isPublished: false,
    }
    objects.push({ id, kind, title, parentId, markdown: null, ...rest })
    return id
  }
  const pages: string[] = []
  for (let i = 0; i < seed.pages; i += 1) {
    const random = randomOf(seed.seed, 'page', i)
    const topic = pick(random, TOPICS)
    // Every eighth page is at the top; the others lie in an earlier one.
    const parentId = i % 8 === 0 ? null : pick(random, pages)
    pages.push(add('page', `${titleCase(topic)} notes ${i + 1}`, parentId))
  }
  for (let i = 0; i < seed.databases; i += 1) {
    const random = randomOf(seed.seed, 'database', i)
    const source = add('data_source', `${titleCase(pick(random, TOPICS))} tracker ${i + 1}`, pages[i] ?? null)
    for (let row = 0; row < seed.rowsPerDatabase; row += 1) {
      add('page', `Task ${i + 1}.${row + 1}: ${pick(random, TOPICS)}`, source)
    }
  }
  return objects
}

function seededMarkdown(seed: NotionSeed, object: Readonly<EmulatedObject>): string {
  const random = randomOf(seed.seed, 'content', object.id)
  const paragraphs = Array.from({ length: between(random, 1, 4) }, () =>
    sentences(random, between(random, 2, 5)),
  )
  return [`# ${object.title}`, ...paragraphs, `- [ ] ${sentences(random, 1)}`].join('\n')
}

const titleCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** An id in Notion's format, deterministic per key. */
export function uuidOf(...key: (string | number)[]): string {
  const hex = createHash('sha256').update(key.join('\u001f')).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}
