import { readFile, writeFile } from 'node:fs/promises'

import { decodeArtifact, type ModelId } from '../src/inference/embedding-models/builtin/artifact-format.ts'
import { artifactPath } from '../src/inference/embedding-models/builtin/builtin.ts'
import { carriesNoSubject } from '../src/inference/embedding-models/builtin/foreign-stop-words.ts'
import { FOREIGN_WORDS } from '../src/inference/embedding-models/builtin/foreign-words.ts'
import { tokenize } from '../src/inference/embedding-models/builtin/tokenize.ts'

/** English, German, French, Spanish, Italian, Portuguese, Dutch. */
const COLUMNS = 7

/**
 * The stems of a list of words with their English stems, in lines for `foreign-words.txt`. `list` has an English word on
 * each line, then its translations and their forms in each language, separated by commas.
 * @param isEnglish whether a stem keeps its English meaning
 * @throws Error if a line lacks a column
 */
export function foreignStems(list: string, isEnglish: (stem: string) => boolean): string {
  const translations = new Map<string, Set<string>>()
  for (const [at, line] of list.replace(/\n$/, '').split('\n').entries()) {
    const [english = '', ...languages] = line.split('\t')
    if (languages.length !== COLUMNS - 1) throw new Error(`Line ${at + 1} does not have ${COLUMNS} columns.`)
    const [englishStem] = tokenize(english)
    if (englishStem === undefined) continue
    for (const form of languages.join(',').split(',')) {
      const [stem, ...others] = tokenize(form)
      if (stem === undefined || stem === englishStem || others.length > 0) continue
      if (carriesNoSubject(stem) || isEnglish(stem)) continue
      const known = translations.get(stem) ?? new Set()
      translations.set(stem, known.add(englishStem))
    }
  }
  const lines = [...translations].map(([stem, english]) => `${stem} ${[...english].join(' ')}\n`)
  return lines.toSorted().join('')
}

/** The list in this folder, without the stems that the built-in model learned as words of an English dictionary. */
export async function storedForeignStems(): Promise<string> {
  const [list, learned, others] = await Promise.all([
    readFile(new URL('foreign-words.tsv', import.meta.url), 'utf8'),
    stemsOf('builtin-4'),
    stemsOf('builtin-2'),
  ])
  return foreignStems(list, (stem) => learned.has(stem) && !others.has(stem))
}

async function stemsOf(id: ModelId): Promise<Set<string>> {
  const path = artifactPath(id)
  return new Set(decodeArtifact(await readFile(path), path, id).stems)
}

/** Writes the stems that the built-in model reads. Run it after a change of `foreign-words.tsv`. */
if (import.meta.main) await writeFile(FOREIGN_WORDS, await storedForeignStems())
