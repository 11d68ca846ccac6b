import { describe } from 'vitest'
import type { EmulatedMessage, TeamsState } from '../../../../emulators/microsoft/teams-state.ts'
import { checkMicrosoftConnector } from '../../../../test/connectors/microsoft.ts'
import { createTeamsAdapter, TEAMS_SCOPES } from './adapter.ts'
import { teams as provider } from './index.ts'

const GARBLED = { createdDateTime: 'today' }

/** A thing is a thread whose text is that of its root, or of a reply. */
function threadsOf(state: TeamsState, isReply: boolean) {
  const [channel] = state.channels.values()
  if (channel === undefined) throw new Error('there is no channel')
  const messageOf = (id: string): EmulatedMessage => {
    const found = state.messages.get(id)
    if (found === undefined) throw new Error(`there is no message ${id}`)
    return found
  }
  const saying = (root: EmulatedMessage): EmulatedMessage =>
    (isReply ? state.repliesTo(root)[0] : undefined) ?? root
  return {
    add(text: string): string {
      const root = state.post(channel, { content: isReply ? 'A question?' : text })
      if (isReply) state.reply(root, { content: text })
      return root.id
    },
    edit: (id: string, text: string) => state.edit(saying(messageOf(id)), text),
    remove(id: string): void {
      const root = messageOf(id)
      for (const message of [root, ...state.repliesTo(root)]) state.remove(message)
    },
    break: (id: string) => void (messageOf(id).odd = GARBLED),
    mend(): void {
      for (const message of state.messages.values()) message.odd = {}
    },
    restrict(_id: string, email: string): void {
      for (const team of state.teams.values()) team.members = new Set([email.split('@')[0] ?? ''])
    },
  }
}

describe.each([
  ['messages', false],
  ['replies', true],
])('%s', (_name, isReply) => {
  checkMicrosoftConnector({
    provider,
    scopes: TEAMS_SCOPES,
    createAdapter: createTeamsAdapter,
    prepare({ teams }) {
      teams.createChannel(teams.createTeam('Sales'), 'General')
    },
    things: ({ teams }) => threadsOf(teams, isReply),
  })
})
