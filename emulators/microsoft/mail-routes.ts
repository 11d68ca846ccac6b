import type { EmulatorReply } from '../kit/server.ts'
import type { EmulatedAttachment, EmulatedFolder, EmulatedMail, MailState } from './mail-state.ts'
import { type GraphCall, graphError, type GraphRoute, inToken, paged, selected, tokenOf } from './reply.ts'

const MISSING = graphError(404, 'ErrorItemNotFound', 'The specified object was not found in the store.')
const FOLDER = new Set([
  'id',
  'displayName',
  'parentFolderId',
  'childFolderCount',
  'totalItemCount',
  'isHidden',
])
const MESSAGE = new Set(
  'id,parentFolderId,conversationId,subject,body,uniqueBody,bodyPreview,from,sender,toRecipients,ccRecipients,bccRecipients,receivedDateTime,sentDateTime,isDraft,isRead,hasAttachments,categories,webLink,internetMessageHeaders,internetMessageId,lastModifiedDateTime'.split(
    ',',
  ),
)
const ATTACHMENT = new Set(['id', 'name', 'contentType', 'size', 'isInline', 'lastModifiedDateTime'])
const PAGE = 10
const ofMail = { scopes: ['Mail.Read'] }
const ofMessage = { ...ofMail, type: 'microsoft.graph.message', properties: MESSAGE }
const ofFolder = { ...ofMail, type: 'microsoft.graph.mailFolder', properties: FOLDER }
const LIST = ['$select', '$top', '$skiptoken', '$filter', '$orderby', '$expand']

/** The values of the header `Prefer`. */
const preferred = ({ headers }: GraphCall, name: string): string | undefined =>
  new RegExp(`(?:^|[,;]\\s*)${name}="?([^",;]+)"?`, 'i').exec(headers['prefer'] ?? '')?.[1]
const isImmutable = (call: GraphCall): boolean => preferred(call, 'IdType') === 'ImmutableId'

/** Unless immutable ids are requested, a mail has a different id in each folder. */
const idOf = (call: GraphCall, { id, folderId }: EmulatedMail): string =>
  isImmutable(call) ? id : `${id}.${folderId}`

/** The routes of a mailbox. */
export const mailRoutes = (state: MailState): GraphRoute[] => [
  ...folderRoutes(state),
  ...messageRoutes(state),
]

function folderRoutes(state: MailState): GraphRoute[] {
  const folderOf = (key: string): EmulatedFolder | undefined =>
    state.folders.get(key) ?? [...state.folders.values()].find(({ wellKnown }) => wellKnown === key)
  const withFolder = (call: GraphCall, answer: (folder: EmulatedFolder) => EmulatorReply): EmulatorReply => {
    const folder = folderOf(call.matched[0] ?? '')
    return folder === undefined ? MISSING : answer(folder)
  }
  const below = (parentId: string | null) =>
    [...state.folders.values()].filter((folder) => folder.parentId === parentId)
  const showFolder = (folder: EmulatedFolder) => ({
    ...(folder.isSearch && { '@odata.type': '#microsoft.graph.mailSearchFolder' }),
    id: folder.id,
    displayName: folder.displayName,
    parentFolderId: folder.parentId ?? 'root',
    childFolderCount: below(folder.id).length,
    isHidden: false,
  })

  return [
    {
      ...ofFolder,
      pattern: /^\/me\/mailFolders$/,
      parameters: [...LIST, 'includeHiddenFolders'],
      answer: (call) => paged(call, below(null).map(showFolder), PAGE),
    },
    {
      ...ofFolder,
      pattern: /^\/me\/mailFolders\/([^/]+)$/,
      parameters: ['$select', '$expand'],
      answer: (call) =>
        withFolder(call, (folder) => ({ json: selected(showFolder(folder), call.query.get('$select')) })),
    },
    {
      ...ofFolder,
      pattern: /^\/me\/mailFolders\/([^/]+)\/childFolders$/,
      parameters: [...LIST, 'includeHiddenFolders'],
      answer: (call) => withFolder(call, ({ id }) => paged(call, below(id).map(showFolder), PAGE)),
    },
    {
      ...ofMessage,
      pattern: /^\/me\/mailFolders\/([^/]+)\/messages$/,
      parameters: LIST,
      answer: (call) =>
        withFolder(call, ({ id }) => {
          const mails = [...state.mails.values()].filter(({ folderId }) => folderId === id)
          return paged(
            call,
            mails.map((mail) => showMail(call, mail)),
            PAGE,
          )
        }),
    },
    {
      ...ofMessage,
      pattern: /^\/me\/mailFolders\/([^/]+)\/messages\/delta$/,
      parameters: [
        '$select',
        '$top',
        '$expand',
        '$filter',
        '$orderby',
        'changeType',
        '$deltatoken',
        '$skiptoken',
      ],
      answer: (call) => withFolder(call, (folder) => delta(state, call, folder)),
    },
  ]
}

