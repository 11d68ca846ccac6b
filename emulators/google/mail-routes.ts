import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import { googleError, sizeOf } from './google-reply.ts'
import { LABELS, type MailSeed } from './mail-seed.ts'
import type { HistoryEntry, MailStore, StoredMail } from './mail-state.ts'

/** A message part in `messages.get`; attachments are requested separately. */
interface Part {
  partId: string
  mimeType: string
  filename: string
  headers: { name: string; value: string }[]
  body: { size: number; data?: string; attachmentId?: string }
  parts?: Part[]
}

/** Answers `/gmail/v1/users/me/…` as Gmail does. */
export function answerMail(store: MailStore, seed: MailSeed, request: EmulatorRequest): EmulatorReply {
  const path = request.path.replace(/^\/gmail\/v1\/users\/[^/]+\//, '')
  if (path === 'profile') {
    const count = store.count()
    const profile = { emailAddress: seed.account, messagesTotal: count, threadsTotal: Math.ceil(count / 3) }
    return { json: { ...profile, historyId: String(store.historyId()) } }
  }
  if (path === 'labels') return { json: { labels: LABELS } }
  if (path === 'messages') return listMessages(store, request.query)
  if (path === 'history') return listHistory(store, request.query)
  return answerMessage(store, request, path)
}

function listMessages(store: MailStore, query: URLSearchParams): EmulatorReply {
  const size = sizeOf(query.get('maxResults'), 100, 500)
  const withTrash = query.get('includeSpamTrash') === 'true'
  const [generation = '', start = ''] = (
    query.get('pageToken') ?? `${store.listGeneration()}.${store.count() - 1}`
  ).split('.')
  if (generation !== String(store.listGeneration()) || !/^-?\d+$/.test(start)) {
    return googleError(400, 'invalidArgument', 'Invalid pageToken')
  }
  const messages: { id: string; threadId: string }[] = []
  let index = Number(start)
  for (; index >= 0 && messages.length < size; index -= 1) {
    const mail = store.at(index)
    if (mail && (withTrash || !isOutside(mail))) messages.push({ id: mail.id, threadId: mail.threadId })
  }
  const next = index >= 0 ? { nextPageToken: `${generation}.${index}` } : {}
  return {
    json: { ...(messages.length > 0 ? { messages } : {}), ...next, resultSizeEstimate: store.count() },
  }
}

const isOutside = (mail: StoredMail) => mail.labelIds.includes('TRASH') || mail.labelIds.includes('SPAM')

function listHistory(store: MailStore, query: URLSearchParams): EmulatorReply {
  const start = Number(query.get('startHistoryId'))
  if (!Number.isInteger(start) || start < store.oldestHistoryId() || start > store.historyId()) {
    return googleError(404, 'notFound', 'Requested entity was not found.')
  }
  const size = sizeOf(query.get('maxResults'), 100, 500)
  const after = query.get('pageToken') ?? String(start)
  if (!/^\d+$/.test(after)) return googleError(400, 'invalidArgument', 'Invalid pageToken')
  const entries = store.history.filter((entry) => entry.historyId > Number(after))
  const page = entries.slice(0, size)
  const last = page.at(-1)
  return {
    json: {
      ...(page.length > 0 ? { history: page.map((entry) => historyOf(store, entry)) } : {}),
      ...(entries.length > size && last ? { nextPageToken: String(last.historyId) } : {}),
      historyId: String(store.historyId()),
    },
  }
}

function historyOf(store: MailStore, entry: HistoryEntry) {
  const mail = store.get(entry.messageId)
  const message = { id: entry.messageId, threadId: mail?.threadId ?? entry.messageId }
  const labelled = { ...message, labelIds: mail?.labelIds ?? [] }
  const what = entry.kind.startsWith('labels')
    ? { message: labelled, labelIds: entry.labelIds }
    : { message: labelled }
  return { id: String(entry.historyId), messages: [message], [entry.kind]: [what] }
}

function answerMessage(store: MailStore, request: EmulatorRequest, path: string): EmulatorReply {
  const [, id = '', attachment] = /^messages\/([0-9a-f]+)(?:\/attachments\/([^/]+))?$/.exec(path) ?? []
  const mail = store.get(id)
  if (!mail) return googleError(404, 'notFound', 'Requested entity was not found.')
  if (attachment !== undefined) {
    const found = mail.attachments[Number(attachment.replace(/^ATT/, ''))]
    if (!found) return googleError(404, 'notFound', 'Requested entity was not found.')
    return { json: { size: found.content.length, data: base64url(found.content) } }
  }
  const format = request.query.get('format') ?? 'full'
  if (format !== 'full' && format !== 'minimal') {
    return googleError(400, 'invalidArgument', `the emulator does not know format=${format}`)
  }
  const snippet = (mail.text ?? mail.html ?? '').replaceAll(/<[^>]*>/g, ' ').slice(0, 120)
  const about = { id, threadId: mail.threadId, labelIds: mail.labelIds, snippet }
  const state = {
    historyId: String(store.historyId()),
    internalDate: String(mail.receivedAt),
    sizeEstimate: 2000,
  }
  return { json: { ...about, ...state, ...(format === 'full' ? { payload: payloadOf(mail) } : {}) } }
}

function payloadOf(mail: StoredMail): Part {
  const texts = [
    ...(mail.text === null ? [] : [textPart(mail, 'text/plain', mail.text)]),
    ...(mail.html === null ? [] : [textPart(mail, 'text/html', mail.html)]),
  ]
  const [only] = texts
  const body = texts.length === 1 && only ? only : container('multipart/alternative', texts)
  const files = mail.attachments.map((attachment, index) => attachmentPart(attachment, index))
  const root = files.length === 0 ? body : container('multipart/mixed', [body, ...files])
  return numbered({ ...root, headers: [...headersOf(mail), ...root.headers] }, '')
}

function headersOf(mail: StoredMail) {
  return [
    { name: 'From', value: mail.from },
    { name: 'To', value: mail.to },
    { name: 'Subject', value: mail.subject },
    { name: 'Date', value: mail.dateHeader },
    { name: 'Message-ID', value: `<${mail.id}@mail.example>` },
    ...(mail.threadId === mail.id ? [] : [{ name: 'In-Reply-To', value: `<${mail.threadId}@mail.example>` }]),
  ]
}

function textPart(mail: StoredMail, mimeType: string, text: string): Part {
  const bytes = Buffer.from(text, mail.charset === 'iso-8859-1' ? 'latin1' : 'utf8')
  const type = { name: 'Content-Type', value: `${mimeType}; charset="${mail.charset}"` }
  return {
    partId: '',
    mimeType,
    filename: '',
    headers: [type],
    body: { size: bytes.length, data: base64url(bytes) },
  }
}

function attachmentPart(file: StoredMail['attachments'][number], index: number): Part {
  const disposition = { name: 'Content-Disposition', value: `attachment; filename="${file.fileName}"` }
  const type = { name: 'Content-Type', value: `${file.mimeType}; name="${file.fileName}"` }
  const body = { size: file.content.length, attachmentId: `ATT${index}` }
  return { partId: '', mimeType: file.mimeType, filename: file.fileName, headers: [type, disposition], body }
}

function container(mimeType: string, parts: Part[]): Part {
  const type = { name: 'Content-Type', value: `${mimeType}; boundary="b"` }
  return { partId: '', mimeType, filename: '', headers: [type], body: { size: 0 }, parts }
}

/** A part id is its path: `1.0` is the first part of the second. */
function numbered(part: Part, place: string): Part {
  const parts = part.parts?.map((child, index) =>
    numbered(child, place === '' ? String(index) : `${place}.${index}`),
  )
  return { ...part, partId: place, ...(parts ? { parts } : {}) }
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
