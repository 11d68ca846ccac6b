import { execFile } from 'node:child_process'
import { glob, mkdtemp, readdir, readFile, rm, cp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { z } from 'zod'
import packageJson from '../../package.json' with { type: 'json' }

const run = promisify(execFile)
const ROOT = path.join(import.meta.dirname, '../..')
const read = (name: string): Promise<string> => readFile(path.join(ROOT, name), 'utf8')

const Workflow = z.object({
  name: z.string(),
  on: z.object({}),
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.object({
      'runs-on': z.literal('ubuntu-latest'),
      needs: z.union([z.string(), z.array(z.string())]).optional(),
      steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })),
    }),
  ),
})

const workflows = async (): Promise<[string, z.output<typeof Workflow>][]> => {
  const names = await readdir(path.join(ROOT, '.github/workflows'))
  return await Promise.all(
    names.map(async (name): Promise<[string, z.output<typeof Workflow>]> => {
      const document = parseDocument(await read(`.github/workflows/${name}`))
      expect(document.errors, name).toEqual([])
      expect(document.warnings, name).toEqual([])
      return [name, Workflow.parse(document.toJS())]
    }),
  )
}

describe('a workflow', () => {
  it('has only read permission by default, and names existing jobs', async () => {
    const found = await workflows()
    expect(found.map(([name]) => name).toSorted()).toEqual(['check.yml', 'release.yml'])
    for (const [name, { permissions, jobs }] of found) {
      expect(permissions, name).toEqual({ contents: 'read' })
      for (const { needs = [] } of Object.values(jobs))
        expect([needs].flat().filter((job) => !(job in jobs))).toEqual([])
    }
  })

  it('has shell steps that bash can parse, without data from events', async () => {
    for (const [name, { jobs }] of await workflows())
      for (const { steps } of Object.values(jobs))
        for (const { run: script } of steps) {
          if (script === undefined) continue
          await run('bash', ['-n', '-c', script])
          // Expressions are expanded before the shell runs: a title or branch name could inject a command.
          expect(script, name).not.toContain('${{')
        }
  })

  it('sets up emulation before it builds an image for other processors', async () => {
    for (const [name, { jobs }] of await workflows())
      for (const { steps } of Object.values(jobs)) {
        const build = steps.findIndex(({ run: script = '' }) => script.includes('--platform'))
        if (build < 0) continue
        const emulation = steps.findIndex(({ uses = '' }) => uses.startsWith('docker/setup-qemu-action@'))
        expect(emulation, name).toBeGreaterThanOrEqual(0)
        expect(emulation, name).toBeLessThan(build)
      }
  })

  it('runs existing scripts and tasks', async () => {
    const scripts = new Set(Object.keys(packageJson.scripts))
    for (const [, { jobs }] of await workflows())
      for (const { steps } of Object.values(jobs))
        for (const { run: script = '' } of steps) {
          for (const [, task = ''] of script.matchAll(/npm run (\w+)/g)) expect(scripts).toContain(task)
          for (const [, file = ''] of script.matchAll(/node (scripts\/[\w-]+\.mjs)/g)) await read(file)
        }
  })
})

describe('an issue form', () => {
  it('is valid YAML with a required field', async () => {
    const folder = '.github/ISSUE_TEMPLATE'
    const Form = z.object({
      name: z.string(),
      description: z.string(),
      body: z.array(z.looseObject({ type: z.string(), attributes: z.looseObject({ label: z.string() }) })),
    })
    for (const name of (await readdir(path.join(ROOT, folder))).filter((file) => file !== 'config.yml')) {
      const document = parseDocument(await read(`${folder}/${name}`))
      expect(document.errors, name).toEqual([])
      expect(JSON.stringify(Form.parse(document.toJS()))).toContain('"required":true')
    }
  })
})

describe('a release', () => {
  it('has notes when every file has its version, and none otherwise', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'release-'))
    const files = [
      'package.json',
      'client/package.json',
      'client/python/pyproject.toml',
      'src/kernel/version.ts',
      'deploy/helm/memory/Chart.yaml',
      'deploy/kubernetes/kustomization.yaml',
      'scripts/release-notes.mjs',
      'CHANGELOG.md',
    ]
    try {
      for (const file of files) await cp(path.join(ROOT, file), path.join(folder, file))
      const notes = (tag: string) =>
        run(process.execPath, [path.join(folder, 'scripts/release-notes.mjs'), tag])
      const tag = `v${packageJson.version}`
      await expect(notes(tag)).rejects.toMatchObject({ stderr: expect.stringContaining('has no section') })
      await expect(notes('v99.0.0')).rejects.toMatchObject({
        stderr: expect.stringContaining('package.json'),
      })
      const changelog = await read('CHANGELOG.md')
      const released = changelog.replace('## [Unreleased]', `## [${packageJson.version}] - 2026-01-01`)
      await writeFile(path.join(folder, 'CHANGELOG.md'), released)
      expect((await notes(tag)).stdout).toMatch(/^### Added\n/)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

it('has straight apostrophes in what people read', async () => {
  const curly: string[] = []
  const texts = ['{cli,client,console/src,emulators,scripts,src}/**/*.{mjs,py,ts,tsx}', '{.,docs/**}/*.md']
  for await (const file of glob(texts, { cwd: ROOT, exclude: ['**/node_modules/**', '**/*.{test,d}.ts'] }))
    if (/\p{L}’\p{L}/u.test(await read(file))) curly.push(file)
  expect(curly).toEqual([])
})
