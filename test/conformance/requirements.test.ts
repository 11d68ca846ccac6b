import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { REQUIREMENTS } from './requirements.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const ID = /\[((?:[A-Z]+-\d+)(?:, [A-Z]+-\d+)*)\]/g

/** Ids cited in test titles (`[ID]` or `[ID, ID]` inside a string), with their files. */
async function citations(): Promise<Map<string, string[]>> {
  const cited = new Map<string, string[]>()
  for await (const file of glob('{src,test,cli}/**/*.test.ts', { cwd: ROOT })) {
    const source = await readFile(`${ROOT}/${file}`, 'utf8')
    const strings = source.matchAll(/(['"`])(?:\\.|(?!\1).)*\1/g)
    const ids = strings.flatMap(([text]) => text.matchAll(ID)).flatMap(([, list = '']) => list.split(', '))
    for (const id of ids) cited.set(id, [...(cited.get(id) ?? []), file])
  }
  return cited
}

describe('the requirements', () => {
  it('are each cited by a test', async () => {
    const cited = await citations()
    expect(REQUIREMENTS.filter(({ id }) => !cited.has(id))).toEqual([])
  })

  it('are the only ones that tests cite', async () => {
    const known = new Set(REQUIREMENTS.map(({ id }) => id))
    const unknown = [...(await citations())].filter(([id]) => !known.has(id))
    expect(unknown).toEqual([])
  })

  it('have unique ids', () => {
    expect(new Set(REQUIREMENTS.map(({ id }) => id)).size).toBe(REQUIREMENTS.length)
    expect(REQUIREMENTS.length).toBeGreaterThan(100)
  })
})
