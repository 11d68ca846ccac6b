export interface EmulatedAttachment {
  id: string
  kind: 'file' | 'item' | 'reference'
  name: string
  contentType: string
  bytes: Uint8Array
  isInline: boolean
}

export interface EmulatedMail {
  /** Its immutable id. */
  id: string
  folderId: string
  subject: string
  text: string
  from: { name: string; address: string } | null
  to: { name: string; address: string }[]
  receivedAt: number
  conversationId: string
  categories: string[]
  /** The names and values of Internet message headers. */
  headers: Record<string, string>
  attachments: EmulatedAttachment[]
  isDraft: boolean
  /** Fields returned in an undocumented format. */
  odd: Record<string, unknown>
}

export interface EmulatedFolder {
  id: string
  displayName: string
  /** The name by which requests may call it. */
  wellKnown: string | null
  parentId: string | null
  isSearch: boolean
  /** Delta tokens before this have expired. */
  oldest: number
}

interface MailEvent {
  sequence: number
  folderId: string
  mailId: string
  isRemoval: boolean
}

const WELL_KNOWN = {
  inbox: 'Inbox',
  sentitems: 'Sent Items',
  drafts: 'Drafts',
  deleteditems: 'Deleted Items',
  junkemail: 'Junk Email',
  outbox: 'Outbox',
}

/** A mailbox. */
export class MailState {
  readonly folders = new Map<string, EmulatedFolder>()
  readonly mails = new Map<string, EmulatedMail>()
  readonly events: MailEvent[] = []
  readonly #now: () => number
  #sequence = 0
  #lastId = 0

  constructor(now: () => number) {
    this.#now = now
    for (const [wellKnown, name] of Object.entries(WELL_KNOWN)) this.folder(name, { wellKnown })
  }

  get sequence(): number {
    return this.#sequence
  }

  #nextId(prefix: string): string {
    this.#lastId += 1
    return `${prefix}${String(this.#lastId).padStart(6, '0')}-_A=`
  }

  folder(displayName: string, more: Partial<EmulatedFolder> = {}): EmulatedFolder {
    const id = this.#nextId('AQMkFolder')
    const folder = { id, displayName, wellKnown: null, parentId: null, isSearch: false, oldest: 0, ...more }
    this.folders.set(id, folder)
    return folder
  }

  /** A folder by its well-known name. */
  known(name: keyof typeof WELL_KNOWN): EmulatedFolder {
    const folder = [...this.folders.values()].find(({ wellKnown }) => wellKnown === name)
    if (folder === undefined) throw new Error(`there is no ${name}`)
    return folder
  }

  #log(folderId: string, mailId: string, isRemoval: boolean): void {
    this.events.push({ sequence: (this.#sequence += 1), folderId, mailId, isRemoval })
  }

  deliver(more: Partial<EmulatedMail> = {}): EmulatedMail {
    const id = this.#nextId('AAkMail')
    const mail: EmulatedMail = {
      id,
      folderId: this.known('inbox').id,
      subject: 'A mail',
      text: 'Some text.',
      from: { name: 'Bob', address: 'bob@acme.example' },
      to: [{ name: 'Ada', address: 'ada@acme.example' }],
      receivedAt: this.#now(),
      conversationId: `conversation-${id}`,
      categories: [],
      headers: {},
      attachments: [],
      isDraft: false,
      odd: {},
      ...more,
    }
    this.mails.set(id, mail)
    this.#log(mail.folderId, id, false)
    return mail
  }

  /** Drafts can change, and so can the categories of any mail. */
  change(mail: EmulatedMail, change: Partial<Omit<EmulatedMail, 'id' | 'folderId'>>): void {
    Object.assign(mail, change)
    this.#log(mail.folderId, mail.id, false)
  }

  move(mail: EmulatedMail, to: EmulatedFolder): void {
    if (mail.folderId === to.id) return
    this.#log(mail.folderId, mail.id, true)
    mail.folderId = to.id
    this.#log(to.id, mail.id, false)
  }

  remove(mail: EmulatedMail): void {
    this.mails.delete(mail.id)
    this.#log(mail.folderId, mail.id, true)
  }

  /** With its subfolders and mails. */
  removeFolder(folder: EmulatedFolder): void {
    this.folders.delete(folder.id)
    for (const below of this.folders.values()) if (below.parentId === folder.id) this.removeFolder(below)
    for (const mail of this.mails.values()) if (mail.folderId === folder.id) this.mails.delete(mail.id)
  }

  /** Its content is not reported. */
  moveFolder(folder: EmulatedFolder, parent: EmulatedFolder | null): void {
    for (let at = parent; at !== null; at = this.folders.get(at.parentId ?? '') ?? null)
      if (at === folder) return
    folder.parentId = parent?.id ?? null
  }

  expireTokens(folder: EmulatedFolder): void {
    folder.oldest = this.#sequence += 1
  }
}
