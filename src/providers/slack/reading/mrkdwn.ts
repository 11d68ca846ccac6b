/** Names for ids in a message's text; an unknown id stays. */
export interface SlackNames {
  user(id: string): string
  channel(id: string): string
}

const TOKEN = /<([@#!A-Za-z][^<>]*)>/g

/** Slack's mrkdwn as plain text: names for mentions, `label (address)` for links. Emphasis marks stay. */
export function mrkdwnToText(text: string, names: SlackNames): string {
  return unescapeEntities(text.replace(TOKEN, (_whole, inner: string) => tokenText(inner, names)))
}

export function mentionedUsers(text: string): string[] {
  return [...text.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].flatMap((match) => match[1] ?? [])
}

function tokenText(inner: string, names: SlackNames): string {
  const bar = inner.indexOf('|')
  const target = bar === -1 ? inner : inner.slice(0, bar)
  const label = bar === -1 ? '' : inner.slice(bar + 1)
  if (target.startsWith('@')) return `@${mentionName(target.slice(1), label, names)}`
  if (target.startsWith('#')) return `#${label === '' ? names.channel(target.slice(1)) : label}`
  if (target.startsWith('!')) return specialText(target.slice(1), label)
  const address = target.startsWith('mailto:') ? target.slice('mailto:'.length) : target
  return label === '' || label === address ? address : `${label} (${address})`
}

function mentionName(id: string, label: string, names: SlackNames): string {
  const name = names.user(id)
  return name === id && label !== '' ? label : name
}

/** `<!here>`, `<!subteam^S1|@team>`, `<!date^1700000000^{date}|fallback>`. */
function specialText(target: string, label: string): string {
  if (label !== '') return label
  const name = target.split('^')[0] ?? target
  return name === 'subteam' ? `@${target.split('^')[1] ?? 'group'}` : `@${name}`
}

function unescapeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
