import { sentenceStarts } from '../../text/sentences.ts'
import { joinLines, plainText } from './plain-text.ts'

/** A line break after fewer characters and before a capital is deliberate, not a wrapped line. */
const FULL_LINE_CHARACTERS = 60
/** A speaker or a time, as in chats and logs, where each line is a sentence. */
const SPOKEN =
  /^(?:\[?\d{1,2}:\d{2}(?::\d{2})?\b|\p{Lu}[\p{L}.'-]{0,30}(?: \p{Lu}[\p{L}.'-]{0,30}){0,3}(?: \([^()]{1,40}\))?: )/u

/**
 * The sentences of a paragraph as an answer quotes them: without markup, and a deliberate line break ends one. Ingest
 * needs positions in the text as stored, so it splits without this.
 */
export function sentencesOfParagraph(source: string): string[] {
  const lines = source.split('\n').map((line) => line.replace(/^\s*>+ ?/, '').trim())
  const parts: string[][] = []
  let before = ''
  for (const line of lines) {
    const part = parts.at(-1)
    if (part === undefined || isBrokenOnPurpose(before, line)) parts.push([line])
    else part.push(line)
    before = line
  }
  return parts.flatMap((part) => {
    const text = plainText(joinLines(part))
    const starts = sentenceStarts(text, 0, text.length)
    return starts
      .map((start, at) => text.slice(start, starts[at + 1]).trim())
      .filter((sentence) => /\p{L}/u.test(sentence))
  })
}

function isBrokenOnPurpose(before: string, line: string): boolean {
  if (before === '' || line === '') return true
  if (SPOKEN.test(line)) return true
  return before.length < FULL_LINE_CHARACTERS && !/[,;(–\u2010-]$/.test(before) && !/^[\p{Ll}(]/u.test(line)
}
