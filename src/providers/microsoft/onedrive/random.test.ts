import { afterAll, expect, it } from 'vitest'
import type {
  DriveState,
  EmulatedDrive,
  EmulatedItem,
  Grant,
} from '../../../../emulators/microsoft/drive-state.ts'
import { pick, type Random } from '../../../../emulators/kit/seed.ts'
import { connectForTest, type MicrosoftAccount } from '../../../../test/support/microsoft.ts'
import { createTurmoil, settle, storedBy } from '../../../../test/connectors/turmoil.ts'
import { rounds, seededRandom } from '../../../../test/support/random.ts'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import type { AccessPolicy } from '../../adapter.ts'
import { createOneDriveAdapter, ONEDRIVE_SCOPES } from './adapter.ts'

const STEPS = 60
/** Until then, drives may be read as a whole, which repairs what a run missed. */
const REPAIRED_UNTIL = 25
const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

const GRANTS: Grant[][] = [
  [],
  [{ user: 'bob' }],
  [
    { user: 'cy', roles: ['write'] },
    { group: { id: 'g1', displayName: 'Leads', email: 'leads@acme.example' } },
  ],
  [{ link: 'organization' }],
  [{ link: 'anonymous' }],
  [{ link: 'users', people: ['bob', 'cy'] }],
  [{ user: 'bob', expirationDateTime: '2026-12-01T00:00:00Z' }],
]

/** Folders at several depths, with files. */
function fill(files: DriveState, drive: EmulatedDrive, random: Random): void {
  const folders = [drive.rootId]
  for (let count = 0; count < 5; count += 1)
    folders.push(files.folder(drive, `Area ${count}`, { parentId: pick(random, folders) }).id)
  for (let count = 0; count < 12; count += 1)
    files.add(drive, { content: `First ${count}`, parentId: pick(random, folders) })
}

/** One change at Microsoft. */
function change({ microsoft: { files, drive: own } }: MicrosoftAccount, random: Random, count: number): void {
  const items = [...files.items.values()].filter(({ kind }) => kind !== 'root')
  const drive = pick(random, [...files.drives.values()])
  const places = (one: EmulatedDrive) =>
    [...files.items.values()].filter(
      (item) =>
        item.driveId === one.id && (item.kind === 'root' || item.kind === 'folder') && files.isThere(item),
    )
  const site = pick(random, [...files.sites.values()])
  const ofItem: Record<string, (item: EmulatedItem) => void> = {
    edit: (item) => files.edit(item, { content: `Text ${count}` }),
    empty: (item) => files.edit(item, { content: '' }),
    rename: (item) => files.edit(item, { name: `Name ${count}.txt` }),
    unread: (item) => files.edit(item, { mimeType: 'video/mp4', name: `Film ${count}.mp4` }),
    move(item) {
      const to = places(files.drives.get(item.driveId) ?? own)
      if (to.length > 0) files.move(item, pick(random, to))
    },
    remove: (item) => files.remove(item),
    restore: (item) => files.restore(item),
    hide: (item) => files.hide(item),
    show: (item) => files.hide(item, false),
    share: (item) => files.share(item, { grants: pick(random, GRANTS) }, random() < 0.5),
    part: (item) => files.share(item, { isUnique: random() < 0.5 }),
  }
  const others: Record<string, () => void> = {
    add() {
      const parentId = pick(random, places(drive)).id
      files.add(drive, { content: `File ${count}`, parentId, createdBy: pick(random, ['ada', 'bob']) })
    },
    addFolder: () =>
      void files.folder(drive, `Folder ${count}`, { parentId: pick(random, places(drive)).id }),
    addNotebook: () => void files.add(drive, { kind: 'package', name: 'Notebook' }),
    unfollow: () => void (site.isFollowed = false),
    follow: () => void (site.isFollowed = true),
    close: () => void (site.isClosed = true),
    open: () => void (site.isClosed = false),
    expire: () => void (count < REPAIRED_UNTIL && files.expireTokens(drive)),
  }
  const often = Array.from({ length: 5 }, () => ['item', 'item', 'item', 'add', 'add', 'addFolder']).flat()
  const kind = pick(random, [...often, ...Object.keys(others)])
  if (kind !== 'item') others[kind]?.()
  else {
    const some = random() < 0.4 ? items.filter((item) => item.kind === 'folder') : items
    ofItem[pick(random, Object.keys(ofItem))]?.(pick(random, some))
  }
}

