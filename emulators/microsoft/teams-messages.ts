import { type MicrosoftPeople, TENANT } from './people.ts'
import type { GraphCall } from './reply.ts'
import type { EmulatedMessage, TeamsState } from './teams-state.ts'

export interface ShownTeams {
  state: TeamsState
  people: MicrosoftPeople
}

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

/** https://learn.microsoft.com/graph/api/resources/chatmessage */
export function showMessage(
  { state, people }: ShownTeams,
  message: EmulatedMessage,
): Record<string, unknown> {
  const { id, rootId, channelId, by, app, createdAt, editedAt, deletedAt } = message
  const teamId = state.channels.get(channelId)?.teamId ?? ''
  const isGone = deletedAt !== null
  const user = by === null ? null : people.get(by)
  const query = new URLSearchParams({ groupId: teamId, tenantId: TENANT, parentMessageId: rootId ?? id })
  return {
    id,
    replyToId: rootId,
    etag: id,
    messageType: message.messageType,
    createdDateTime: iso(createdAt),
    lastModifiedDateTime: iso(Math.max(createdAt, editedAt ?? 0, deletedAt ?? 0)),
    lastEditedDateTime: iso(editedAt),
    deletedDateTime: iso(deletedAt),
    subject: isGone ? null : message.subject,
    summary: null,
    importance: 'normal',
    webUrl: `https://teams.microsoft.example/l/message/${encodeURIComponent(channelId)}/${id}?${query.toString()}`,
    policyViolation: message.dlpAction === null ? null : { dlpAction: message.dlpAction },
    from:
      user === null && app === null
        ? null
        : {
            application: app === null ? null : { id: 'app', displayName: app },
            device: null,
            user: user === null ? null : { id: user.id, displayName: user.displayName, tenantId: TENANT },
          },
    body: { contentType: message.contentType, content: isGone ? '' : message.content },
    channelIdentity: { teamId, channelId },
    attachments: isGone ? [] : message.attachments.map((one, index) => ({ id: `${index}`, ...one })),
    mentions: [],
    reactions: [],
    ...message.odd,
  }
}

/** A message, with its replies if the request expands them. */
export function showThread(
  options: ShownTeams,
  { url, path }: GraphCall,
  root: EmulatedMessage,
  isExpanded: boolean,
): Record<string, unknown> {
  if (!isExpanded) return showMessage(options, root)
  const { state } = options
  const replies = state.repliesTo(root)
  const messages = path.replace(/\/delta$/, '')
  return {
    ...showMessage(options, root),
    replies: replies.slice(0, state.expandedReplies).map((reply) => showMessage(options, reply)),
    ...(replies.length > state.expandedReplies && {
      'replies@odata.nextLink': `${url}${messages}/${root.id}/replies`,
    }),
  }
}
