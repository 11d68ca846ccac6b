import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import type { ApiClient } from '../api-client.ts'
import { CommandError, UsageError } from '../failures.ts'
import { givenPath } from '../given-path.ts'
import { retryPolicyOn } from '../follow-run.ts'
import { DIMENSIONS_MAX } from '../../src/kernel/limits.ts'
import { operatorClient } from '../operator-client.ts'
import { formatTable, printableLine, type Terminal } from '../terminal.ts'
import { wholeNumber } from './options.ts'
import { openSession, printJson } from './session.ts'

const LOOK_MS = 1_000
const BUILTIN = 'builtin'
/** Exit code after Ctrl-C. */
const EXIT_STOPPED = 130
const INSTALLER = path.join(import.meta.dirname, '..', '..', 'scripts', 'install-local-models.mjs')

const Status = z.looseObject({
  model: z.string(),
  provider: z.string(),
  baseUrl: z.string().nullable(),
  change: z.looseObject({
    status: z.enum(['idle', 'running', 'succeeded', 'failed']),
    step: z.enum(['downloading', 'trying', 'moving']).nullable(),
    model: z.string().nullable(),
    bytesDone: z.int(),
    bytesTotal: z.int(),
    errorMessage: z.string().nullable(),
  }),
  movingOrganizations: z.int(),
  chunksTotal: z.int(),
  chunksDone: z.int(),
  moveError: z.string().nullable(),
  isRuntimeInstalled: z.boolean(),
  knownModels: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      dimensions: z.int(),
      megabytes: z.int(),
      isThere: z.boolean(),
    }),
  ),
})
type Status = z.infer<typeof Status>

interface UseOptions {
  server?: string
  mirror?: string
  dimensions?: number
}

/** `model`, `model list`, `model use`: the embedding model, for the operator. */
export function addModelCommand(program: Command): void {
  const model = program.command('model').description('show or change the embedding model, as the operator')
  model
    .command('show', { isDefault: true })
    .description('show the model and the progress of a move')
    .action(showModel)
  model.command('list').description('list known models').action(listModels)
  model
    .command('use')
    .description(`change the model; the former one stays in use until all chunks have moved`)
    .argument(
      '<name>',
      `${BUILTIN}, a name of "model list", the folder of an ONNX model, or with --server the model's name there`,
    )
    .option('--server <url>', 'OpenAI-compatible server, such as http://127.0.0.1:11434/v1 (Ollama)')
    .option('--dimensions <number>', 'dimensions to request from the server', wholeNumber(DIMENSIONS_MAX))
    .option('--mirror <url>', 'mirror of the model hub to download from')
    .action(useModel)
}

const readStatus = (operator: ApiClient, terminal: Terminal): Promise<Status> =>
  operator.call(Status, {
    method: 'GET',
    path: '/operator/embedding-model',
    retry: retryPolicyOn(terminal, operator.url),
  })

async function showModel(_options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const status = await readStatus(await operatorClient(client.url), terminal)
  if (json) return printJson(terminal, status)
  terminal.print(
    `Model   ${printableLine(status.model)}${status.baseUrl === null ? '' : ` at ${status.baseUrl}`}`,
  )
  terminal.print(`Chunks  ${chunksOf(status)}`)
  const { change } = status
  if (change.status === 'running') terminal.print(`Change  to ${change.model}: ${progressOf(status)}`)
  if (change.status === 'failed')
    terminal.print(`Change  to ${change.model} failed: ${printableLine(change.errorMessage ?? '')}`)
  if (status.moveError !== null)
    terminal.print(`Move    stopped and will be retried: ${printableLine(status.moveError)}`)
}

function chunksOf({ movingOrganizations, chunksTotal, chunksDone }: Status): string {
  return movingOrganizations === 0
    ? 'all use this model'
    : `${chunksDone} of ${chunksTotal} have moved; the former model stays in use until then`
}

async function listModels(_options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const status = await readStatus(await operatorClient(client.url), terminal)
  if (json) return printJson(terminal, { knownModels: status.knownModels })
  const rows = status.knownModels.map(({ name, description, dimensions, megabytes, isThere }) => [
    name,
    String(dimensions),
    isThere ? 'here' : `${megabytes} MB`,
    description,
  ])
  const builtin = [BUILTIN, '', 'here', 'words and their neighbors, no neural network; the fastest']
  for (const line of formatTable(['NAME', 'DIMENSIONS', 'FILES', 'WHEN'], [builtin, ...rows]))
    terminal.print(line)
  terminal.print()
  terminal.print(
    'To change it: npm run memory -- model use NAME. For a model on any server: model use NAME --server URL',
  )
}

