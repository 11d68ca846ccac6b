import { fold, type FoundEntity, PATH_MARK, RANK, tidy } from './identity.ts'

/** Labels that mail programs assign themselves. */
const OWN_LABELS =
  /^(inbox|sent|unread|important|starred|chat|drafts?|spam|trash|category_.*|yellow_star|all mail)$/i
const LABELS_MAX = 5
const LABEL_CHARACTERS_MAX = 200

/** An item's place: its channel, its folder or parent page, its labels. */
export function channelsOf(metadata: Record<string, unknown>, provider: string): FoundEntity[] {
  const channel = textOf(metadata['channel'])
  const folder = textOf(metadata['folder']) ?? folderOfPath(textOf(metadata['path']))
  const labels = Array.isArray(metadata['labels']) ? metadata['labels'].slice(0, 50) : []
  return [
    ...(channel === null ? [] : [chatChannel(channel, textOf(metadata['channelId']), provider)]),
    ...(folder === null ? [] : folderOf(folder, provider)),
    ...labels
      .filter(
        (label): label is string => typeof label === 'string' && label !== '' && !OWN_LABELS.test(label),
      )
      .slice(0, LABELS_MAX)
      .map((label) => label.slice(0, LABEL_CHARACTERS_MAX))
      .map((label) => place(`label:${provider}:${fold(label)}`, label)),
  ]
}

/** A channel that a text names, such as `#general`. */
export function namedChannel(name: string, provider: string): FoundEntity {
  const alias = `#${provider}/${fold(name)}`
  const names = [{ name: `#${name}`, alias }]
  return { type: 'channel', key: `channel:${alias}`, alias, rank: RANK.handle, role: 'mention', names }
}

function chatChannel(given: string, id: string | null, provider: string): FoundEntity {
  const name = tidy(given.replace(/^#/, ''))
  const alias = `#${provider}/${fold(name)}`
  const key = `channel:${provider}:${id ?? fold(name)}`
  return {
    type: 'channel',
    key,
    alias,
    rank: RANK.address,
    role: 'channel',
    names: [{ name: `#${name}`, alias }],
  }
}

/** The innermost folder of a path joined with ` / `; the path distinguishes folders with the same name. */
function folderOf(path: string, provider: string): FoundEntity[] {
  const parts = path.split(/\s*\/\s*/).filter((part) => part !== '')
  const last = parts.at(-1)
  if (last === undefined) return []
  return [place(`folder:${provider}:${parts.map(fold).join('/')}`, last, pathOf(parts))]
}

/** The end of a path: as many whole parts as a name may have. */
function pathOf(parts: readonly string[]): string {
  let path = parts.at(-1) ?? ''
  for (const part of parts.slice(0, -1).toReversed()) {
    const longer = `${part}${PATH_MARK}${path}`
    if (tidy(longer).length < longer.length) break
    path = longer
  }
  return path
}

function place(key: string, name: string, path = name): FoundEntity {
  const names = [...new Set([tidy(name), tidy(path)])].map((one) => ({ name: one, alias: null }))
  return {
    type: 'channel',
    key: key.slice(0, 500).toWellFormed(),
    alias: null,
    rank: RANK.address,
    role: 'channel',
    names,
  }
}

function folderOfPath(path: string | null): string | null {
  const end = path?.lastIndexOf('/') ?? -1
  return path === null || end <= 0 ? null : path.slice(0, end)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 500) : null
}
