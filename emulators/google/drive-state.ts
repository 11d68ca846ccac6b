import {
  driveIdOf,
  fileIdOf,
  fileIndexOf,
  folderIdOf,
  folderIndexOf,
  rootOf,
  seededFile,
  seededFolder,
  seededText,
  DOCUMENT,
  FOLDER,
  SHORTCUT,
  type DriveSeed,
  type EmulatedFile,
  type Permission,
} from './drive-seed.ts'

/** An entry of the change log names the file to look at, not what happened. */
interface LogEntry {
  feed: string
  fileId: string
}

export interface NewFile {
  name: string
  mimeType?: string
  content?: string | Uint8Array
  folderId?: string
  driveId?: string | null
  permissions?: Permission[] | null
  /** Anyone with the link may read it, but no list shows it. */
  unlisted?: boolean
}

/** Changes of a test or user to the emulated Drive; its log has what Google would report. */
export interface DriveState {
  /** Ids of the seed: the n-th file, folder, shared drive (from 1). */
  fileId(index: number): string
  folderId(index: number): string
  driveId(number: number): string
  get(id: string): EmulatedFile | null
  textOf(file: EmulatedFile): string
  create(file: NewFile): string
  createFolder(name: string, parentId?: string): string
  createShortcut(name: string, targetId: string, folderId?: string): string
  /** Changes content, name, place or permissions. */
  update(
    id: string,
    change: Partial<
      Pick<EmulatedFile, 'name' | 'content' | 'parent' | 'permissions' | 'augmented' | 'limited' | 'driveId'>
    >,
  ): void
  trash(id: string): void
  untrash(id: string): void
  /** Deletes permanently. */
  remove(id: string): void
  /** The account loses access, also to a folder's contents, which the log does not report. */
  unshare(id: string): void
  leaveDrive(driveId: string): void
  joinDrive(driveId: string): void
  renameDrive(driveId: string, name: string): void
  /** Sets a shared drive's members; no log reports it. */
  setMembers(driveId: string, members: Permission[]): void
  /** Invalidates all change tokens issued so far. */
  expireChangeTokens(): void
  /** Invalidates all list page tokens issued so far. */
  expirePageTokens(): void
}

/** Adds what only the routes need. */
export interface DriveStore extends DriveState {
  /** The connected account's address. */
  readonly account: string
  isVisible(file: EmulatedFile): boolean
  isTrashed(file: EmulatedFile): boolean
  isListed(file: EmulatedFile, feed: string): boolean
  drives(): { id: string; name: string }[]
  /** Null: the seed's members. */
  membersOf(driveId: string): Permission[] | null
  /** The n-th file that exists or existed, seeded ones first; undefined after the last. */
  at(position: number): EmulatedFile | null | undefined
  log: readonly LogEntry[]
  oldestChange(): number
  listGeneration(): number
}

export const MY_FEED = 'my'

/** Shared by changes and routes. */
interface DriveCore {
  seed: DriveSeed
  now: () => number
  touched: Map<string, EmulatedFile | null>
  created: string[]
  left: Set<string>
  /** New names of shared drives. */
  renamed: Map<string, string>
  log: LogEntry[]
  get(id: string): EmulatedFile | null
  /** Whether the file or a folder above it passes the test: trashing a folder applies to everything below. */
  some(file: EmulatedFile, test: (file: EmulatedFile) => boolean): boolean
  drives(): { id: string; name: string }[]
}

/** A Drive generated from a seed. Memory holds only touched files. */
export function createDriveStore(seed: DriveSeed, now: () => number): DriveStore {
  const core = createCore(seed, now)
  const { left, log, created, get, some } = core
  const members = new Map<string, Permission[]>()
  let oldest = 0
  let generation = 0
  const isVisible = (file: EmulatedFile) =>
    (file.driveId === null || !left.has(file.driveId)) && !some(file, (one) => !one.shared)
  return {
    account: seed.account,
    ...actsOn(core),
    leaveDrive: (driveId) => void left.add(driveId),
    joinDrive: (driveId) => void left.delete(driveId),
    renameDrive: (driveId, name) => void core.renamed.set(driveId, name),
    setMembers: (driveId, who) => void members.set(driveId, who),
    membersOf: (driveId) => members.get(driveId) ?? null,
    expireChangeTokens: () => {
      oldest = log.length + 1
      // So that a token taken now is valid.
      log.push({ feed: 'none', fileId: '' })
    },
    expirePageTokens: () => {
      generation += 1
    },
    isVisible,
    isTrashed: (file) => some(file, (one) => one.trashed),
    isListed: (file, feed) =>
      (file.driveId ?? MY_FEED) === feed && isVisible(file) && !some(file, (one) => one.unlisted),
    drives: core.drives,
    at: (position) => {
      if (position < seed.folders) return get(folderIdOf(position))
      if (position < seed.folders + seed.files) return get(fileIdOf(position - seed.folders))
      const id = created[position - seed.folders - seed.files]
      return id === undefined ? undefined : get(id)
    },
    log,
    oldestChange: () => oldest,
    listGeneration: () => generation,
  }
}

