import type { Credentials } from '../adapter.ts'

/** Whether revoking one of two grants also revokes the other: the same bot, or an unknown one. */
export function isSameNotionBot({ extra: one }: Credentials, { extra: other }: Credentials): boolean {
  const [bot, otherBot] = [one?.['botId'], other?.['botId']]
  return bot === undefined || otherBot === undefined || bot === otherBot
}
