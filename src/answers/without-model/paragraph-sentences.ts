import { sentenceStarts } from '../../text/sentences.ts'
import { joinLines, plainText } from './plain-text.ts'

/** A line break after fewer characters and before a capital is deliberate, not a wrapped line. */
const FULL_LINE_CHARACTERS = 60
/** A speaker or a time, as in chats and logs, where each line is a sentence. */
const SPOKEN =
  /^(?:\[?\d{1,2}:\d{2}(?::\d{2})?\b|\p{Lu}[\p{L}.'-]{0,30}(?: \p{Lu}[\p{L}.'-]{0,30}){0,3}(?: \([^()]{1,40}\))?: )/u

/** A link at the start of a line, which a wrapped line cannot break. */
const LINK = /^\[[^\n]{1,200}?\]\([^()\s]{1,2000}\)/
/** The marks of notes and warnings in Docusaurus, MkDocs and GitHub, with the note's title. */
const NOTE = /^(?::{3,}|[!?]{3}[+]?)\s?(?:[a-z]{1,20}\b\s?)?["[]?(.{0,200}?)["\]]?$|^\[!\w{1,20}\]$/

/**
 * The sentences of a paragraph as an answer quotes them: without markup, and a deliberate line break ends one. Ingest
 * needs positions in the text as stored, so it splits without this.
 */
export function sentencesOfParagraph(source: string): string[] {
  const parts: string[][] = []
  let before = ''
  for (const line of linesOf(source)) {
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

/** The lines without quotation marks. A note's title stands alone. */
function linesOf(source: string): string[] {
  return source.split('\n').flatMap((quoted) => {
    const line = quoted.replace(/^\s*>+ ?/, '').trim()
    const note = NOTE.exec(line)
    return note === null ? [line] : [note[1] ?? '', '']
  })
}

function isBrokenOnPurpose(before: string, line: string): boolean {
  if (before === '' || line === '') return true
  if (SPOKEN.test(line)) return true
  const full = before.length + (LINK.exec(line)?.[0].length ?? 0)
  return full < FULL_LINE_CHARACTERS && !/[,;(–\u2010-]$/.test(before) && !/^[\p{Ll}(]/u.test(line)
}