function createCore(seed: DriveSeed, now: () => number): DriveCore {
  const touched = new Map<string, EmulatedFile | null>()
  const left = new Set<string>()

  function get(id: string): EmulatedFile | null {
    const known = touched.get(id)
    if (known !== undefined) return known
    const file = fileIndexOf(id)
    if (file !== null && file < seed.files) return seededFile(seed, file)
    const folder = folderIndexOf(id)
    return folder !== null && folder < seed.folders ? seededFolder(seed, folder) : null
  }

  function some(file: EmulatedFile, test: (file: EmulatedFile) => boolean): boolean {
    let current: EmulatedFile | null = file
    for (let depth = 0; current && depth < 100; depth += 1) {
      if (test(current)) return true
      current = current.parent === null ? null : get(current.parent)
    }
    return false
  }

  const all = Array.from({ length: seed.sharedDrives }, (_, index) => ({
    id: driveIdOf(index + 1),
    name: `Team ${index + 1}`,
  }))
  const renamed = new Map<string, string>()
  const drives = () =>
    all.filter(({ id }) => !left.has(id)).map(({ id, name }) => ({ id, name: renamed.get(id) ?? name }))
  return { seed, now, touched, created: [], left, renamed, log: [], get, some, drives }
}

type Acts = Omit<
  DriveState,
  'leaveDrive' | 'joinDrive' | 'renameDrive' | 'setMembers' | 'expireChangeTokens' | 'expirePageTokens'
>

function actsOn(core: DriveCore): Acts {
  const { seed, now, touched, get } = core

  function existing(id: string): EmulatedFile {
    const file = get(id)
    if (!file) throw new Error(`no such file: ${id}`)
    return file
  }

  /** Only files created since the start; seeded files stay in place. */
  const filesBelow = (id: string): EmulatedFile[] =>
    core.created
      .map(get)
      .filter((file) => file !== null)
      .filter((file) => file.id !== id && core.some(file, (one) => one.id === id))

  function edit(id: string, change: Partial<EmulatedFile>): void {
    const file = existing(id)
    const edited = { ...file, ...change }
    touched.set(id, edited)
    note(core, file)
    if (edited.driveId === file.driveId) return
    note(core, edited)
    // A folder's contents move with it, and neither log reports it.
    for (const below of filesBelow(id)) touched.set(below.id, { ...below, driveId: edited.driveId })
  }

  return {
    fileId: fileIdOf,
    folderId: folderIdOf,
    driveId: driveIdOf,
    get,
    textOf: (file) => {
      if (typeof file.content === 'string') return file.content
      const index = fileIndexOf(file.id)
      return index === null ? '' : seededText(seed, index)
    },
    create: ({ folderId, ...file }) =>
      add(core, { ...file, parent: folderId ?? (file.unlisted ? null : (file.driveId ?? rootOf(0))) }),
    createFolder: (name, parentId) => add(core, { name, mimeType: FOLDER, parent: parentId ?? rootOf(0) }),
    createShortcut: (name, targetId, folderId) =>
      add(core, { name, mimeType: SHORTCUT, targetId, parent: folderId ?? rootOf(0) }),
    // As at Google, new permissions alone leave modifiedTime unchanged.
    update: (id, change) =>
      edit(id, { ...change, ...('name' in change || 'content' in change ? { modifiedAt: now() } : {}) }),
    trash: (id) => edit(id, { trashed: true }),
    untrash: (id) => edit(id, { trashed: false }),
    remove: (id) => {
      const file = existing(id)
      for (const below of filesBelow(id)) touched.set(below.id, null)
      touched.set(id, null)
      note(core, file)
    },
    unshare: (id) => edit(id, { shared: false }),
  }
}

function note(core: DriveCore, file: EmulatedFile): void {
  core.log.push({ feed: file.driveId ?? MY_FEED, fileId: file.id })
}

function add(
  core: DriveCore,
  file: Omit<NewFile, 'folderId'> & { parent: string | null; targetId?: string },
): string {
  const { account } = core.seed
  const id = `1New${String(core.created.length).padStart(8, '0')}`
  const time = core.now()
  const driveId = file.driveId === undefined ? driveOf(core, file.parent) : file.driveId
  const own: Permission = { id: `p-${account}`, type: 'user', emailAddress: account }
  const made: EmulatedFile = {
    id,
    name: file.name,
    mimeType: file.mimeType ?? DOCUMENT,
    driveId,
    parent: file.parent,
    owner: { name: 'Demo User', email: file.unlisted ? 'stranger@elsewhere.example' : account },
    createdAt: time,
    modifiedAt: time,
    trashed: false,
    shared: true,
    unlisted: file.unlisted ?? false,
    permissions: file.permissions === undefined ? (driveId === null ? [own] : null) : file.permissions,
    augmented: [],
    limited: false,
    targetId: file.targetId ?? null,
    content: file.content ?? '',
  }
  core.touched.set(id, made)
  core.created.push(id)
  if (!made.unlisted) note(core, made)
  return id
}

/** The shared drive that contains the parent; null in My Drive. */
function driveOf(core: DriveCore, parent: string | null): string | null {
  if (parent === null) return null
  const isRoot = core.drives().some((drive) => drive.id === parent)
  return isRoot ? parent : (core.get(parent)?.driveId ?? null)
}
