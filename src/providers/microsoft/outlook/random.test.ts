import { afterAll, expect, it } from 'vitest'
import { pick, type Random } from '../../../../emulators/kit/seed.ts'
import type { EmulatedFolder, EmulatedMail } from '../../../../emulators/microsoft/mail-state.ts'
import { connectForTest, type MicrosoftAccount } from '../../../../test/support/microsoft.ts'
import { createTurmoil, settle } from '../../../../test/connectors/turmoil.ts'
import { rounds, seededRandom } from '../../../../test/support/random.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { createOutlookAdapter, OUTLOOK_SCOPES } from './adapter.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

const OUTSIDE = new Set(['deleteditems', 'junkemail', 'drafts', 'outbox'])

/** One change in the mailbox. */
function change({ microsoft: { mail } }: MicrosoftAccount, random: Random, count: number): void {
  const mails = [...mail.mails.values()]
  const folders = [...mail.folders.values()].filter(({ isSearch }) => !isSearch)
  const own = folders.filter(({ wellKnown }) => wellKnown === null)
  const ofMail: Record<string, (one: EmulatedMail) => void> = {
    edit: (one) => mail.change(one, { text: `Text ${count}` }),
    rename: (one) => mail.change(one, { subject: `Re: Subject ${count}`, categories: ['Blue'] }),
    draft: (one) => mail.change(one, { isDraft: random() < 0.5 }),
    attach: (one) =>
      mail.change(one, {
        attachments: [
          {
            id: `a${count}`,
            kind: pick(random, ['file', 'reference']),
            name: 'notes.txt',
            contentType: 'text/plain',
            bytes: Buffer.from(`Notes ${count}`),
            isInline: false,
          },
        ],
      }),
    move: (one) => mail.move(one, pick(random, folders)),
    moveAndBack(one) {
      const before = mail.folders.get(one.folderId)
      mail.move(one, pick(random, folders))
      if (before !== undefined) mail.move(one, before)
    },
    remove: (one) => mail.remove(one),
  }
  const ofFolder: Record<string, (one: EmulatedFolder) => void> = {
    moveBelow: (one) => mail.moveFolder(one, pick(random, folders)),
    moveUp: (one) => mail.moveFolder(one, null),
    removeFolder: (one) => mail.removeFolder(one),
  }
  const others: Record<string, () => void> = {
    deliver: () =>
      void mail.deliver({
        text: `Mail ${count}`,
        folderId: random() < 0.7 ? mail.known('inbox').id : pick(random, folders).id,
      }),
    addFolder: () =>
      void mail.folder(`Folder ${count}`, { parentId: random() < 0.5 ? pick(random, folders).id : null }),
    search: () => void mail.folder('Unread', { isSearch: true }),
    expire: () => mail.expireTokens(pick(random, folders)),
  }
  const often = Array.from({ length: 5 }, () => ['mail', 'mail', 'deliver', 'deliver', 'folder']).flat()
  const kind = pick(random, [...often, ...Object.keys(others)])
  if (kind === 'mail' && mails.length > 0) ofMail[pick(random, Object.keys(ofMail))]?.(pick(random, mails))
  else if (kind === 'folder' && own.length > 0)
    ofFolder[pick(random, Object.keys(ofFolder))]?.(pick(random, own))
  else others[kind]?.()
}

it.each(Array.from({ length: rounds(2) }, (_unused, round) => round))(
  'what is stored equals the mailbox after changes, faults and killed runs (%i)',
  async (round) => {
    const random = seededRandom(`outlook ${round}`)
    const turmoil = createTurmoil(random, (step) => change(account, random, step))
    const account = await connectForTest({
      scopes: OUTLOOK_SCOPES,
      createAdapter: (settings, clock) =>
        createOutlookAdapter({ settings, clock, extractor, itemsPerPage: 3 }),
      limits: { maxAttempts: 1 },
      meanwhile: turmoil.meanwhile,
    })
    const { microsoft, sync } = account
    await turmoil.run(sync, microsoft.faults, {
      steps: 60,
      disturb: () => void (random() < 0.1 && microsoft.grants.expireAccessTokens()),
    })
    const anew = await settle(account)
    expect(withoutFolders(sync.items)).toEqual(withoutFolders(anew.items))
    expectMailbox(account)
  },
  60_000,
)

/** A mail gets its folder's new name or place with the mail's next change. */
const withoutFolders = (items: MicrosoftAccount['sync']['items']) =>
  Object.fromEntries(
    [...items].map(
      ([
        id,
        {
          metadata: { folder: _folder, ...metadata },
          ...item
        },
      ]) => [id, { ...item, metadata }],
    ),
  )

function expectMailbox({ microsoft: { mail, people }, sync }: MicrosoftAccount): void {
  const isOutside = (id: string | null): boolean => {
    const folder = mail.folders.get(id ?? '')
    if (folder === undefined) return id !== null
    return OUTSIDE.has(folder.wellKnown ?? '') || isOutside(folder.parentId)
  }
  const readable = [...mail.mails.values()].filter(
    ({ isDraft, folderId }) => !isDraft && !isOutside(folderId),
  )
  expect(readable.length).toBeGreaterThan(3)
  expect([...sync.items.keys()].toSorted()).toEqual(
    readable.map(({ id }) => `${people.get('ada').id}/${id}`).toSorted(),
  )
}
