import type { Grants } from '../kit/grants.ts'
import { textField as text } from '../kit/fields.ts'
import type { SlackEmulatorState } from './slack-state.ts'

/** The control routes for use with curl; arguments are JSON fields. */
export function slackControlRoutes(
  state: SlackEmulatorState,
  grants: Grants,
): Record<string, (body: Record<string, unknown>) => unknown> {
  // Channels are named by id or name.
  const channelId = (body: Record<string, unknown>): string => {
    const given = text(body, 'channel')
    return state.channels().find((channel) => channel.name === given || channel.id === given)?.id ?? given
  }
  // Users are named by id or address.
  const userId = (body: Record<string, unknown>): string => {
    const given = text(body, 'user')
    return state.users().find((user) => user.profile.email === given || user.id === given)?.id ?? given
  }
  return {
    channels: () =>
      state.channels().map(({ id, name, isPrivate, isMember }) => ({ id, name, isPrivate, isMember })),
    messages: (body) => state.history(channelId(body), { oldest: '', latest: '~', limit: 20 }),
    post: (body) => {
      const threadTs = typeof body['threadTs'] === 'string' ? { threadTs: body['threadTs'] } : {}
      return { ts: state.post(channelId(body), { text: text(body, 'text'), ...threadTs }) }
    },
    edit: (body) => state.edit(channelId(body), text(body, 'ts'), text(body, 'text')),
    delete: (body) => state.delete(channelId(body), text(body, 'ts')),
    'add-channel': (body) => ({
      id: state.addChannel({ name: text(body, 'name'), isPrivate: body['isPrivate'] === true }),
    }),
    users: () =>
      state.users().map(({ id, profile, deleted, is_restricted }) => ({
        id,
        email: profile.email,
        deleted,
        isGuest: is_restricted,
      })),
    'add-user': (body) => ({
      id: state.addUser({
        name: text(body, 'name'),
        email: text(body, 'email'),
        isGuest: body['isGuest'] === true,
      }),
    }),
    'remove-user': (body) => state.updateUser(userId(body), { deleted: true }),
    'add-member': (body) => state.addMember(channelId(body), userId(body)),
    'remove-member': (body) => state.removeMember(channelId(body), userId(body)),
    'set-private': (body) => state.setPrivate(channelId(body), body['isPrivate'] === true),
    'rename-channel': (body) => state.renameChannel(channelId(body), text(body, 'name')),
    'delete-channel': (body) => state.deleteChannel(channelId(body)),
    'set-member': (body) => state.setMember(channelId(body), body['isMember'] === true),
    'expire-tokens': () => grants.expireAccessTokens(),
    'revoke-tokens': () => grants.revokeAll(),
    uninstall: () => {
      grants.revokeAll()
      state.uninstall()
    },
  }
}
