import { between, personOf, pick, randomOf, sentences, TOPICS } from '../kit/seed.ts'
import { presentationOf, workbookOf } from './file-formats.ts'

export const FOLDER = 'application/vnd.google-apps.folder'
export const SHORTCUT = 'application/vnd.google-apps.shortcut'
export const DOCUMENT = 'application/vnd.google-apps.document'
export const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const EXCEL = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const POWERPOINT = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'

export interface Permission {
  id: string
  type: 'user' | 'group' | 'domain' | 'anyone'
  emailAddress?: string
  domain?: string
  allowFileDiscovery?: boolean
  /** The account was deleted. */
  deleted?: boolean
  /** `published`: it is of what is published of the file, not of the file. */
  view?: string
  /** Whether the permission is on the file or a folder (`file`), or that of a member of the drive (`member`). */
  permissionDetails?: { permissionType: 'file' | 'member' }[]
}

/** A file, folder or shortcut of the emulated Drive. */
export interface EmulatedFile {
  id: string
  name: string
  mimeType: string
  /** The shared drive's id; null in somebody's own Drive. */
  driveId: string | null
  parent: string | null
  owner: { name: string; email: string }
  createdAt: number
  modifiedAt: number
  trashed: boolean
  /** False once the account may no longer see it. */
  shared: boolean
  /** Anyone with the link may read it, but it is in nobody's list. */
  unlisted: boolean
  /** Null: Google does not tell (files of shared drives). */
  permissions: Permission[] | null
  /** Those given on a file of a shared drive, beside its members. */
  augmented: Permission[]
  /** A folder that does not pass on who may see what is above it. */
  limited: boolean
  targetId: string | null
  /** What is downloaded or exported; made from the seed when null. */
  content: string | Uint8Array | null
}

export interface DriveSeed {
  seed: string
  account: string
  domain: string
  files: number
  folders: number
  sharedDrives: number
}

type Kind = readonly [mimeType: string, extension: string]

// Which kinds of files there are: they take turns.
const KINDS: readonly Kind[] = [
  [DOCUMENT, ''],
  [DOCUMENT, ''],
  [DOCUMENT, ''],
  ['application/pdf', '.pdf'],
  ['application/vnd.google-apps.spreadsheet', ''],
  [WORD, '.docx'],
  ['text/markdown', '.md'],
  ['application/vnd.google-apps.presentation', ''],
  ['text/plain', '.txt'],
  ['text/html', '.html'],
  ['image/png', '.png'],
]

// What takes turns at the place of the Word file.
const OFFICE_KINDS: readonly Kind[] = [
  [WORD, '.docx'],
  [EXCEL, '.xlsx'],
  [POWERPOINT, '.pptx'],
]

function kindOf(index: number): Kind {
  const kind = KINDS[index % KINDS.length] ?? [DOCUMENT, '']
  const turn = Math.floor(index / KINDS.length) % OFFICE_KINDS.length
  return kind[0] === WORD ? (OFFICE_KINDS[turn] ?? kind) : kind
}

export const rootOf = (drive: number) => (drive === 0 ? 'root-of-my-drive' : driveIdOf(drive))
export const driveIdOf = (drive: number) => `0Ashareddrive${String(drive).padStart(3, '0')}`

/** Number 0 is My Drive; every tenth file out of three lies in a shared drive, where there is one. */
function driveOfFile(seed: DriveSeed, index: number): number {
  if (seed.sharedDrives === 0 || index % 10 < 7) return 0
  return 1 + (Math.floor(index / 10) % seed.sharedDrives)
}

/** The n-th folder of the seed. Folders are dealt out over the drives in turn, three at the top of each. */
export function seededFolder(seed: DriveSeed, index: number): EmulatedFile {
  const drives = seed.sharedDrives + 1
  const drive = index % drives
  const place = Math.floor(index / drives)
  const parent = place < 3 ? rootOf(drive) : folderIdOf((Math.floor(place / 3) - 1) * drives + drive)
  const topic = TOPICS[place % TOPICS.length] ?? 'notes'
  return {
    ...base(seed, `${seed.seed}-folder-${index}`, drive),
    id: folderIdOf(index),
    name: `${topic} ${place}`,
    mimeType: FOLDER,
    parent,
  }
}

