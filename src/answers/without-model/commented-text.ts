/** The comment lines of a configuration file with the settings right below them. */
export interface Commented {
  comment: string
  settings: string[]
}

/** Takes all marks at once: each one left would be read as a comment in the comment. */
const COMMENT = /^[\s#]*# ?/
/** The frame around a title, or a ruler made of signs. */
const FRAME = /^[\s#=*-]+|[\s#=*-]+$/g

/** Reads a block of a commented configuration file; null: other text. */
export function readCommented(source: string): Commented[] | null {
  if (!COMMENT.test(source)) return null
  const groups: Commented[] = []
  let lines: string[] = []
  let settings: string[] = []
  const end = (): void => {
    if (lines.length + settings.length > 0) groups.push({ comment: lines.join('\n').trim(), settings })
    lines = []
    settings = []
  }
  for (const line of source.split('\n')) {
    if (COMMENT.test(line)) {
      if (settings.length > 0) end()
      lines.push(withoutMark(line))
    } else settings.push(line.trim())
  }
  end()
  return groups
}

/** The text of a comment, without its mark or frame. */
function withoutMark(line: string): string {
  const text = line.replace(COMMENT, '')
  return text.startsWith('#') || text.endsWith('##') ? text.replaceAll(FRAME, '') : text
}
