import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startEmulatedService } from '../../cli/support/emulated-service.ts'
import { readPage, testedBlock } from '../../test/support/doc-pages.ts'

const run = promisify(execFile)
const CLIENT = path.join(import.meta.dirname, '..')
const TSC = path.join(CLIENT, '../node_modules/@typescript/native/bin/tsc')
const Packed = z.tuple([z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })])

const ESM = `import { Memory, MemoryError } from '@retrieval-memory/client'`
const COMMONJS = `const { Memory, MemoryError } = require('@retrieval-memory/client')`
const PROGRAM = `
async function main() {
const memory = new Memory({ apiKey: process.env.MEMORY_API_KEY, url: process.env.MEMORY_URL })
const { hits } = await memory.search('how many days')
let answer = ''
for await (const event of memory.askStream('how many days')) if (event.type === 'delta') answer += event.text
const refused = await new Memory({ apiKey: 'svc_no', url: memory.url }).sources.list().catch((error) => error)
const isKnown = refused instanceof MemoryError
console.log(JSON.stringify({ title: hits[0].title, answer, code: refused.code, isKnown, major: process.versions.node.split('.')[0] }))
}
main()
`
const ANSWERED = {
  title: expect.stringContaining('PTO'),
  answer: 'Employees get 25 days [1].',
  code: 'unauthenticated',
  isKnown: true,
}

let folder: string
let installed: string
let packed: z.output<typeof Packed>[0]

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'client-package-'))
  installed = path.join(folder, 'empty')
  await mkdir(installed)
  await writeFile(path.join(installed, 'main.js'), ESM + PROGRAM)
  await writeFile(path.join(installed, 'main.cjs'), COMMONJS + PROGRAM)
  // The folder of the tutorial, with the service's checkout as `~/memory`; the package is written beside it.
  await symlink(path.join(CLIENT, '..'), path.join(folder, 'memory'))
  const tutorial = await readPage('docs/tutorials/support-bot.md')
  const command = testedBlock(tutorial, 'install the client for the bot')
    .replace('npm pack', `npm pack --json --silent --pack-destination ${folder} >${folder}/packed.json`)
    .replace('~/memory/client/retrieval', `${folder}/retrieval`)
  await run('bash', ['-euo', 'pipefail', '-c', command], {
    cwd: installed,
    env: { ...process.env, HOME: folder, npm_config_offline: 'true', npm_config_fund: 'false' },
  })
  const printed = await readFile(path.join(folder, 'packed.json'), 'utf8')
  ;[packed] = Packed.parse(JSON.parse(printed.slice(printed.indexOf('['))))
  await writeFile(path.join(installed, 'package.json'), '{ "type": "module", "private": true }')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Every Node in PATH, one for each major version; this one first. */
async function nodes(): Promise<string[]> {
  const found = new Map<string, string>([[process.versions.node.split('.')[0] ?? '', process.execPath]])
  for (const place of ['/usr/bin', ...(process.env.PATH ?? '').split(path.delimiter)]) {
    const file = path.join(place, 'node')
    const version = await run(file, ['--version']).then(
      ({ stdout }) => /^v(\d+)/.exec(stdout)?.[1],
      () => undefined,
    )
    if (version !== undefined && Number(version) >= 20 && !found.has(version)) found.set(version, file)
  }
  return [...found.values()]
}