async function useModel(name: string, options: UseOptions, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const operator = await operatorClient(client.url)
  const status = await readStatus(operator, terminal)
  const body = requestOf(name, options, status)
  if (body.provider === 'transformers' && !status.isRuntimeInstalled) await installRuntime(client.url)
  const asked = await operator.call(Status, { method: 'PUT', path: '/operator/embedding-model', body })
  const release = tellOnStop(terminal)
  const { change, ...changed } = await follow(operator, terminal).finally(release)
  if (change.status === 'idle')
    throw new CommandError(
      `The service restarted meanwhile. The embedding model is ${printableLine(changed.model)}; if you requested another one, run the same command again`,
    )
  if (change.model !== asked.change.model)
    throw new CommandError(
      `A later change to ${printableLine(change.model ?? '')} replaced this one. See its progress: npm run memory -- model`,
    )
  if (change.status === 'failed')
    throw new CommandError(
      `${printableLine(change.errorMessage ?? 'no reason given')}\nThe embedding model is ${printableLine(changed.model)}, as before.`,
    )
  if (json) return printJson(terminal, { ...changed, change })
  terminal.print(`The embedding model is ${printableLine(changed.model)}, for all chunks.`)
}

/** The request for the service. @throws UsageError */
function requestOf(name: string, { server, mirror, dimensions }: UseOptions, { knownModels }: Status) {
  if (server !== undefined) {
    if (mirror !== undefined)
      throw new UsageError('--mirror works only for a model of "model list", whose files are downloaded')
    const apiKey = process.env.EMBEDDING_API_KEY
    const key = apiKey === undefined || apiKey === '' ? {} : { apiKey }
    const extra = dimensions === undefined ? {} : { dimensions }
    return { provider: 'openai', model: name, baseUrl: withVersion(server), ...key, ...extra }
  }
  if (dimensions !== undefined)
    throw new UsageError('--dimensions works only for a model on a server: add --server URL')
  const extra = mirror === undefined ? {} : { mirrorUrl: serverAddress(mirror) }
  if (name === BUILTIN) return { provider: BUILTIN }
  if (knownModels.some((known) => known.name === name))
    return { provider: 'transformers', model: name, ...extra }
  const folder = givenPath(name)
  if (existsSync(folder)) return { provider: 'transformers', model: folder, ...extra }
  const names = [BUILTIN, ...knownModels.map((known) => known.name)].join(', ')
  throw new UsageError(
    `"${name}" is neither a known model (${names}) nor a folder. A model on a server needs --server URL`,
  )
}

/** The server's address with its version path, which users often omit. @throws UsageError */
function withVersion(server: string): string {
  const { pathname } = new URL(serverAddress(server))
  return pathname === '/' ? `${server.replace(/\/+$/, '')}/v1` : server
}

/** @throws UsageError */
function serverAddress(server: string): string {
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    throw new UsageError(`"${server}" is not the address of a server, such as http://127.0.0.1:11434/v1`)
  return server
}

/** Ctrl-C ends the command, not the change. @returns a function that removes the handler */
function tellOnStop(terminal: Terminal): () => void {
  const onStop = (): void => {
    terminal.note(
      '\nThe change continues in the service. See its progress with npm run memory -- model; go back with npm run memory -- model use builtin',
    )
    process.exit(EXIT_STOPPED)
  }
  process.once('SIGINT', onStop)
  return () => void process.off('SIGINT', onStop)
}

/** Installs the packages for local models. @throws CommandError */
async function installRuntime(url: string): Promise<void> {
  if (!/^(localhost|127\.|\[::1\])/.test(new URL(url).host))
    throw new CommandError(
      'The service lacks the package for local models. On its machine, in its folder, run: node scripts/install-local-models.mjs',
    )
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(process.execPath, [INSTALLER], { stdio: ['ignore', 2, 2] })
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0)
    throw new CommandError('The package for local models could not be installed; the reason is above.')
}

/** Waits for the change to end, and shows progress. */
async function follow(operator: ApiClient, terminal: Terminal): Promise<Status> {
  let told = ''
  for (;;) {
    const status = await readStatus(operator, terminal)
    if (status.change.status !== 'running') return status
    const progress = progressOf(status)
    if (progress !== told) terminal.note(progress)
    told = progress
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

const tenth = (done: number, total: number): number =>
  total === 0 ? 0 : Math.floor((10 * done) / total) * 10

/** In steps of a tenth, so that a log does not get a thousand lines. */
function progressOf({ change, chunksDone, chunksTotal, moveError }: Status): string {
  switch (change.step) {
    case 'downloading':
      return change.bytesTotal === 0
        ? "searching for the model's files"
        : `downloading: ${tenth(change.bytesDone, change.bytesTotal)}% of ${Math.round(change.bytesTotal / 1e6)} MB`
    case 'trying':
      return 'testing the model'
    case 'moving':
      return moveError === null
        ? `moving: ${tenth(chunksDone, chunksTotal)}% of ${chunksTotal} chunks; the former model stays in use meanwhile`
        : `the move stopped and is retried for five minutes: ${printableLine(moveError)}`
    case null:
      return 'beginning'
  }
}
