import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface DocPage {
  /** Its path in the checkout. */
  file: string
  text: string
}

export interface CodeBlock {
  language: string
  code: string
  /** The name in the comment `<!-- tested: … -->` before it; undefined without one. */
  test: string | undefined
  /** The name in `<!-- schema: … -->`: its JSON is valid by this schema of the OpenAPI document. */
  schema: string | undefined
  /** The reason in `<!-- not run: … -->`. */
  notRun: string | undefined
}

const BLOCK = /(?:<!-- (tested|schema|not run): ([^>]*?) -->\n)?^([ \t]*)```(\w*)\n([^]*?)^[ \t]*```$/gm

/** The pages for readers: `docs/`, and those at the root of the checkout and of the clients. */
export async function docPages(): Promise<DocPage[]> {
  const below = await readdir(path.join(ROOT, 'docs'), { recursive: true })
  const files = [
    ...below.filter((name) => name.endsWith('.md')).map((name) => path.posix.join('docs', name)),
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'ARCHITECTURE.md',
    'RECIPES.md',
    'SECURITY.md',
    'client/README.md',
    'client/python/README.md',
  ]
  return await Promise.all(files.toSorted().map(async (file) => ({ file, text: await readPage(file) })))
}

export function readPage(file: string): Promise<string> {
  return readFile(path.join(ROOT, file), 'utf8')
}

/** A page's fenced blocks, without the indentation of their list. */
export function codeBlocks(text: string): CodeBlock[] {
  return [...text.matchAll(BLOCK)].map(([, mark, value, indent = '', language = '', code = '']) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    test: mark === 'tested' ? value : undefined,
    schema: mark === 'schema' ? value : undefined,
    notRun: mark === 'not run' ? value : undefined,
  }))
}

/** A page without its fenced blocks. */
export function proseOf(text: string): string {
  return text.replaceAll(BLOCK, '')
}

/** The block that a test runs or compares. @throws if the page has none */
export function testedBlock(text: string, name: string): string {
  const block = codeBlocks(text).find(({ test }) => test === name)
  if (block === undefined) throw new Error(`the page has no block marked <!-- tested: ${name} -->`)
  return block.code
}
