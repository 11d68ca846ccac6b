import { PROVIDERS } from '../../client/src/index.ts'
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import {
  COMMAND_FILE_LIMITS,
  createTextExtractor,
  FORMATS_IN_WORDS,
  ocrSetting,
  recognitionOf,
  type TextExtractor,
} from '../../src/file-text/index.ts'
import { UsageError } from '../failures.ts'
import { givenPath } from '../given-path.ts'
import { type ChosenSource, chooseSource } from '../import/choose-source.ts'
import { describeFileError } from '../describe-file-error.ts'
import { EXIT_STOPPED, sleepUnlessStopped, stopOnSignal } from '../import/stop-on-signal.ts'
import { openImportNotes } from '../import/import-notes.ts'
import { deleteMissing, type ImportDeps, type ImportResult, runImport } from '../import/run-import.ts'
import { stateFolder } from '../import/state-files.ts'
import { type Failure, type Walk, walkFolder } from '../import/walk-folder.ts'
import { waitNote } from '../retry-policy.ts'
import { createProgressBar } from '../progress-bar.ts'
import { countLine, printableLine, type Terminal } from '../terminal.ts'
import { providerOption } from './options.ts'
import { importRecordFile, isRecordFile } from './import-records.ts'
import { openSession, printJson, type Session } from './session.ts'

interface ImportCommandOptions {
  source?: string
  provider?: string
  prefix?: string
  includeHidden?: boolean
  force?: boolean
  deleteMissing?: boolean
  ocr?: string
}

/** The exit code when files failed. */
const EXIT_FAILED = 1
/** How many skipped types are named; the rest is one number. */
const KINDS_SHOWN = 8

/** `import PATH`: imports a folder of documents, or one file, into a source. */
export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description('import a folder of documents, one file, or an export of a workspace, mem0 or supermemory')
    .argument('<path>', 'folder or file')
    .option('--source <id>', 'source of the documents (default: the push-only source of the provider)')
    .addOption(providerOption(`the source's provider`))
    .option('--prefix <name>', "prefix of the document IDs (default: the folder's name)")
    .option('--include-hidden', 'include files and folders whose names begin with a dot')
    .option('--ocr <languages>', 'languages of scans and images, or off (default: eng,deu,fra,spa)')
    .option('--force', 'send unchanged files too')
    .option('--delete-missing', 'delete items whose files no longer exist')
    .action(importPath)
}

async function importPath(given: string, options: ImportCommandOptions, command: Command): Promise<void> {
  const session = openSession(command)
  if (isRecordFile(given)) return await importRecordFile(session, givenPath(given), options)
  const { terminal } = session
  const startedAt = performance.now()
  const extractor = createExtractor(options)
  const { root, isFolder, walk } = await findFiles(given, options, extractor)
  const source = await chooseSource(session.client, options)
  if (!session.json) terminal.note(describeWork(walk.files.length, source))
  const notes = await openImportNotes(
    stateFolder(session.env),
    { url: session.client.url, sourceId: source.id },
    { root, isFolder, prefix: givenPrefix(options) },
    options.force === true,
  )
  const stop = stopOnSignal(terminal)
  const bar = createProgressBar(terminal.stderr, walk.files.length, () => performance.now())
  const deps: ImportDeps = {
    client: session.client,
    extractor,
    notes,
    stop: stop.signal,
    onFile: (file, done) => bar.update(done, file.relativePath),
    now: () => performance.now(),
    waiting: {
      sleep: (milliseconds) => sleepUnlessStopped(milliseconds, stop.signal),
      onWait: (reason, milliseconds) => {
        if (milliseconds < 1000) return
        bar.clear()
        terminal.note(waitNote(reason, milliseconds))
      },
    },
  }
  const outcome = await runAndPutDown(deps, { root, walk, source }, options).finally(async () => {
    bar.clear()
    stop.release()
    await deps.extractor.close()
  })
  report(session, source, walk, { ...outcome, seconds: (performance.now() - startedAt) / 1000 })
}

function createExtractor(options: ImportCommandOptions): TextExtractor {
  const ocr = ocrSetting.safeParse(options.ocr)
  if (!ocr.success) throw new UsageError(`--ocr ${ocr.error.issues[0]?.message}`)
  return createTextExtractor({ recognition: recognitionOf(ocr.data, COMMAND_FILE_LIMITS) })
}

interface Outcome {
  result: ImportResult
  removed: number
}

interface Work {
  root: string
  walk: Walk
  source: ChosenSource
}

async function runAndPutDown(
  deps: ImportDeps,
  { root, walk, source }: Work,
  options: ImportCommandOptions,
): Promise<Outcome> {
  const target = { sourceId: source.id, provider: source.provider }
  const result = await runImport(deps, walk.files, { target, force: options.force === true })
  result.failed = [...walk.failures, ...result.failed]
  // Files in unreadable folders may still exist, so nothing counts as missing.
  const mayDelete = options.deleteMissing === true && result.complete && walk.failures.length === 0
  const removed = mayDelete ? await deleteMissing(deps, walk.files, root, target) : 0
  if (deps.stop.aborted) result.complete = false
  return { result, removed }
}

