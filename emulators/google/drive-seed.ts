import { between, personOf, pick, randomOf, sentences, TOPICS } from '../kit/seed.ts'
import { presentationOf, workbookOf } from './file-formats.ts'

export const FOLDER = 'application/vnd.google-apps.folder'
export const SHORTCUT = 'application/vnd.google-apps.shortcut'
export const SPREADSHEET = 'application/vnd.google-apps.spreadsheet'
export const DOCUMENT = 'application/vnd.google-apps.document'
export const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
export const EXCEL = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const POWERPOINT = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'

export interface Permission {
  id: string
  type: 'user' | 'group' | 'domain' | 'anyone'
  emailAddress?: string
  domain?: string
  allowFileDiscovery?: boolean
  /** The account was deleted. */
  deleted?: boolean
  /** `published` covers the published version of the file, not the file. */
  view?: string
  /** Whether the permission is set on the file or a folder (`file`), or comes from drive membership (`member`). */
  permissionDetails?: { permissionType: 'file' | 'member' }[]
}

export interface EmulatedFile {
  id: string
  name: string
  mimeType: string
  /** The shared drive's id; null in a user's own Drive. */
  driveId: string | null
  parent: string | null
  owner: { name: string; email: string }
  createdAt: number
  modifiedAt: number
  trashed: boolean
  /** False once the account may no longer see it. */
  shared: boolean
  /** Anyone with the link may read it, but no list contains it. */
  unlisted: boolean
  /** Null: Google hides them (files of shared drives). */
  permissions: Permission[] | null
  /** Permissions on a file of a shared drive, in addition to its members. */
  augmented: Permission[]
  /** A folder that does not inherit permissions. */
  limited: boolean
  targetId: string | null
  /** The downloaded or exported content; null: generated from the seed. */
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

// File types in rotation.
const KINDS: readonly Kind[] = [
  [DOCUMENT, ''],
  [DOCUMENT, ''],
  [DOCUMENT, ''],
  ['application/pdf', '.pdf'],
  [SPREADSHEET, ''],
  [WORD, '.docx'],
  ['text/markdown', '.md'],
  ['application/vnd.google-apps.presentation', ''],
  ['text/plain', '.txt'],
  ['text/html', '.html'],
  ['image/gif', '.gif'],
]

// Office types that rotate in the Word file's place.
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

/** Number 0 is My Drive. If shared drives exist, three of ten files lie in one. */
function driveOfFile(seed: DriveSeed, index: number): number {
  if (seed.sharedDrives === 0 || index % 10 < 7) return 0
  return 1 + (Math.floor(index / 10) % seed.sharedDrives)
}

/** The n-th folder of the seed. Folders rotate over the drives, with three at the top of each. */
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

/** The bytes of a workbook or presentation with the seed's text; null for other types. */
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

/** Readers of a seeded file: usually its owner and a colleague, sometimes the whole domain or anyone. */
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
