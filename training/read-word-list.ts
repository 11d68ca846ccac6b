import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'

const WordFile = z.object({ words: z.array(z.string()) })

/** The words of an unpacked package of winkNLP, the most frequent first. */
export async function readWordList(folder: string, name: string): Promise<string[]> {
  return WordFile.parse(JSON.parse(await readFile(path.join(folder, `${name}.json`), 'utf8'))).words
}
