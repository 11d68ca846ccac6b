import { readFileSync } from 'node:fs'
import path from 'node:path'

import { listFiles } from './extract-text.ts'
import type { TranslationSource } from './sources.ts'

/** An English text and its translation. */
export type Translation = readonly [english: string, other: string]

/** Training languages, by their gettext and CLDR names. */
const LANGUAGES = ['de', 'fr', 'es', 'ja']
/** What programs insert into messages: placeholders, tags, keyboard shortcut marks. */
const PLACEHOLDER = /%\([\w.]+\)[sdr]?|%[-\d.]*l*[sdurixcf]|\{\w*\}|<[^>]{1,200}>|[_&](?=[A-Za-z])/g
/** CLDR's folders of names, each with one file per language. */
const CLDR_FOLDERS = ['annotations', 'main', 'subdivisions']
const CLDR_NAMED = /<(language|territory|script|variant|subdivision) type="([^"]+)"[^>]*>([^<]+)</g
const CLDR_DISPLAYED = /<(currency|unit) type="([^"]+)">\s*<displayName>([^<]+)</g
const CLDR_ANNOTATION = /<annotation cp="([^"]+)"[^>]*>([^<]+)</g

/** The translations of one source, each English text once per language. `folder` is the unpacked package. */
export function* extractTranslations(folder: string, source: TranslationSource): Generator<Translation> {
  const files = listFiles(folder)
  for (const language of LANGUAGES) {
    if (source.format === 'cldr') yield* namesOf(files, language)
    else yield* messagesOf(files, source.format, language)
  }
}

function* messagesOf(
  files: readonly string[],
  format: 'po' | 'mo',
  language: string,
): Generator<Translation> {
  const seen = new Set<string>()
  for (const file of files) {
    if (!file.includes(`/locale/${language}/LC_MESSAGES/`) || !file.endsWith(`.${format}`)) continue
    const bytes = readFileSync(file)
    const messages = format === 'po' ? readPo(bytes.toString('utf8')) : readMo(bytes)
    for (const [english, other] of messages) {
      if (seen.has(english) || english === other) continue
      seen.add(english)
      yield [english.replace(PLACEHOLDER, ' '), other.replace(PLACEHOLDER, ' ')]
    }
  }
}

/**
 * gettext's text format (https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html), without fuzzy
 * entries.
 */
export function* readPo(text: string): Generator<Translation> {
  for (const entry of text.split(/\n\s*\n/)) {
    if (/^#,.*\bfuzzy\b/m.test(entry)) continue
    const english = poField(entry, 'msgid')
    const other = poField(entry, 'msgstr') || poField(entry, 'msgstr\\[0\\]')
    if (english !== '' && other !== '') yield [english, other]
  }
}

function poField(entry: string, name: string): string {
  const field = new RegExp(`^${name} ((?:".*"\\n?)+)`, 'm').exec(entry)?.[1] ?? ''
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' }
  return field
    .split('\n')
    .map((line) => line.slice(1, -1).replace(/\\(.)/g, (_, one: string) => escapes[one] ?? one))
    .join('')
}

/** gettext's binary format, little-endian (https://www.gnu.org/software/gettext/manual/html_node/MO-Files.html). */
export function* readMo(bytes: Buffer): Generator<Translation> {
  const count = bytes.readUInt32LE(8)
  const textAt = (table: number, n: number): string => {
    const at = bytes.readUInt32LE(table + 8 * n + 4)
    return bytes.toString('utf8', at, at + bytes.readUInt32LE(table + 8 * n))
  }
  for (let n = 0; n < count; n++) {
    // A context precedes EOT; plural forms follow NUL.
    const english = textAt(bytes.readUInt32LE(12), n).split('\u0004').at(-1)?.split('\0')[0] ?? ''
    const other = textAt(bytes.readUInt32LE(16), n).split('\0')[0] ?? ''
    if (english !== '' && other !== '') yield [english, other]
  }
}

function* namesOf(files: readonly string[], language: string): Generator<Translation> {
  for (const folder of CLDR_FOLDERS) {
    const find = (name: string): string | undefined =>
      files.find((file) => file.endsWith(`/common/${folder}/${name}.xml`))
    const [english, other] = [find('en'), find(language)]
    if (english === undefined || other === undefined) {
      throw new Error(`CLDR's ${path.join('common', folder)} has no file for ${language} or English.`)
    }
    const names = readCldr(readFileSync(english, 'utf8'))
    for (const [key, name] of readCldr(readFileSync(other, 'utf8'))) {
      const same = names.get(key)
      if (same !== undefined && same !== name) yield [same, name]
    }
  }
}

/** Names of languages, countries, regions, currencies and units, and words for emoji, by code (UTS 35). */
export function readCldr(xml: string): Map<string, string> {
  const names = new Map<string, string>()
  for (const pattern of [CLDR_NAMED, CLDR_DISPLAYED]) {
    for (const [, kind = '', type = '', name = ''] of xml.matchAll(pattern))
      names.set(`${kind} ${type}`, name)
  }
  for (const [, sign = '', words = ''] of xml.matchAll(CLDR_ANNOTATION)) {
    names.set(sign, `${names.get(sign) ?? ''} ${words.replaceAll('|', ' ')}`.trim())
  }
  return names
}