function messageRoutes(state: MailState): GraphRoute[] {
  const withMail = (call: GraphCall, answer: (mail: EmulatedMail) => EmulatorReply): EmulatorReply => {
    const mail = [...state.mails.values()].find((one) => idOf(call, one) === call.matched[0])
    return mail === undefined ? MISSING : answer(mail)
  }
  return [
    {
      ...ofMessage,
      pattern: /^\/me\/messages\/([^/]+)$/,
      parameters: ['$select', '$expand'],
      answer: (call) =>
        withMail(call, (mail) => ({ json: selected(showMail(call, mail), call.query.get('$select')) })),
    },
    {
      ...ofMail,
      type: 'microsoft.graph.attachment',
      properties: ATTACHMENT,
      pattern: /^\/me\/messages\/([^/]+)\/attachments$/,
      parameters: LIST,
      answer: (call) =>
        withMail(call, ({ attachments }) => paged(call, attachments.map(showAttachment), PAGE)),
    },
    {
      ...ofMail,
      type: 'microsoft.graph.attachment',
      properties: ATTACHMENT,
      pattern: /^\/me\/messages\/([^/]+)\/attachments\/([^/]+)\/\$value$/,
      parameters: [],
      answer: (call) =>
        withMail(call, ({ attachments }) => {
          const found = attachments.find(({ id }) => id === call.matched[1])
          if (found === undefined) return MISSING
          if (found.kind === 'reference') return graphError(405, 'ErrorInvalidRequest', 'Method not allowed')
          return { bytes: found.bytes }
        }),
    },
  ]
}

/** https://learn.microsoft.com/graph/api/message-delta */
function delta(state: MailState, call: GraphCall, folder: EmulatedFolder): EmulatorReply {
  const given = call.query.get('$deltatoken') ?? call.query.get('$skiptoken')
  const token =
    given === null
      ? { since: 0, until: state.sequence, at: 0, select: call.query.get('$select') }
      : inToken(given)
  if (typeof token?.['since'] !== 'number')
    return graphError(400, 'ErrorInvalidUrlQuery', 'Badly formed token')
  if (given !== null && !(Number(token['issued']) >= folder.oldest))
    return graphError(410, 'syncStateNotFound', 'The sync state generation is not found.')
  const since = token['since']
  const until = typeof token['until'] === 'number' ? token['until'] : state.sequence
  const at = typeof token['at'] === 'number' ? token['at'] : 0
  const select = typeof token['select'] === 'string' ? token['select'] : null
  const changes = changesIn(state, folder, since, until)
  const end = at + Number(preferred(call, 'odata.maxpagesize') ?? call.query.get('$top') ?? PAGE)
  const value = changes.slice(at, end).map(({ mailId, isRemoval }) => {
    const mail = state.mails.get(mailId)
    const id = isImmutable(call) ? mailId : `${mailId}.${folder.id}`
    if (isRemoval || mail === undefined) return { id, '@removed': { reason: 'deleted' } }
    return Object.assign(selected(showMail(call, mail), select), { id }, mail.odd)
  })
  const link = (name: string, more: object): string =>
    `${call.url}${call.path}?${name}=${tokenOf({ select, issued: state.sequence, ...more })}`
  const next =
    end < changes.length
      ? { '@odata.nextLink': link('$skiptoken', { since, until, at: end }) }
      : { '@odata.deltaLink': link('$deltatoken', { since: until }) }
  return { json: { value, ...next } }
}

/** A mail that left a folder and came back is reported only as removed, as in Outlook with immutable ids. */
function changesIn({ events }: MailState, folder: EmulatedFolder, since: number, until: number) {
  const last = new Map<string, { mailId: string; isRemoval: boolean; isKnown: boolean }>()
  for (const { sequence, folderId, mailId, isRemoval } of events) {
    if (folderId !== folder.id || sequence > until) continue
    const before = last.get(mailId)
    if (sequence <= since) last.set(mailId, { mailId, isRemoval, isKnown: true })
    else if (since === 0) last.set(mailId, { mailId, isRemoval, isKnown: false })
    else
      last.set(mailId, {
        mailId,
        isRemoval: isRemoval || (before?.isKnown === false && before.isRemoval),
        isKnown: false,
      })
  }
  return [...last.values()].filter(({ isKnown, isRemoval }) => !isKnown && !(since === 0 && isRemoval))
}

const person = (emailAddress: object) => ({ emailAddress })

function showMail(call: GraphCall, mail: EmulatedMail): Record<string, unknown> {
  const isText = preferred(call, 'outlook.body-content-type') === 'text'
  const at = new Date(mail.receivedAt).toISOString()
  return {
    id: idOf(call, mail),
    parentFolderId: mail.folderId,
    conversationId: mail.conversationId,
    subject: mail.subject,
    body: isText
      ? { contentType: 'text', content: mail.text }
      : { contentType: 'html', content: `<html><body>${mail.text}</body></html>` },
    from: mail.from === null ? null : person(mail.from),
    toRecipients: mail.to.map(person),
    ccRecipients: [],
    receivedDateTime: at,
    sentDateTime: at,
    isDraft: mail.isDraft,
    isRead: false,
    hasAttachments: mail.attachments.some(({ isInline }) => !isInline),
    categories: mail.categories,
    webLink: `https://outlook.office365.example/owa/?ItemID=${mail.id}`,
    internetMessageHeaders: Object.entries(mail.headers).map(([name, value]) => ({ name, value })),
    ...mail.odd,
  }
}

const TYPES = {
  file: '#microsoft.graph.fileAttachment',
  item: '#microsoft.graph.itemAttachment',
  reference: '#microsoft.graph.referenceAttachment',
}

const showAttachment = ({ id, kind, name, contentType, bytes, isInline }: EmulatedAttachment) => ({
  '@odata.type': TYPES[kind],
  id,
  name,
  contentType: kind === 'file' ? contentType : null,
  size: bytes.byteLength,
  isInline,
})
