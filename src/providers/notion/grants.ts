import type { Credentials } from '../provider.ts'

/**
 * Whether two grants of a Notion workspace may be the same person's, so that ending one ends the other: of an unknown bot it
 * is assumed. Notion ends one authorization of the workspace out of many, each person's with a bot of its own
 * (developers.notion.com/guides/get-started/authorization, `bot_id`).
 */
export function isSameNotionBot({ extra: one }: Credentials, { extra: other }: Credentials): boolean {
  const [bot, otherBot] = [one?.['botId'], other?.['botId']]
  return bot === undefined || otherBot === undefined || bot === otherBot
}
