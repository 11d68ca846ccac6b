import { afterAll, expect, it } from 'vitest'
import { pick, type Random } from '../../../../emulators/kit/seed.ts'
import type { ConfluenceContent, ConfluenceSpace } from '../../../../emulators/confluence/state.ts'
import { type ConfluenceAccount, createConnect } from '../../../../test/support/confluence.ts'
import { createTurmoil, settle, storedBy } from '../../../../test/connectors/turmoil.ts'
import { rounds, seededRandom } from '../../../../test/support/random.ts'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
import { createTextExtractor } from '../../../file-text/index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)

/** One change at Confluence. */
function change({ wiki: { state, unindexed } }: ConfluenceAccount, random: Random, count: number): void {
  const spaces = [...state.spaces.values()]
  const space = pick(random, spaces)
  const contents = [...state.contents.values()]
  const comments = [...state.comments.values()]
  const files = [...state.attachments.values()]
  const restrictions = [
    null,
    null,
    null,
    null,
    { users: ['ada'], groups: [] },
    { users: [], groups: ['staff'] },
    { users: ['bob'], groups: [] },
    { users: ['ada', 'cy'], groups: ['leads'] },
  ]
  const ofContent: Record<string, (content: ConfluenceContent) => void> = {
    edit: (content) => state.edit(content, { body: `<p>Text ${count}</p>` }),
    empty: (content) => state.edit(content, { body: '' }),
    rename: (content) => state.edit(content, { title: `Title ${count}` }),
    moveBelow: (content) => state.move(content, { parent: pick(random, contents) }),
    moveAway: (content) => state.move(content, { space }),
    trash: (content) => state.trash(content),
    archive: (content) => state.archive(content),
    restore: (content) => state.restore(content),
    attach: (content) => void state.attach(content, { name: `file-${count}.txt`, content: `File ${count}` }),
    label: (content) => void (content.labels = random() < 0.5 ? [] : [`label-${count}`, 'wiki']),
    restrict: (content) => void (content.restriction = pick(random, restrictions)),
    comment: (content) =>
      void state.comment(content, {
        body: `<p>Comment ${count}</p>`,
        kind: pick(random, ['footer', 'inline']),
      }),
  }
  const others: Record<string, () => void> = {
    add: () => addTo(space),
    addFolder: () => void state.add(space, { type: 'folder' }),
    addPost: () => void state.add(space, { type: 'blogpost', body: `<p>Post ${count}</p>` }),
    reply() {
      if (comments.length === 0) return
      const parent = pick(random, comments)
      const page = state.contents.get(parent.pageId)
      if (page) state.comment(page, { body: `<p>Reply ${count}</p>`, parentId: parent.id, kind: parent.kind })
    },
    editComment() {
      if (comments.length > 0) state.editComment(pick(random, comments), `<p>Edited ${count}</p>`)
    },
    removeComment() {
      if (comments.length > 0) state.removeComment(pick(random, comments))
    },
    editFile() {
      if (files.length > 0) state.replaceAttachment(pick(random, files), `Changed ${count}`)
    },
    removeFile() {
      if (files.length > 0) state.attachments.delete(pick(random, files).id)
    },
    hideSpace: () => void (space.readers = [{ type: 'user', id: 'bob' }]),
    showSpace: () => void (space.readers = [{ type: 'group', id: pick(random, ['staff', 'leads']) }]),
    renameSpace: () => void (space.name = `Space ${count}`),
    index: () => unindexed.clear(),
  }
  const addTo = (to: ConfluenceSpace): void => {
    const parents = contents.filter(
      ({ spaceId, status, type }) => spaceId === to.id && status === 'current' && type !== 'blogpost',
    )
    const parentId = parents.length > 0 && random() < 0.6 ? pick(random, parents).id : null
    const { id } = state.add(to, { body: `<p>Page ${count}</p>`, parentId })
    if (random() < 0.2) unindexed.add(id)
  }
  const often = Array.from({ length: 6 }, () => ['content', 'content', 'add', 'add']).flat()
  const kind = pick(random, [...often, ...Object.keys(others)])
  if (kind !== 'content') others[kind]?.()
  else if (contents.length > 0) ofContent[pick(random, Object.keys(ofContent))]?.(pick(random, contents))
}

it.each(Array.from({ length: rounds(1) }, (_unused, round) => round))(
  'what is stored equals the source after changes, faults and killed runs (%i)',
  async (round) => {
    const random = seededRandom(`confluence ${round}`)
    const turmoil = createTurmoil(random, (step) => change(account, random, step))
    const account = await connect({
      itemsPerPage: 2,
      searchedMax: 3,
      subjectsMax: 2,
      limits: { maxAttempts: 1 },
      prepare({ state }) {
        state.createSpace('ENG')
        state.groups.set('leads', ['ada', 'cy'])
      },
      meanwhile: turmoil.meanwhile,
    })
    const { wiki, sync, adapter } = account
    await turmoil.run(sync, wiki.faults, { steps: 40 })
    for (const space of wiki.state.spaces.values()) space.readers = [{ type: 'group', id: 'staff' }]
    wiki.unindexed.clear()
    const anew = await settle(account)
    expect(sync.items.size).toBeGreaterThan(3)
    expect(storedBy(sync)).toEqual(storedBy(anew))
    await expectReaders(account, await readPermissions(adapter, sync.session, sync.cursor))
  },
  60_000,
)

/** Expects that each stored page has exactly the readers it has at Confluence. */
async function expectReaders(
  { wiki: { state }, sync }: ConfluenceAccount,
  { groups, policies }: Awaited<ReturnType<typeof readPermissions>>,
): Promise<void> {
  const stored = new Map([...sync.items].map(([id, { metadata }]) => [id, metadata.accessPolicy]))
  expect(policies).toEqual(stored)
  for (const { externalId, metadata } of sync.items.values()) {
    const page = state.contents.get(externalId.split('/')[1] ?? '')
    if (page === undefined) throw new Error(`${externalId} is stored, but gone`)
    const named = (metadata.accessPolicy?.groups ?? []).flatMap((id) => groups.get(id)?.users ?? [])
    const reading = [...state.people.values()].filter(({ accountId }) => state.reads(accountId, page))
    expect(named.toSorted(), externalId).toEqual(reading.map(({ email }) => email).toSorted())
  }
}
