import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CommandResult, runCommand, startCommand } from '../../cli/support/run-command.ts'
import { createEmbeddingModel } from '../../src/inference/embedding-models/create-embedding-model.ts'
import { KNOWN_MODELS } from '../../src/inference/embedding-models/known-models.ts'
import { PROBES } from '../../src/inference/embedding-models/try-model.ts'
import { type ModelHub, startModelHub } from '../support/model-hub.ts'
import { type OpenAiEmulator, startOpenAiEmulator } from '../support/openai-emulator.ts'
import { OPERATOR_TOKEN, startTestService, type TestService } from '../support/service.ts'
import { wordVectors, writeTinyOnnxModel } from '../support/tiny-onnx-model.ts'
import { until } from '../support/until.ts'

const WEIGHTS = 'onnx/model_quantized.onnx'
const KEY = 'server-key-0123456789'
const known = KNOWN_MODELS[0]
if (known === undefined) throw new Error('no model is known')

let folder: string
let hub: ModelHub
let server: OpenAiEmulator
let service: TestService

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'model-command-'))
  const words = wordVectors([...PROBES, 'The harbour has a crane.', 'harbour'], 384)
  await writeTinyOnnxModel(join(folder, 'tiny'), words)
  hub = await startModelHub(known, join(folder, 'tiny'))
  server = await startOpenAiEmulator({ apiKey: KEY, dimensions: 48 })
  service = await startTestService({
    embeddingModel: await createEmbeddingModel({ provider: 'builtin' }),
    choiceTimes: { pollMs: 20 },
    dataDir: join(folder, 'data'),
  })
  const organization = await service.organization()
  const document = {
    connectorId: organization.sources.notion,
    provider: 'notion',
    sourceKind: 'document',
    externalId: 'crane',
    title: 'Harbour',
    body: 'The harbour has a crane.',
  }
  await service.call('POST', '/v1/ingest', { key: organization.adminKey, body: { documents: [document] } })
})
afterAll(async () => {
  await service.close()
  await Promise.all([hub.close(), server.close()])
  await rm(folder, { recursive: true })
})

const memory = (args: readonly string[], environment: Record<string, string> = {}): Promise<CommandResult> =>
  runCommand(['model', ...args], { MEMORY_URL: service.url, OPERATOR_TOKEN, ...environment })

describe('memory model', () => {
  it('lists the models, downloads one, and says when all chunks use it', async () => {
    const listed = await memory(['list'])
    for (const { name } of KNOWN_MODELS) expect(listed.stdout).toContain(name)
    const used = await memory(['use', known.name, '--mirror', hub.url])
    expect(used).toMatchObject({
      code: 0,
      stdout: `The embedding model is local:${known.name}:384, for all chunks.\n`,
    })
    const shown = await memory([])
    expect(shown.stdout).toContain(`Model   local:${known.name}:384\nChunks  all use this model\n`)
  })

  it("accepts a server's URL without a version path and its key from the environment, and shows neither", async () => {
    const used = await memory(['use', 'some-model', '--server', server.origin, '--json'], {
      EMBEDDING_API_KEY: KEY,
    })
    expect(used.code).toBe(0)
    expect(JSON.parse(used.stdout)).toMatchObject({ model: 'openai:some-model:48', baseUrl: server.baseUrl })
    expect(used.stdout + used.stderr).not.toContain(KEY)
  })

  it('says why a model is unavailable, and that the former one still works', async () => {
    const before = await memory(['--json'])
    const failed = await memory(['use', 'some-model', '--server', 'http://127.0.0.1:9'])
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(/could not be reached.*\nThe embedding model is .*, as before/)
    expect(JSON.parse((await memory(['--json'])).stdout).model).toBe(JSON.parse(before.stdout).model)
  })

  it('rejects an invalid model before it requests anything', async () => {
    expect(await memory(['use', 'no-such-model'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('neither a known model (builtin, all-minilm-l6-v2'),
    })
    expect((await memory(['use', 'm', '--server', 'localhost:11434'])).code).toBe(2)
  })

  it.each([
    [['--dimensions', 'many', '--server', 'http://127.0.0.1:9'], 'whole number from 1 to 4000'],
    [['--dimensions', '8'], '--dimensions works only for a model on a server'],
    [
      ['--mirror', 'the hub', '--server', 'http://127.0.0.1:9'],
      '--mirror works only for a model of "model list"',
    ],
    [['--mirror', 'the hub'], '"the hub" is not the address of a server'],
  ])("rejects %j with the command line's own message", async (options, words) => {
    const refused = await memory(['use', known.name, ...options])
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(words) })
  })
})

describe('memory model use, during a change', () => {
  beforeEach(async () => {
    hub.faults.set(WEIGHTS, 'stalled')
    hub.asked.length = 0
    await rm(join(folder, 'data', 'models'), { recursive: true, force: true })
  })
  const start = async () => {
    const environment = { MEMORY_URL: service.url, OPERATOR_TOKEN }
    const running = startCommand(['model', 'use', known.name, '--mirror', hub.url], environment)
    await until('a download under way', () => hub.asked.includes(WEIGHTS), Boolean)
    return running
  }

  it("does not mistake another change's end for its own", async () => {
    const running = await start()
    expect((await memory(['use', 'builtin'])).code).toBe(0)
    expect(await running.done).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('A later change to builtin replaced this one'),
    })
  })

  it('says on Ctrl-C that the service continues, and how to check and revert', async () => {
    const running = await start()
    await until(
      'the command following',
      () => running.stderr(),
      // Whether it looks before or after the download has begun.
      (text) => /searching for|downloading/.test(text),
    )
    running.child.kill('SIGINT')
    const { code, stderr } = await running.done
    expect(code).toBe(130)
    expect(stderr).toMatch(
      /The change continues in the service.*npm run memory -- model\b.*model use builtin/s,
    )
    expect(JSON.parse((await memory(['--json'])).stdout).change.status).toBe('running')
  })
})
