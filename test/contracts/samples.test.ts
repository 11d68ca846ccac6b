import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CodeBlock, codeBlocks, docPages } from '../support/doc-pages.ts'

/** Programs outside the project, which no test runs. */
const OUTSIDE = new Set(
  `export cd cp chmod find grep npx python3 pip . pg_dump createdb pg_restore ollama llama-server claude kubectl helm
  docker`.split(/\s+/),
)
/** Other tests check their scripts, paths, commands and options. */
const PROJECT = new Set(['npm', 'node', 'memory'])

let samples: { file: string; block: CodeBlock }[]
beforeAll(async () => {
  const pages = await docPages()
  samples = pages.flatMap(({ file, text }) => codeBlocks(text).map((block) => ({ file, block })))
})

/** The programs that a shell block starts. */
function programsOf({ code }: CodeBlock): string[] {
  return code
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/"[^"]*"|'[^']*'/g, '""')
    .split(/\n|&&|\|/)
    .map((line) =>
      line
        .replace(/#.*$/, '')
        .replaceAll(/[()]|\b[A-Z_]+=\S+ /g, '')
        .trim(),
    )
    .filter((line) => line !== '')
    .map((line) => line.split(' ')[0] ?? '')
}

describe('a sample of the documentation', () => {
  it('is run by a test if it is a program or sends a request', () => {
    const isRun = ({ language, code }: CodeBlock) =>
      ['ts', 'js', 'python'].includes(language) || (language === 'sh' && /\bcurl\b/.test(code))
    expect(samples.filter(({ block }) => block.test === undefined && isRun(block))).toEqual([])
  })

  it('uses only programs of the project and known others', () => {
    const unknown = samples
      .filter(({ block }) => block.language === 'sh' && block.test === undefined)
      .flatMap(({ file, block }) => programsOf(block).map((program) => ({ file, program })))
      .filter(({ program }) => !OUTSIDE.has(program) && !PROJECT.has(program))
    expect(unknown).toEqual([])
  })

  it('can be parsed by bash', () => {
    const broken = samples
      .filter(({ block }) => block.language === 'sh')
      .filter(({ block }) => spawnSync('bash', ['-n'], { input: block.code }).status !== 0)
    expect(broken).toEqual([])
  })
})
