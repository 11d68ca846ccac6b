import { mailIdOf, mailIndexOf, seededMail, type Mail, type MailSeed } from './mail-seed.ts'

export interface HistoryEntry {
  historyId: number
  kind: 'messagesAdded' | 'messagesDeleted' | 'labelsAdded' | 'labelsRemoved'
  messageId: string
  labelIds: string[]
}

export interface StoredMail extends Mail {
  id: string
}

/** Changes that a test or a user makes to the emulated mailbox. */
export interface MailState {
  /** The id of the n-th mail of the seed, oldest first. */
  mailId(index: number): string
  get(id: string): StoredMail | null
  /** Delivers a new mail; returns its id. */
  deliver(mail: Partial<Mail>): string
  addLabels(id: string, labelIds: string[]): void
  removeLabels(id: string, labelIds: string[]): void
  /** Moves to the trash: adds the label and removes the inbox label. */
  trash(id: string): void
  untrash(id: string): void
  /** Deletes permanently. */
  remove(id: string): void
  /** Drops all history so far, as Gmail does after about a week. */
  expireHistory(): void
  /** Invalidates all list page tokens issued so far. */
  expirePageTokens(): void
}

/** Adds what only the routes need. */
export interface MailStore extends MailState {
  count(): number
  /** The n-th mail, oldest first; null when deleted. */
  at(index: number): StoredMail | null
  history: readonly HistoryEntry[]
  historyId(): number
  oldestHistoryId(): number
  listGeneration(): number
}

const FIRST_HISTORY_ID = 1_000_000

/** A mailbox generated from a seed. Memory holds only touched mails. */
export function createMailStore(seed: MailSeed, now: () => number): MailStore {
  const touched = new Map<string, StoredMail | null>()
  const { note, ...log } = createHistory()
  let count = seed.mails
  let generation = 0

  function get(id: string): StoredMail | null {
    const known = touched.get(id)
    if (known !== undefined) return known
    const index = mailIndexOf(id)
    return index === null || index >= seed.mails ? null : { ...seededMail(seed, index), id }
  }

  function existing(id: string): StoredMail {
    const mail = get(id)
    if (!mail) throw new Error(`no such mail: ${id}`)
    return mail
  }

  function addLabels(id: string, labelIds: string[]): void {
    const mail = existing(id)
    touched.set(id, { ...mail, labelIds: [...new Set([...mail.labelIds, ...labelIds])] })
    note('labelsAdded', id, labelIds)
  }

  function removeLabels(id: string, labelIds: string[]): void {
    const mail = existing(id)
    touched.set(id, { ...mail, labelIds: mail.labelIds.filter((label) => !labelIds.includes(label)) })
    note('labelsRemoved', id, labelIds)
  }

  return {
    mailId: mailIdOf,
    get,
    deliver: (mail) => {
      const id = mailIdOf(count)
      count += 1
      const made = mailOf(seed, id, mail, now)
      touched.set(id, made)
      note('messagesAdded', id, made.labelIds)
      return id
    },
    addLabels,
    removeLabels,
    trash: (id) => {
      removeLabels(id, ['INBOX'])
      addLabels(id, ['TRASH'])
    },
    untrash: (id) => {
      removeLabels(id, ['TRASH'])
      addLabels(id, ['INBOX'])
    },
    remove: (id) => {
      existing(id)
      touched.set(id, null)
      note('messagesDeleted', id, [])
    },
    expirePageTokens: () => {
      generation += 1
    },
    count: () => count,
    at: (index) => get(mailIdOf(index)),
    ...log,
    listGeneration: () => generation,
  }
}

/** The mailbox's change log; everything before a point can be dropped. */
function createHistory() {
  const history: HistoryEntry[] = []
  let historyId = FIRST_HISTORY_ID
  let oldest = 0
  return {
    history,
    historyId: () => historyId,
    oldestHistoryId: () => oldest,
    expireHistory: () => {
      historyId += 1
      oldest = historyId
    },
    note: (kind: HistoryEntry['kind'], messageId: string, labelIds: string[]) => {
      // Ids grow, with gaps.
      historyId += 3 + (history.length % 5)
      history.push({ historyId, kind, messageId, labelIds })
    },
  }
}

/** A mail with defaults for absent fields. */
function mailOf(seed: MailSeed, id: string, mail: Partial<Mail>, now: () => number): StoredMail {
  const receivedAt = mail.receivedAt ?? now()
  return {
    id,
    from: `Ana Lima <ana.lima@${seed.domain}>`,
    to: seed.account,
    subject: 'Hello',
    dateHeader: new Date(receivedAt).toUTCString(),
    text: mail.html === undefined ? 'Hello there' : null,
    html: null,
    charset: 'utf-8',
    attachments: [],
    labelIds: ['INBOX', 'UNREAD'],
    threadId: id,
    ...mail,
    receivedAt,
  }
}