describe('the package', () => {
  it('has code, types, license and README, no tests, and no dependencies', async () => {
    const files = packed.files.map((file) => file.path)
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'dist/index.js',
        'dist/index.d.ts',
        'dist/commonjs/index.js',
        'dist/commonjs/index.d.ts',
        'dist/commonjs/package.json',
      ]),
    )
    expect(files.filter((file) => /test|\.ts$/.test(file) && !file.endsWith('.d.ts'))).toEqual([])
    expect(await readdir(path.join(installed, 'node_modules'))).toEqual([
      '.package-lock.json',
      '@retrieval-memory',
    ])
  })

  it('is installed by the same command from a checkout and from elsewhere', async () => {
    const [reference, tutorial] = await Promise.all([
      readPage('docs/reference/clients.md'),
      readPage('docs/tutorials/support-bot.md'),
    ])
    const elsewhere = testedBlock(reference, 'install the TypeScript client')
      .replace('(cd client', '(cd ~/memory/client')
      .replace('./client/', '~/memory/client/')
      .replace('&& npm install', '&& npm init -y && npm install')
    expect(elsewhere).toBe(testedBlock(tutorial, 'install the client for the bot'))
  })

  it('runs as an ES module and as CommonJS on every installed Node', async (context) => {
    const service = await startEmulatedService()
    const env = { MEMORY_URL: service.url, MEMORY_API_KEY: service.key }
    const majors: string[] = []
    for (const node of await nodes()) {
      for (const file of ['main.js', 'main.cjs']) {
        const { stdout } = await run(node, [file], { cwd: installed, env })
        const { major, ...result } = JSON.parse(stdout)
        expect(result, `${node} ${file}`).toEqual(ANSWERED)
        majors.push(major)
      }
    }
    await service.close()
    if (!majors.includes('20')) context.skip(`only on Node ${majors.join(', ')}: Node 20 is not installed`)
  })

  it('runs as an ES module and as CommonJS on Bun', async (context) => {
    const isInstalled = await run('bun', ['--version']).then(
      () => true,
      () => false,
    )
    if (!isInstalled) return context.skip('bun is not installed')
    const service = await startEmulatedService()
    const env = { ...process.env, MEMORY_URL: service.url, MEMORY_API_KEY: service.key }
    for (const file of ['main.js', 'main.cjs']) {
      const { stdout } = await run('bun', [file], { cwd: installed, env })
      expect(JSON.parse(stdout), file).toMatchObject(ANSWERED)
    }
    await service.close()
  })

  it.each([
    { file: 'typed.mts', module: 'nodenext', resolution: 'nodenext' },
    { file: 'typed.cts', module: 'nodenext', resolution: 'nodenext' },
    { file: 'typed.cts', module: 'node16', resolution: 'node16' },
    { file: 'typed.mts', module: 'esnext', resolution: 'bundler' },
  ])('types $file under module $module without types of Node', async ({ file, module, resolution }) => {
    await writeFile(
      path.join(installed, file),
      `import { type Shape, Memory } from '@retrieval-memory/client'
       const memory = new Memory({ apiKey: 'svc_x', url: 'http://x' })
       export const hits = async (): Promise<Shape<'Hit'>[]> => (await memory.search({ query: 'q', rank: 'hybrid' })).hits
       // @ts-expect-error there is no such order
       export const wrong = memory.search({ query: 'q', rank: 'words' })`,
    )
    const language = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--types', '']
    const flags = [...language, '--module', module, '--moduleResolution', resolution]
    const checked = await run(process.execPath, [TSC, ...flags, file], { cwd: installed }).catch(
      (failure: unknown) => z.object({ stdout: z.string() }).parse(failure),
    )
    expect(checked.stdout).toBe('')
  })

  it('bundles for a browser without Node modules and without unused code', async () => {
    const input = path.join(installed, 'browser.js')
    await writeFile(input, `export { Memory } from '@retrieval-memory/client'`)
    const warnings: string[] = []
    const bundle = await rolldown({
      input,
      platform: 'browser',
      onLog: (_level, { message }) => warnings.push(message),
    })
    const { output } = await bundle.generate({ format: 'esm' })
    await bundle.close()
    expect(warnings).toEqual([])
    expect(output).toHaveLength(1)
    expect(output[0].imports).toEqual([])
    expect(output[0].code).not.toMatch(/node:|\brequire\(|\bprocess\.|\bBuffer\b/)
    const unused = path.join(installed, 'unused.js')
    await writeFile(unused, `import '@retrieval-memory/client'`)
    const empty = await rolldown({ input: unused, platform: 'browser' })
    expect((await empty.generate({ format: 'esm' })).output[0].code.trim()).toBe('')
    await empty.close()
  })

  it('has the version of the service', async () => {
    const versionOf = async (file: string) =>
      JSON.parse(await readFile(path.join(CLIENT, file), 'utf8')).version
    expect(await versionOf('package.json')).toBe(await versionOf('../package.json'))
  })
})
