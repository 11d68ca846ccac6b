import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'

import type { WordList } from './general-vectors.ts'

/** The package's file: words by frequency, and for each its vector, with its length and index behind. */
const WordFile = z.object({
  dimensions: z.number(),
  words: z.array(z.string()),
  vectors: z.custom<Readonly<Record<string, number[]>>>(
    (value) => typeof value === 'object' && value !== null,
  ),
})

/** Reads the vectors of an unpacked package of winkNLP. */
export async function readWordList(folder: string, name: string): Promise<WordList> {
  const file = path.join(folder, `${name}.json`)
  const { dimensions, words, vectors } = WordFile.parse(JSON.parse(await readFile(file, 'utf8')))
  return {
    dimensions,
    words,
    vectorOf: (word) => {
      const vector = vectors[word]
      if (vector === undefined || vector.length < dimensions)
        throw new Error(`${file} has no vector of ${dimensions} numbers for ${word}.`)
      return vector
    },
  }
}
