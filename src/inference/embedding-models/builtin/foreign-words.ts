import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { StartupError } from '../../../kernel/errors.ts'

/** The English stems that translate a stem of another language; none: it is not in the list. */
export type Translate = (stem: string) => readonly string[]

export const FOREIGN_WORDS = fileURLToPath(new URL('foreign-words.txt', import.meta.url))

/** Loads the translations of stems in German, French, Spanish, Italian, Portuguese, and Dutch. @throws StartupError */
export async function loadForeignWords(): Promise<Translate> {
  try {
    return readForeignWords(await readFile(FOREIGN_WORDS, 'utf8'))
  } catch (cause) {
    throw new StartupError(
      `The built-in embedding model cannot read ${FOREIGN_WORDS}. Restore it from the release you run.`,
      { cause },
    )
  }
}

/** Reads lines of a stem and its English stems, separated by spaces. */
export function readForeignWords(text: string): Translate {
  const translations = new Map<string, readonly string[]>()
  for (const line of text.trimEnd().split('\n')) {
    const [stem = '', ...english] = line.split(' ')
    translations.set(stem, english)
  }
  return (stem) => translations.get(stem) ?? []
}
