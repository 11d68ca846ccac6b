import { access, constants, stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { z } from 'zod'
import { describeFileError } from '../describe-file-error.ts'
import { CommandError, ConnectionError, messageOf } from '../failures.ts'
import { givenPath } from '../given-path.ts'
import { writeNewFile } from '../new-file.ts'
import { operatorToken } from '../operator-client.ts'
import type { Terminal } from '../terminal.ts'
import { openSession, printJson } from './session.ts'

const Refused = z.looseObject({ error: z.string() })

interface BackupCommandOptions {
  offline?: true
  encryptionKey: boolean
}

interface Arriving {
  /** The name in the service's answer. */
  name: string
  bytes: AsyncIterable<Uint8Array>
}

interface Kept<T> {
  file: string
  found: T
}

/** `backup` and `restore` of the embedded database. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('back up the embedded database while the service runs')
    .argument('[file]', 'target file (default: named after the time, in this folder)', givenPath)
    .option('--offline', 'back up a stopped service from its DATA_DIR')
    .option('--no-encryption-key', 'leave out the encryption key in DATA_DIR')
    .action(backUp)
  program
    .command('restore')
    .description('create the DATA_DIR of a stopped service from a backup')
    .argument('<file>', 'what "backup" wrote', givenPath)
    .option('--replace', 'move a DATA_DIR that is not empty aside')
    .option('--check', 'only verify the checksums of the backup')
    .action(restore)
}

/** The service's data folder, by the same setting. */
const dataDir = (): string => process.env.DATA_DIR || './data'

async function backUp(
  file: string | undefined,
  { offline, encryptionKey }: BackupCommandOptions,
  command: Command,
): Promise<void> {
  const { client, terminal, json } = openSession(command)
  // Imported on demand: these modules open databases.
  const { backUpOffline, checkBackup } = await import('../../src/backup/index.ts')
  const keep = (arriving: Arriving) => keepFile(arriving, file, checkBackup)
  let kept: Kept<Awaited<ReturnType<typeof checkBackup>>>
  if (offline === true) {
    const isKeyGiven = (process.env.ENCRYPTION_KEY ?? '') !== ''
    const options = { dataDir: dataDir(), isKeyGiven, withEncryptionKey: encryptionKey }
    kept = await asCommand(() => backUpOffline({ ...options, clock: { now: () => new Date() } }, keep))
  } else {
    const response = await askForBackup(client.url, encryptionKey)
    kept = await asCommand(() => keep(arrivingFrom(response)))
  }
  const { manifest, rows, bytes } = kept.found
  if (json) return printJson(terminal, { file: kept.file, ...manifest, rows })
  const megabytes = ((await stat(kept.file)).size / 1e6).toFixed(1)
  terminal.print(`${kept.file}: ${megabytes} MB (${(bytes / 1e6).toFixed(1)} MB unpacked), verified`)
  sayWhatIsIn(terminal, rows)
  sayWhereTheKeyIs(terminal, manifest.encryptionKey)
}

/** Without the client's timeout: a backup can take long, and the service aborts one that stalls. */
async function askForBackup(url: string, withEncryptionKey: boolean): Promise<Response> {
  const headers = { authorization: `Bearer ${await operatorToken()}` }
  const address = `${url}/operator/backup?encryptionKey=${withEncryptionKey ? 'include' : 'leave'}`
  const response = await fetch(address, { headers }).catch((cause: unknown) => {
    throw new CommandError(`Cannot connect to ${url}. If the service is stopped, back up with --offline`, {
      cause,
    })
  })
  if (response.ok) return response
  const body = Refused.safeParse(await response.json().catch(() => ({})))
  throw new CommandError(body.success ? body.data.error : `The service answered ${response.status}`)
}

function arrivingFrom(response: Response): Arriving {
  const name = /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  if (name === undefined || response.body === null)
    throw new CommandError('The response is not a backup. Is --url right?')
  return { name, bytes: Readable.fromWeb(response.body) }
}

/** Writes and verifies the file. */
async function keepFile<T>(
  { name, bytes }: Arriving,
  asked: string | undefined,
  check: (file: string) => Promise<T>,
): Promise<Kept<T>> {
  const file = asked ?? givenPath(name)
  return await writeNewFile(file, async (handle, part) => {
    await pipeline(bytes, handle.createWriteStream({ flush: true }))
    return { file, found: await check(part) }
  })
}

async function restore(
  file: string,
  options: { replace?: true; check?: true },
  command: Command,
): Promise<void> {
  const { terminal, json } = openSession(command)
  await expectReadable(file)
  const { checkBackup, restoreBackup } = await import('../../src/backup/index.ts')
  if (options.check === true) {
    const { manifest, rows } = await asCommand(() => checkBackup(file))
    if (json) return printJson(terminal, { ...manifest, rows })
    terminal.print(`${file} is intact: created ${manifest.madeAt} by version ${manifest.service}`)
    sayWhatIsIn(terminal, rows)
    return sayWhereTheKeyIs(terminal, manifest.encryptionKey)
  }
  const target = dataDir()
  const { manifest, rows, formerAt } = await asCommand(() =>
    restoreBackup({ file, dataDir: target, replaces: options.replace === true, now: new Date() }),
  )
  if (json) return printJson(terminal, { ...manifest, dataDir: path.resolve(target), formerAt, rows })
  terminal.print(`Restored ${path.resolve(target)} as of ${manifest.madeAt}`)
  if (formerAt !== null)
    terminal.print(`The former contents are in ${formerAt}; remove them once everything works`)
  sayWhatIsIn(terminal, rows)
  sayWhereTheKeyIs(terminal, manifest.encryptionKey)
}

/** @throws CommandError for a file that does not exist or may not be read */
async function expectReadable(file: string): Promise<void> {
  await access(file, constants.R_OK).catch((cause: unknown) => {
    throw new CommandError(`${file} cannot be read: ${describeFileError(cause)}`, { cause })
  })
}

function sayWhatIsIn(terminal: Terminal, rows: Readonly<Record<string, number>>): void {
  const of = (table: string): number => rows[table] ?? 0
  terminal.print(
    `Workspaces: ${of('organizations')}, API keys: ${of('api_keys')}, sources: ${of('sources')}, ` +
      `items: ${of('source_items')}, chunks: ${of('chunks')}, connected accounts: ${of('source_credentials')}`,
  )
}

function sayWhereTheKeyIs(terminal: Terminal, place: string): void {
  switch (place) {
    case 'included':
      terminal.note(
        'It contains the ENCRYPTION KEY: with this file, anyone can read the OAuth tokens of all connected accounts. Protect it like a password',
      )
      return
    case 'left out':
    case 'in the environment':
      terminal.note(
        `It does NOT contain the ENCRYPTION KEY (${place}). Store that key separately: without it, every account must be connected again`,
      )
      return
    default:
      terminal.note('There is no encryption key yet: nothing in the backup is encrypted')
  }
}

/** Errors that the user can fix print without a stack. */
async function asCommand<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof CommandError || error instanceof ConnectionError) throw error
    if (error instanceof Error && error.name === 'StartupError')
      throw new CommandError(error.message, { cause: error })
    throw new CommandError(messageOf(error), { cause: error })
  }
}
