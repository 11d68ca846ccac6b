/** RFC 9309 requires reading at least 500 KiB. */
export const ROBOTS_BYTES_MAX = 500 * 1024
const RULES_MAX = 1_000
/** Longer patterns are cut, which makes them match more. */
const PATTERN_CHARACTERS_MAX = 200
const SITEMAPS_MAX = 20

/** The rules of a robots.txt for one crawler. */
export interface Robots {
  allows(path: string): boolean
  /** Seconds to wait between requests; 0 if not set. */
  delaySeconds: number
  /** Addresses as written. */
  sitemaps: readonly string[]
}

interface Rule {
  isAllow: boolean
  pattern: string
}

interface Group {
  agents: string[]
  rules: Rule[]
  delaySeconds: number
  /** Whether a rule has followed the agents, so that the next agent starts a group. */
  isClosed: boolean
}

export const ALLOWS_EVERYTHING: Robots = { allows: () => true, delaySeconds: 0, sitemaps: [] }

/** Reads a robots.txt (RFC 9309) for a crawler. Takes linear time. */
export function parseRobots(text: string, agent: string): Robots {
  const groups: Group[] = []
  const sitemaps: string[] = []
  for (const line of text.split(/\r\n|\r|\n/)) {
    const at = line.indexOf(':')
    if (at === -1) continue
    const name = line.slice(0, at).trim().toLowerCase()
    const value = withoutComment(line.slice(at + 1))
    if (name === 'sitemap' && sitemaps.length < SITEMAPS_MAX) sitemaps.push(value)
    else addLine(groups, name, value)
  }
  const own = groups.filter(({ agents }) => agents.includes(agent.toLowerCase()))
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'))
  const rules = chosen.flatMap((group) => group.rules).slice(0, RULES_MAX)
  return {
    allows: (path) => isAllowed(rules, normalized(path)),
    delaySeconds: chosen.reduce((most, { delaySeconds }) => Math.max(most, delaySeconds), 0),
    sitemaps,
  }
}

function addLine(groups: Group[], name: string, value: string): void {
  const last = groups.at(-1)
  if (name === 'user-agent') {
    const agent = value.toLowerCase()
    if (last === undefined || last.isClosed)
      groups.push({ agents: [agent], rules: [], delaySeconds: 0, isClosed: false })
    else last.agents.push(agent)
    return
  }
  if (last === undefined) return
  if (name === 'allow' || name === 'disallow') {
    last.isClosed = true
    // An empty rule forbids nothing.
    if (value !== '') last.rules.push({ isAllow: name === 'allow', pattern: patternOf(value) })
  } else if (name === 'crawl-delay') {
    last.isClosed = true
    const seconds = Number(value)
    if (seconds > 0) last.delaySeconds = seconds
  }
}

function withoutComment(value: string): string {
  const at = value.indexOf('#')
  return (at === -1 ? value : value.slice(0, at)).trim()
}

/** As paths are written in URLs: with other characters encoded. */
function patternOf(value: string): string {
  const encoded = value.toWellFormed().replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent)
  return normalized(encoded).slice(0, PATTERN_CHARACTERS_MAX)
}

/** In the form in which paths are compared (RFC 9309 §2.2.2). */
function normalized(path: string): string {
  return path.replaceAll(/%[\da-f]{2}/gi, (code) => {
    const character = String.fromCodePoint(Number.parseInt(code.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : code.toUpperCase()
  })
}

/** The longest matching rule decides; of two equally long ones, the one that allows. */
function isAllowed(rules: readonly Rule[], path: string): boolean {
  let best: Rule | undefined
  for (const rule of rules) {
    const length = best?.pattern.length ?? 0
    if (rule.pattern.length < length || (rule.pattern.length === length && !rule.isAllow && best)) continue
    if (matches(rule.pattern, path)) best = rule
  }
  return best?.isAllow ?? true
}

/** `*` matches any text and a final `$` the end. Finds each part once, from left to right. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  let at = first.length
  const last = isWhole ? parts.pop() : undefined
  for (const part of parts) {
    const found = path.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  if (!isWhole) return true
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last)
}
