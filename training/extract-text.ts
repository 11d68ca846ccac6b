import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

import type { TrainingSource } from './sources.ts'
import { readSynsets } from './wordnet.ts'

/** Elements without prose. */
const HIDDEN = /<(script|style|pre|nav|svg)\b[^>]*>[\s\S]*?<\/\1>/gi
const COMMENT = /<!--[\s\S]*?-->/g
const INLINE =
  /<\/?(a|abbr|acronym|b|bdi|big|cite|code|dfn|em|font|i|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u|var|wbr)\b[^>]*>/gi
const TAG = /<[^>]*>/g
/** Marks where a block element begins or ends; line breaks in the source do not end a paragraph. */
const BLOCK_END = '\u0000'
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  mdash: ' - ',
  ndash: ' - ',
  rsquo: "'",
  lsquo: "'",
  ldquo: '"',
  rdquo: '"',
  hellip: ' ',
}
/** Pages of names rather than sentences. */
const INDEX_PAGES =
  /(^|\/)(genindex|py-modindex|search|_modules|_sources|changelog|copyright|doc-index|index-[a-z]|news\.)/i

/**
 * The paragraphs of a source's text files, in order, one array per file. `folder` is the unpacked package.
 */
export function* extractFiles(folder: string, source: TrainingSource): Generator<string[]> {
  for (const text of readTexts(folder, source)) {
    switch (source.format) {
      case 'html':
        yield htmlParagraphs(text)
        break
      case 'text':
        yield plainParagraphs(text)
        break
      case 'manual':
        yield manualParagraphs(text)
        break
      case 'wordnet':
        for (const { words, gloss } of readSynsets(text)) yield [`${words.join(' ')} : ${gloss}`]
        break
    }
  }
}

/** A source's text files as written, in order. `folder` is the unpacked package. */
export function* readTexts(folder: string, source: TrainingSource): Generator<string> {
  for (const file of listFiles(folder)) {
    const relative = path.relative(folder, file)
    if (source.files.test(relative) && !INDEX_PAGES.test(relative)) yield readText(file)
  }
}

/** Every regular file below a folder, sorted by path so that training is the same on every machine. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
}

function readText(file: string): string {
  const bytes = readFileSync(file)
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes
  return plain.toString('utf8')
}

/** The text of a page's blocks. */
export function htmlParagraphs(html: string): string[] {
  return html
    .replace(COMMENT, ' ')
    .replace(HIDDEN, BLOCK_END)
    .replace(INLINE, '')
    .replace(TAG, BLOCK_END)
    .replace(/&(#x?[0-9a-f]+|[a-z]+);/gi, (whole, name: string) => entity(name) ?? whole)
    .split(BLOCK_END)
    .map(oneLine)
}

function entity(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()]
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' '
}

function plainParagraphs(text: string): string[] {
  return text.split(/\n\s*\n/).map(oneLine)
}

/** Manual pages in man or mdoc: drops requests but keeps the text of font requests. */
export function manualParagraphs(text: string): string[] {
  const lines = text.split('\n').map((line) => {
    if (/^\.\\"|^'\\"/.test(line)) return ''
    const request = /^[.'](\w+)\s*(.*)$/.exec(line)
    if (!request) return line
    return /^(B|I|BR|IR|RB|Nm|Em|Sy|Dq|Sq|Pq|Ar|Va|Li|Fl|Cm|Xr)$/.test(request[1] ?? '')
      ? (request[2] ?? '')
      : '\n\n'
  })
  return lines
    .join('\n')
    .replace(/\\s[-+]?\d|\\f[A-Z]|\\[&|^]/g, '')
    .replace(/\\-/g, '-')
    .split(/\n\s*\n/)
    .map(oneLine)
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
