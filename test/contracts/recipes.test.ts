import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { readPage, ROOT } from '../support/doc-pages.ts'

const FOLDERS = [
  'bench',
  'cli',
  'client/python/src',
  'client/src',
  'console/src',
  'deploy',
  'docs',
  'emulators',
  'evaluation',
  'scripts',
  'site/pages.mjs',
  'src',
  'test',
]
const FILE = /\.(ts|tsx|mjs|cjs|md|yaml|json|py)$/
const CODE = /\.(ts|tsx|mjs|cjs|sql)$/

/** The paths of the checkout, and the text of its code. */
let paths: string[]
let code: string
/** What the recipes name in code style. */
let names: string[]

beforeAll(async () => {
  const below = await Promise.all(
    FOLDERS.map(async (folder) => {
      if (FILE.test(folder)) return [folder]
      const found = await readdir(path.join(ROOT, folder), { recursive: true })
      return found.map((name) => path.posix.join(folder, name))
    }),
  )
  paths = [...below.flat(), ...(await readdir(ROOT))]
  const texts = paths
    .filter((name) => CODE.test(name) && name !== 'test/contracts/recipes.test.ts')
    .map((name) => readFile(path.join(ROOT, name), 'utf8'))
  code = (await Promise.all(texts)).join('\n')
  names = [...(await readPage('RECIPES.md')).matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)
})

/** A name in which `*` or `…` stands for any characters. */
function patternOf(name: string): string {
  return name.replaceAll(/[.$]/g, String.raw`\$&`).replaceAll(/[*…]/g, String.raw`[\w-]*`)
}

it('the recipes name only existing files', () => {
  const missing = names.filter((name) => {
    const pattern = new RegExp(`(^|/)${patternOf(name)}$`)
    // `pages.test.ts` checks those with a folder.
    return FILE.test(name) && !name.includes('/') && !paths.some((one) => pattern.test(one))
  })
  expect(missing).toEqual([])
})

it('the recipes name only what the code has', () => {
  const words = names.filter((name) => /^[\w…]+(\.\w+)?$/.test(name) && !FILE.test(name))
  expect(words.length).toBeGreaterThan(40)
  expect(words.filter((name) => !new RegExp(String.raw`\b${patternOf(name)}\b`).test(code))).toEqual([])
})