interface Found {
  /** The folder, or the folder of the one file. */
  root: string
  isFolder: boolean
  walk: Walk
}

async function findFiles(
  given: string,
  options: ImportCommandOptions,
  { formatOf }: TextExtractor,
): Promise<Found> {
  const absolute = givenPath(given)
  let info
  try {
    info = await stat(absolute)
  } catch (error) {
    throw new UsageError(`"${given}" cannot be read: ${describeFileError(error)}`)
  }
  if (info.isDirectory()) {
    const root = await realpath(absolute)
    return { root, isFolder: true, walk: await walkFolder(root, options.includeHidden === true, formatOf) }
  }
  if (options.deleteMissing === true) throw new UsageError('--delete-missing works on folders only')
  const format = formatOf('', absolute)
  if (!info.isFile() || format === null) {
    throw new UsageError(
      `"${given}" is neither a folder nor a file in a supported format. Supported: ${FORMATS_IN_WORDS}; PNG and JPEG; exports (.json, .jsonl)`,
    )
  }
  const root = await realpath(path.dirname(absolute))
  const relativePath = path.basename(absolute)
  const file = {
    absolutePath: path.join(root, relativePath),
    relativePath,
    format,
    size: info.size,
    modifiedMs: info.mtimeMs,
  }
  return { root, isFolder: false, walk: { files: [file], failures: [], passedOver: new Map() } }
}

function givenPrefix({ prefix }: ImportCommandOptions): string | null {
  return prefix === undefined ? null : prefix.replaceAll('\\', '/').replace(/^\/+|\/+$/g, '')
}

function describeWork(files: number, source: ChosenSource): string {
  const provider = PROVIDERS.find(({ id }) => id === source.provider)?.name ?? source.provider
  return (
    `Importing ${files} file${files === 1 ? '' : 's'} into ` +
    `${printableLine(source.displayName)} (${source.provider}, ${source.id}). Nothing is sent to ${provider}.`
  )
}

function report(
  session: Session,
  source: ChosenSource,
  { passedOver }: Walk,
  outcome: Outcome & { seconds: number },
): void {
  const { result, removed, seconds } = outcome
  const { terminal } = session
  if (result.failed.length > 0) process.exitCode = EXIT_FAILED
  if (!result.complete) process.exitCode = EXIT_STOPPED
  if (session.json) {
    const { id, provider, displayName } = source
    const counted = { ...result, passedOver: Object.fromEntries(passedOver), removed, seconds }
    printJson(terminal, { source: { id, provider, displayName }, ...counted })
    return
  }
  const counts: [number, string, string][] = [
    [result.skipped, 'document', 'unchanged'],
    [result.unchanged, 'file', 'unchanged'],
    [result.empty.length, 'file', 'without text'],
    [removed, 'file', 'removed'],
    [result.failed.length, 'file', 'failed'],
  ]
  terminal.print(`${result.complete ? 'Imported' : 'Stopped'} after ${seconds.toFixed(1)} s`)
  terminal.print(countLine(result.ingested, 'document', 'stored'))
  for (const [count, noun, state] of counts) if (count > 0) terminal.print(countLine(count, noun, state))
  if (passedOver.size > 0) terminal.print(describePassedOver(passedOver))
  printList(terminal, 'Without text', withoutReason(result.empty))
  printList(terminal, 'Truncated, because too long', withoutReason(result.cut))
  printList(terminal, 'Failed', result.failed)
  if (!result.complete) terminal.print('Run the same command again to continue.')
}

const withoutReason = (paths: readonly string[]): Failure[] =>
  paths.map((file) => ({ path: file, reason: '' }))

/** One line with the number of skipped files by type. */
function describePassedOver(passedOver: ReadonlyMap<string, number>): string {
  const kinds = [...passedOver].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  const total = kinds.reduce((sum, [, count]) => sum + count, 0)
  const rest = kinds.slice(KINDS_SHOWN).reduce((sum, [, count]) => sum + count, 0)
  const shown = kinds.slice(0, KINDS_SHOWN).map(([kind, count]) => `${count} ${kind}`)
  return `  ${String(total).padStart(6)} skipped: ${[...shown, ...(rest > 0 ? [`${rest} others`] : [])].join(', ')}`
}

function printList(terminal: Terminal, heading: string, entries: readonly Failure[]): void {
  if (entries.length === 0) return
  terminal.print(`${heading}:`)
  for (const { path: file, reason } of entries) {
    terminal.print(`  ${printableLine(file)}${reason === '' ? '' : `: ${printableLine(reason)}`}`)
  }
}
