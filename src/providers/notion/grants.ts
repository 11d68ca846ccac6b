import type { Credentials } from '../provider.ts'

/**
 * Whether two grants of a Notion workspace may belong to the same user, so that revoking one also revokes the other.
 * An unknown bot counts as the same. Each user's authorization has its own bot
 * (developers.notion.com/guides/get-started/authorization, `bot_id`).
 */
export function isSameNotionBot({ extra: one }: Credentials, { extra: other }: Credentials): boolean {
  const [bot, otherBot] = [one?.['botId'], other?.['botId']]
  return bot === undefined || otherBot === undefined || bot === otherBot
}
