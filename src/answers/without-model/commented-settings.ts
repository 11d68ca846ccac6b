import type { Definition, Line } from './definition.ts'

const ASSIGNED = /^[\w.-]{1,60}\s{0,8}=\s{0,8}\S/
/** Also matches `key: value`, which outside code is a sentence. */
const ASSIGNED_IN_CODE = /^[\w."'-]{1,60}\s{0,8}[=:]\s{0,8}\S/
const COMMENT = /^(?:[;#]+|\/\/)\s?/
const COMMENT_BESIDE = /\s(?:#|;|\/\/) /
const SECTION = /^\[{1,2}([^[\]]{1,80})\]{1,2}$/
/** The minimum share of setting lines in a block of settings. */
const SETTINGS_SHARE_MIN = 0.6

/** Reads settings with comments above or beside them as definitions of `[section] key = value`; null: other text. */
export function readSettings(lines: readonly Line[], isCode = false): Definition[] | null {
  const assigned = isCode ? ASSIGNED_IN_CODE : ASSIGNED
  const definitions: Definition[] = []
  let comments: string[] = []
  let section = ''
  let others = 0
  for (const { text, indent } of lines) {
    const named = SECTION.exec(text)?.[1]
    if (named !== undefined) {
      section = `\\[${named}\\] `
      comments = []
    } else if (COMMENT.test(text)) comments.push(text.replace(COMMENT, ''))
    else if (assigned.test(text)) {
      const [setting, beside] = besideOf(text)
      definitions.push({ term: `${section}${setting}`, text: [...comments, ...beside].join(' '), indent })
      comments = []
    } else if (isCode) others++
    else return null
  }
  const isMostly = definitions.length >= SETTINGS_SHARE_MIN * (definitions.length + others)
  return isMostly && definitions.some(({ text }) => text !== '') ? definitions : null
}

/** Splits a setting from the comment beside it. */
function besideOf(text: string): [setting: string, comment: string[]] {
  const at = text.search(COMMENT_BESIDE)
  if (at === -1) return [text, []]
  const comment = text.slice(at).trim().replace(COMMENT, '')
  return [text.slice(0, at).trimEnd(), [comment]]
}