/** The n-th file of the seed. */
export function seededFile(seed: DriveSeed, index: number): EmulatedFile {
  const drive = driveOfFile(seed, index)
  const random = randomOf(seed.seed, 'file', index)
  const [mimeType, extension] = kindOf(index)
  const places = Math.floor((seed.folders - drive + seed.sharedDrives) / (seed.sharedDrives + 1))
  const place = between(random, 0, Math.max(0, places - 1))
  const parent = places <= 0 ? rootOf(drive) : folderIdOf(place * (seed.sharedDrives + 1) + drive)
  const name = `${pick(random, TOPICS)} ${index}${extension}`
  const file = {
    ...base(seed, `${seed.seed}-file-${index}`, drive),
    id: fileIdOf(index),
    name,
    mimeType,
    parent,
  }
  return { ...file, content: officeContent(seed, index, mimeType) }
}

/** The bytes of a workbook or presentation that says what the seed's text says; null for other kinds. */
function officeContent(seed: DriveSeed, index: number, mimeType: string): Uint8Array | null {
  if (mimeType !== EXCEL && mimeType !== POWERPOINT) return null
  const parts = seededText(seed, index)
    .split('\n\n')
    .map((text) => text.split(/(?<=\.) /))
  if (mimeType === POWERPOINT) {
    return presentationOf(
      parts.map(([title = '', ...lines]) => ({ title, lines, notes: lines.at(-1) ?? '' })),
    )
  }
  const random = randomOf(seed.seed, 'cells', index)
  const day = () => new Date(Date.UTC(2025, 0, 1) + between(random, 0, 365) * 86_400_000)
  const sheets = parts.map((lines, number) => {
    const rows = lines.map((line) => [
      line,
      personOf(between(random, 0, 40), seed.domain).name,
      day(),
      between(random, 1, 900),
    ])
    return { name: `Sheet${number + 1}`, rows: [['Topic', 'Owner', 'Due', 'Cost'], ...rows] }
  })
  return workbookOf(sheets)
}

/** The words in a file of the seed. */
export function seededText(seed: DriveSeed, index: number): string {
  const random = randomOf(seed.seed, 'text', index)
  const paragraphs = Array.from({ length: between(random, 2, 5) }, () => sentences(random, 5))
  return paragraphs.join('\n\n')
}

export const fileIdOf = (index: number) => `1File${String(index).padStart(8, '0')}`
export const folderIdOf = (index: number) => `1Folder${String(index).padStart(6, '0')}`

/** The number in a seeded file's id, or null. */
export function fileIndexOf(id: string): number | null {
  const digits = /^1File(\d{8})$/.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

export function folderIndexOf(id: string): number | null {
  const digits = /^1Folder(\d{6})$/.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** Who may see a file of the seed: mostly its owner and a colleague, sometimes the whole domain or anybody. */
export function permissionsOf(seed: DriveSeed, key: string, owner: string): Permission[] {
  const random = randomOf(key, 'permissions')
  const own: Permission = { id: `p-${owner}`, type: 'user', emailAddress: owner }
  const luck = random()
  if (luck < 0.3) return [own]
  if (luck < 0.6)
    return [own, { id: `p-${seed.domain}`, type: 'domain', domain: seed.domain, allowFileDiscovery: false }]
  if (luck < 0.65) return [own, { id: 'anyoneWithLink', type: 'anyone', allowFileDiscovery: false }]
  const { email } = personOf(between(random, 0, 40), seed.domain)
  return [own, { id: `p-${email}`, type: 'user', emailAddress: email }]
}

function base(seed: DriveSeed, key: string, drive: number) {
  const random = randomOf(key)
  const other = personOf(between(random, 0, 40), seed.domain)
  const owner = random() < 0.6 ? { name: 'Demo User', email: seed.account } : other
  const createdAt = Date.UTC(2025, 0, 1) + between(random, 0, 300) * 86_400_000
  return {
    driveId: drive === 0 ? null : driveIdOf(drive),
    owner,
    createdAt,
    modifiedAt: createdAt + between(random, 0, 200) * 3_600_000,
    trashed: false,
    shared: true,
    unlisted: false,
    permissions: drive === 0 ? permissionsOf(seed, key, owner.email) : null,
    augmented: [],
    limited: false,
    targetId: null,
    content: null,
  }
}