it.each(Array.from({ length: rounds(2) }, (_unused, round) => round))(
  'what is stored equals the source after changes, faults and killed runs (%i)',
  async (round) => {
    const random = seededRandom(`onedrive ${round}`)
    const turmoil = createTurmoil(random, (step) => change(account, random, step))
    const account = await connectForTest({
      scopes: ONEDRIVE_SCOPES,
      createAdapter: (settings, clock) =>
        createOneDriveAdapter({ settings, clock, extractor, itemsPerPage: 4 }),
      limits: { maxAttempts: 1 },
      prepare({ files }) {
        for (const name of ['hr', 'eng'])
          files.createDrive(`Documents of ${name}`, files.createSite(name), [{ siteGroup: 'Members' }])
        for (const drive of files.drives.values()) fill(files, drive, random)
      },
      meanwhile: turmoil.meanwhile,
    })
    const { microsoft, sync } = account
    await turmoil.run(sync, microsoft.faults, {
      steps: STEPS,
      resyncedUntil: REPAIRED_UNTIL,
      disturb: () => void (random() < 0.1 && microsoft.grants.expireAccessTokens()),
    })
    for (const site of microsoft.files.sites.values())
      Object.assign(site, { isFollowed: true, isClosed: false })
    const anew = await settle(account)
    await applyPermissions(account)
    expect(sync.items.size).toBeGreaterThan(3)
    expect(storedBy(sync)).toEqual(storedBy(anew))
    expectReaders(account)
  },
  60_000,
)

/** As the service does after each poll. */
async function applyPermissions({ adapter, sync }: MicrosoftAccount): Promise<void> {
  const { policies, needsRun } = await readPermissions(adapter, sync.session, sync.cursor)
  expect(needsRun).toBe(false)
  for (const [id, policy] of policies) {
    const item = sync.items.get(id)
    if (item === undefined) throw new Error(`${id} has readers, but is not stored`)
    if (policy === null) delete item.metadata.accessPolicy
    else item.metadata.accessPolicy = policy
  }
}

/**
 * Expects that the files of the account's own OneDrive are stored and have exactly the readers they are shared with.
 */
function expectReaders({ microsoft: { files, drive, people }, sync }: MicrosoftAccount): void {
  const readable = [...files.items.values()].filter(
    (item) =>
      item.driveId === drive.id &&
      item.kind === 'file' &&
      item.content !== '' &&
      item.mimeType === 'text/plain' &&
      files.isThere(item),
  )
  const stored = [...sync.items.values()].filter(({ externalId }) => externalId.startsWith(`${drive.id}/`))
  expect(stored.map(({ metadata }) => metadata['fileId']).toSorted()).toEqual(
    readable.map(({ id }) => id).toSorted(),
  )
  for (const item of readable) {
    const grants = files.grantsOf(item).filter(({ expirationDateTime }) => expirationDateTime === undefined)
    const policy: AccessPolicy | undefined = sync.items.get(`${drive.id}/${item.id}`)?.metadata.accessPolicy
    const isPublic = grants.some(({ link }) => link === 'anonymous')
    expect(policy?.visibility === 'public', item.name).toBe(isPublic)
    if (isPublic) continue
    const named = ['ada', ...grants.flatMap(({ user, people: some = [] }) => [user ?? [], some].flat())]
    const addresses = [...new Set(named.map((name) => people.get(name).mail))].toSorted()
    expect(policy?.users, item.name).toEqual(addresses)
    expect((policy?.groups ?? []).length, item.name).toBe(
      new Set(grants.flatMap(({ link, group }) => (link === 'organization' ? ['all'] : (group?.id ?? []))))
        .size,
    )
  }
}
