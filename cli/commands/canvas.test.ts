import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmulatedService, startEmulatedService } from '../support/emulated-service.ts'
import { type CommandResult, runCommand } from '../support/run-command.ts'

let service: EmulatedService
let folder: string
beforeAll(async () => {
  service = await startEmulatedService()
  folder = await mkdtemp(join(tmpdir(), 'canvas-'))
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  service.requests.length = 0
  const nodes = [
    { id: 's', kind: 'source', type: 'notion', label: 'Handbook', provider: 'notion', weight: 9 },
    { id: 'a', kind: 'entity', type: 'person', label: 'Ada\u001b[2J\nLovelace', provider: null, weight: 4 },
    { id: 'o', kind: 'entity', type: 'topic', label: '<script>Orion & "co"', provider: null, weight: 2 },
  ]
  const edges = [{ id: 'e', source: 'a', target: 'o', type: 'mentions', weight: 2 }]
  const body = { nodes, edges, generatedAt: '2026-11-01T10:00:00.000Z', complete: false, itemsWaiting: 7 }
  service.intercept = () => ({ status: 200, body })
})

const memory = (...args: string[]): Promise<CommandResult> =>
  runCommand(args, { MEMORY_URL: service.url, MEMORY_API_KEY: service.key })

describe('memory canvas', () => {
  it('shows the nodes in aligned columns, without control sequences, and what is not read yet', async () => {
    const { stdout, stderr, code } = await memory('canvas')
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'NAME                  KIND             WEIGHT',
      'Handbook              source (notion)  9',
      'Ada[2J Lovelace       person           4',
      '<script>Orion & "co"  topic            2',
      '',
    ])
    expect(stderr).toContain('7 documents are still being processed')
  })

  it('requests the chosen part', async () => {
    await memory(
      'canvas',
      'ada',
      'lovelace',
      '--type',
      'person',
      '--provider',
      'slack',
      '--limit',
      '5',
      '--since',
      '2026-01-01T00:00:00Z',
    )
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/v1/memory-canvas?provider=slack&limit=5&since=2026-01-01T00%3A00%3A00Z&q=ada+lovelace&entityType=person',
    ])
    expect((await memory('canvas', '--limit', '501')).code).toBe(2)
  })

  it('draws a deterministic, self-contained SVG without scripts', async () => {
    const files = [join(folder, 'one.svg'), join(folder, 'two.svg')]
    for (const file of files) expect((await memory('canvas', '--svg', file)).code).toBe(0)
    const [one = '', two] = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    expect(two).toBe(one)
    expect(one).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    expect(one).toContain('&lt;script&gt;Orion &amp; &quot;co&quot;')
    expect(one).not.toMatch(/<script|href|\u001b/)
    expect((await memory('canvas', '--svg', join(folder, 'none', 'x.svg'))).stderr).toContain(
      'cannot be written: its folder does not exist',
    )
  })
})
