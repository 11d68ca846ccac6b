import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { HITS } from './evaluate-facts.ts'
import { readCollection } from './read-collection.ts'
import { type Facts, readFacts, readUnanswerable } from './read-facts.ts'
import { createWorkspaces, onThrowawayDatabase } from './workspaces.ts'
import type { Material } from '../src/answers/index.ts'
import { loadBuiltinModel } from '../src/inference/embedding-models/builtin/builtin.ts'

/** A question with known facts, and what an answer reads for it. */
export interface AskedMaterial {
  id: string
  /** The document with the answer; null: none has one. */
  document: string | null
  facts: Facts
  material: Material
}

/**
 * Retrieves for each question of a collection with facts over its whole corpus.
 * @param cacheFolder keeps the result per collection, so that later runs take seconds; delete it when the
 *   collection or retrieval changes
 */
export async function readMaterials(folder: string, cacheFolder?: string): Promise<AskedMaterial[]> {
  if (cacheFolder === undefined) return await retrieveAll(folder)
  const file = join(cacheFolder, `${folder.replaceAll(/[^\w-]+/g, '_')}.v8`)
  try {
    const kept: AskedMaterial[] = deserialize(await readFile(file))
    return kept
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
  }
  const materials = await retrieveAll(folder)
  await mkdir(cacheFolder, { recursive: true })
  await writeFile(file, serialize(materials))
  return materials
}

async function retrieveAll(folder: string): Promise<AskedMaterial[]> {
  const collection = await readCollection(folder)
  const facts = await readFacts(folder)
  const model = await loadBuiltinModel()
  return await onThrowawayDatabase(async (db) => {
    const workspace = await (await createWorkspaces(db, model)).ingest(collection.name, collection.documents)
    const asked: AskedMaterial[] = []
    for (const { id, text, relevant } of collection.queries) {
      const [document = ''] = relevant.keys()
      asked.push({ id, document, facts: facts.get(id) ?? [], material: await workspace.read(text, HITS) })
    }
    for (const { id, text } of await readUnanswerable(folder))
      asked.push({ id, document: null, facts: [], material: await workspace.read(text, HITS) })
    return asked
  })
}
