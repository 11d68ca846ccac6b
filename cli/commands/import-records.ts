import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import { messageOf, UsageError } from '../failures.ts'
import { chooseSource, listSources, type SourceOptions } from '../import/choose-source.ts'
import { describeFileError } from '../describe-file-error.ts'
import { readLines } from '../import/read-lines.ts'
import { type Convert, RECORD_KINDS } from '../import/record-kinds.ts'
import { type Entry, sendRecords, type SentRecords } from '../import/send-records.ts'
import { EXIT_STOPPED, sleepUnlessStopped, stopOnSignal } from '../import/stop-on-signal.ts'
import type { Failure } from '../import/walk-folder.ts'
import { isEnd, workspaceConverter, workspaceHeader } from '../import/workspace-items.ts'
import { parseJson } from '../parse-json.ts'
import { waitNote } from '../retry-policy.ts'
import { countLine, printableLine } from '../terminal.ts'
import { printJson, type Session } from './session.ts'

const EXIT_FAILED = 1
/** A file that is one JSON value must fit into memory. */
const WHOLE_BYTES_MAX = 100 * 1024 * 1024
const PROGRESS_MS = 10_000
const FAILURES_SHOWN = 50

interface Row {
  line: number
  /** undefined: the line is not JSON. */
  value: unknown
}

interface Reading {
  kind: string
  convert: Convert
  rows: AsyncIterable<Row>
}

export const isRecordFile = (name: string): boolean => /\.(?:json|jsonl|ndjson)$/i.test(name)

/** `import FILE` of an export: of a workspace, mem0 or supermemory. */
export async function importRecordFile(
  session: Session,
  file: string,
  options: SourceOptions,
): Promise<void> {
  const { client, terminal, json } = session
  const reading = await openRecords(session, file, options)
  if (!json) terminal.note(`Importing ${printableLine(file)}, an export of ${reading.kind}.`)
  const stop = stopOnSignal(terminal)
  const failed: Failure[] = []
  const ending = { isWhole: reading.kind !== WORKSPACE }
  let notedAt = performance.now()
  const sent = await sendRecords(
    {
      client,
      stop: stop.signal,
      waiting: {
        sleep: (milliseconds) => sleepUnlessStopped(milliseconds, stop.signal),
        onWait: (reason, milliseconds) => {
          if (milliseconds >= 1000) terminal.note(waitNote(reason, milliseconds))
        },
      },
      onProgress(documents) {
        if (performance.now() - notedAt < PROGRESS_MS) return
        notedAt = performance.now()
        terminal.note(`${documents} documents`)
      },
    },
    entriesOf(reading, failed, ending),
    failed,
  ).finally(stop.release)
  if (sent.complete && !ending.isWhole)
    failed.push({ path: 'the end', reason: 'the file is incomplete: its last line is missing' })
  report(session, reading.kind, sent)
}

async function openRecords(session: Session, file: string, options: SourceOptions): Promise<Reading> {
  const rows = await openRows(file)
  const first = await firstRow(rows())
  const header = workspaceHeader(first?.value)
  if (header !== null) {
    if (options.source !== undefined || options.provider !== undefined)
      throw new UsageError("--source and --provider do not apply: an export names each item's source")
    const sources = await listSources(session.client)
    return { kind: WORKSPACE, convert: workspaceConverter(header, sources), rows: rows() }
  }
  const record = recordsIn(first?.value)[0]
  const kind = RECORD_KINDS.find(({ is }) => typeof record === 'object' && record !== null && is(record))
  if (kind === undefined)
    throw new UsageError(
      `"${file}" is not an export that "import" can read: from a workspace (memory export), mem0 or supermemory`,
    )
  const { id: sourceId, provider } = await chooseSource(session.client, options)
  return { kind: kind.name, convert: kind.converterTo({ sourceId, provider }), rows: rows() }
}

const WORKSPACE = 'a workspace'

async function firstRow(rows: AsyncIterable<Row>): Promise<Row | undefined> {
  for await (const row of rows) return row
  return undefined
}

/**
 * Returns a reader of the file's rows: one JSON value per line, or one in the whole file, which is parsed once.
 * @throws UsageError for a file that cannot be read
 */
async function openRows(file: string): Promise<() => AsyncIterable<Row>> {
  try {
    const { size } = await stat(file)
    const lines = readLines(createReadStream(file, 'utf8'))
    for await (const { text } of lines) {
      if (parseJson(text) !== undefined || size > WHOLE_BYTES_MAX) break
      const whole = parseJson(await readFile(file, 'utf8'))
      if (whole !== undefined) return () => oneRow(whole)
      break
    }
  } catch (error) {
    throw new UsageError(`"${file}" cannot be read: ${describeFileError(error)}`)
  }
  return () => rowsOf(file)
}

async function* oneRow(value: unknown): AsyncGenerator<Row> {
  yield { line: 1, value }
}

async function* rowsOf(file: string): AsyncGenerator<Row> {
  for await (const { number, text } of readLines(createReadStream(file, 'utf8')))
    yield { line: number, value: parseJson(text) }
}

const Page = z.object({ results: z.array(z.unknown()).optional(), memories: z.array(z.unknown()).optional() })

/** The records of a value: a page of a list (`results` of mem0, `memories` of supermemory), a list, or one record. */
function recordsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(recordsIn)
  const page = Page.safeParse(value)
  return page.data?.results ?? page.data?.memories ?? [value]
}

async function* entriesOf(
  { kind, convert, rows }: Reading,
  failed: Failure[],
  ending: { isWhole: boolean },
): AsyncGenerator<Entry> {
  for await (const { line, value } of rows) {
    if (kind === WORKSPACE && workspaceHeader(value) !== null) continue
    if (isEnd(value)) {
      ending.isWhole = true
      continue
    }
    for (const record of kind === WORKSPACE ? [value] : recordsIn(value)) {
      try {
        for (const document of convert(record)) yield { line, document }
      } catch (error) {
        failed.push({ path: `line ${line}`, reason: faultOf(record, error) })
      }
    }
  }
}

function faultOf(record: unknown, error: unknown): string {
  if (record === undefined) return 'it is not JSON'
  if (!(error instanceof z.ZodError)) return messageOf(error)
  const [issue] = error.issues
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it has a different shape'}`
}

function report({ terminal, json }: Session, kind: string, sent: SentRecords): void {
  const { ingested, skipped, failed, withoutVectors, reason, complete } = sent
  if (failed.length > 0) process.exitCode = EXIT_FAILED
  if (!complete) process.exitCode = EXIT_STOPPED
  if (json) return printJson(terminal, { kind, ...sent })
  terminal.print(complete ? 'Imported' : 'Stopped')
  terminal.print(countLine(ingested, 'document', 'stored'))
  if (skipped > 0) terminal.print(countLine(skipped, 'document', 'unchanged'))
  if (withoutVectors > 0) {
    const why = printableLine(reason ?? '')
    terminal.print(
      `  ${String(withoutVectors).padStart(6)} of them sent without vectors, to be embedded again: ${why}`,
    )
  }
  if (failed.length > 0) terminal.print(`  ${String(failed.length).padStart(6)} failed`)
  for (const { path, reason: why } of failed.slice(0, FAILURES_SHOWN))
    terminal.print(`  ${path}: ${printableLine(why)}`)
  if (failed.length > FAILURES_SHOWN) terminal.print(`  and ${failed.length - FAILURES_SHOWN} more`)
  if (!complete) terminal.print('Run the same command again to continue.')
}
