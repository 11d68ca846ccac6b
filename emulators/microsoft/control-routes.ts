import { textField } from '../kit/fields.ts'
import type { Grants } from '../kit/grants.ts'
import type { DriveState, EmulatedDrive, EmulatedItem } from './drive-state.ts'
import type { MailState } from './mail-state.ts'
import type { EmulatedMessage, TeamsState } from './teams-state.ts'

type Fields = Record<string, unknown>

interface EmulatorParts {
  files: DriveState
  drive: EmulatedDrive
  mail: MailState
  teams: TeamsState
  grants: Grants
}

/** The control routes. */
export function controlRoutes(parts: EmulatorParts): Record<string, (body: Fields) => unknown> {
  const { files, drive, mail, teams, grants } = parts
  const itemOf = (body: Fields): EmulatedItem => found(files.items.get(textField(body, 'id')), 'file')
  return {
    'file-create': (body) =>
      files.add(drive, { name: textField(body, 'name'), content: textField(body, 'content') }).id,
    'file-edit': (body) => files.edit(itemOf(body), { content: textField(body, 'content') }),
    'file-delete': (body) => files.remove(itemOf(body)),
    'file-share': (body) => {
      files.share(itemOf(body), { grants: [{ user: textField(body, 'user') }] }, true)
    },
    'mail-deliver': (body) =>
      mail.deliver({ subject: textField(body, 'subject'), text: textField(body, 'text') }).id,
    ...messageControls(teams),
    'expire-cursors': () => {
      for (const one of files.drives.values()) files.expireTokens(one)
      for (const one of mail.folders.values()) mail.expireTokens(one)
      for (const one of teams.channels.values()) teams.expireTokens(one)
    },
    'expire-tokens': () => grants.expireAccessTokens(),
    'revoke-grants': () => grants.revokeAll(),
  }
}

/** A message is named by its id, a channel by its name. */
function messageControls(teams: TeamsState): Record<string, (body: Fields) => unknown> {
  const messageOf = (body: Fields): EmulatedMessage =>
    found(teams.messages.get(textField(body, 'id')), 'message')
  return {
    'message-post': (body) => {
      const name = textField(body, 'channel')
      const channel = [...teams.channels.values()].find(({ displayName }) => displayName === name)
      return teams.post(found(channel, 'channel'), { content: textField(body, 'text') }).id
    },
    'message-reply': (body) => teams.reply(messageOf(body), { content: textField(body, 'text') }).id,
    'message-edit': (body) => teams.edit(messageOf(body), textField(body, 'text')),
    'message-delete': (body) => teams.remove(messageOf(body)),
    'member-remove': (body) => {
      for (const { members } of [...teams.teams.values(), ...teams.channels.values()])
        members.delete(textField(body, 'user'))
    },
  }
}

function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`there is no such ${what}`)
  return value
}
