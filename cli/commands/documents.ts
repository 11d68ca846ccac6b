import { type Command, Option } from 'commander'
import type { RetryPolicy, SourceItemQuery } from '../../client/src/index.ts'
import type { ApiClient } from '../api-client.ts'
import { DocumentList, type ListedDocument, StoredDocument } from '../api-shapes.ts'
import { retryPolicyOn } from '../follow-run.ts'
import { formatMoment, formatTable, printable, printableLine, type Terminal, wrapText } from '../terminal.ts'
import { findDocument } from './find-document.ts'
import { countOption, onBehalfOfOption, providerOption, sourceIdOption } from './options.ts'
import { openSession, printJson } from './session.ts'

const PAGE_MAX = 200
/** As wide as the widest cell, so that pages align. */
const COLUMNS = { provider: 12, kind: 8 } as const

type SourceKind = NonNullable<SourceItemQuery['sourceKind']>

/** Every kind, which the compiler checks. */
const KINDS: Record<SourceKind, true> = { message: true, document: true, file: true }

interface ListOptions {
  provider?: NonNullable<SourceItemQuery['provider']>
  source?: string
  kind?: SourceKind
  limit?: number
  all?: boolean
  onBehalfOf?: string
}

/** `documents list|open`. */
export function addDocumentsCommand(program: Command): void {
  const documents = program.command('documents').description('list and show stored documents')
  documents
    .command('list')
    .description('list documents, latest change first')
    .addOption(providerOption('only this provider'))
    .addOption(sourceIdOption())
    .addOption(new Option('--kind <kind>', 'only this kind').choices(Object.keys(KINDS)))
    .addOption(countOption('documents', { max: PAGE_MAX, defaultValue: 50 }).conflicts('all'))
    .option('--all', 'all documents, page by page')
    .addOption(onBehalfOfOption())
    .action(listDocuments)
  documents
    .command('open')
    .description('show a document and its text')
    .argument('<document...>', 'ID (or its first characters), title or external ID')
    .action(openDocument)
}

async function listDocuments(options: ListOptions, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const filter = {
    ...(options.provider === undefined ? {} : { provider: options.provider }),
    ...(options.source === undefined ? {} : { connectorId: options.source }),
    ...(options.kind === undefined ? {} : { sourceKind: options.kind }),
    ...(options.onBehalfOf === undefined ? {} : { onBehalfOf: options.onBehalfOf }),
  }
  const limit = options.all ? PAGE_MAX : options.limit
  const collected: ListedDocument[] = []
  let shown = 0
  let nextCursor: string | null = null
  const query = { ...filter, ...(limit ? { limit } : {}) }
  const retry = options.all ? retryPolicyOn(terminal, client.url) : waitPolicyOn(terminal, client.url)
  for await (const page of pagesOf(client, query, retry)) {
    nextCursor = page.nextCursor
    if (json) collected.push(...page.sourceItems)
    else printRows(terminal, page.sourceItems, shown === 0)
    shown += page.sourceItems.length
    if (!options.all) break
  }
  if (json) return printJson(terminal, { sourceItems: collected, nextCursor })
  if (shown === 0) terminal.print('No documents.')
  if (nextCursor !== null) terminal.note(`There are more: raise --limit (up to ${PAGE_MAX}), or use --all.`)
}

/** Waits for rate limits; a user who waits for a few requests repeats the command after another failure. */
function waitPolicyOn(terminal: Terminal, url: string): Partial<RetryPolicy> {
  return { ...retryPolicyOn(terminal, url), attempts: 1 }
}

/** The pages of the list in order. */
async function* pagesOf(
  client: ApiClient,
  query: SourceItemQuery,
  retry: Partial<RetryPolicy>,
): AsyncGenerator<DocumentList> {
  try {
    for await (const page of client.memory().sourceItems.pages(query, { retry }))
      yield client.check(DocumentList, page)
  } catch (error) {
    throw client.failureOf(error, 'patient')
  }
}

/** Rows with the title last, since it may have any length. */
function printRows(terminal: Terminal, documents: readonly ListedDocument[], withHeadings: boolean): void {
  const rows = documents.map(({ id, provider, sourceKind, updatedAt, title }) => [
    id,
    provider.padEnd(COLUMNS.provider),
    sourceKind.padEnd(COLUMNS.kind),
    formatMoment(updatedAt),
    printableLine(title),
  ])
  const lines = formatTable(['ID', 'PROVIDER', 'KIND', 'CHANGED', 'TITLE'], rows)
  for (const line of withHeadings && documents.length > 0 ? lines : lines.slice(1)) terminal.print(line)
}

async function openDocument(words: string[], _options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const retry = waitPolicyOn(terminal, client.url)
  const id = await findDocument(words.join(' '), () => pagesOf(client, { limit: PAGE_MAX }, retry))
  const sourceItem = await client.use(
    StoredDocument,
    (memory, options) => memory.sourceItems.get(id, options),
    retry,
  )
  if (json) return printJson(terminal, { sourceItem })
  printDocument(terminal, sourceItem)
}

function printDocument(terminal: Terminal, document: StoredDocument): void {
  terminal.print(terminal.style('bold', wrapText(printableLine(document.title), terminal.columns)))
  const from = [document.provider, document.sourceKind, document.externalId, document.authorName]
  const written = document.sourceUpdatedAt ?? document.sourceCreatedAt
  const lines = [
    from
      .filter((part) => part !== null)
      .map(printableLine)
      .join(' · '),
    ...(document.url === null ? [] : [printableLine(document.url)]),
    `${written === null ? '' : `written ${formatMoment(written)}, `}changed here ${formatMoment(document.updatedAt)} UTC`,
    document.id,
  ]
  for (const line of lines) terminal.print(terminal.style('dim', wrapText(line, terminal.columns)))
  terminal.print()
  const text = printable(document.body).trim()
  terminal.print(text === '' ? terminal.style('dim', 'No text.') : wrapText(text, terminal.columns))
}
