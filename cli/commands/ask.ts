import { type Command, Option } from 'commander'
import { type AskRequest, type AskStep, MemoryError } from '../../client/src/index.ts'
import type { ApiClient } from '../api-client.ts'
import { AskResponse, type Citation, type ContextItem, ItemMetadata, type Limitation } from '../api-shapes.ts'
import { readConversation, writeTurn } from '../conversation-file.ts'
import { ConnectionError } from '../failures.ts'
import { givenPath } from '../given-path.ts'
import { printable, printableLine, type Terminal, wrapText } from '../terminal.ts'
import { limitOption, onBehalfOfOption, personOf, recencyOption } from './options.ts'
import { openSession, printJson } from './session.ts'

interface AskOptions {
  limit?: number
  stream?: boolean
  recency?: number
  effort?: 'normal' | 'high'
  conversation?: string
  onBehalfOf?: string
}

/** `ask QUESTION`: an answer with its sources, streamed to a terminal. */
export function addAskCommand(program: Command): void {
  program
    .command('ask')
    .description('answer a question with citations (1 credit)')
    .argument('<question...>', 'the question')
    .addOption(limitOption())
    .addOption(recencyOption())
    .addOption(onBehalfOfOption())
    .addOption(
      new Option('--effort <effort>', 'high: search several times (needs a language model)').choices([
        'normal',
        'high',
      ]),
    )
    .option(
      '--conversation <file>',
      'ask a follow-up: read earlier questions from this file and add this one',
      givenPath,
    )
    .option('--stream', 'print the answer as it is generated (default on a terminal)')
    .option('--no-stream', 'print the answer when it is complete')
    .action(async (words: string[], options: AskOptions, command: Command) => {
      const { client, terminal, json } = openSession(command)
      const { conversation: file, stream = terminal.interactive, onBehalfOf, ...rest } = options
      const query = words.join(' ')
      const turns = file === undefined ? [] : await readConversation(file)
      const conversation = turns.length === 0 ? {} : { conversation: turns }
      const body = {
        query,
        ...rest,
        ...conversation,
        ...personOf(onBehalfOf),
      }
      const answer =
        stream && !json
          ? await streamAnswer(client, terminal, body)
          : await wholeAnswer(client, terminal, { body, json })
      if (file !== undefined) writeTurn(file, turns, { question: query, answer })
    })
}

/** Writes the complete answer. @returns its text */
async function wholeAnswer(
  client: ApiClient,
  terminal: Terminal,
  { body, json }: { body: AskRequest; json: boolean },
): Promise<string> {
  const answer = await client.use(AskResponse, (memory) => memory.ask(body))
  if (json) {
    printJson(terminal, answer)
    return answer.answer
  }
  terminal.print(wrapText(printable(answer.answer), terminal.columns))
  const { citations, context } = answer
  await printCitations(client, terminal, { citations, context, onBehalfOf: body.onBehalfOf?.email })
  printLimitations(terminal, answer.limitations)
  return answer.answer
}

interface Cited {
  citations: readonly Citation[]
  context: readonly ContextItem[]
  onBehalfOf: string | undefined
}

/** Streams the answer. @returns its text. @throws MemoryError, ConnectionError, CommandError */
async function streamAnswer(client: ApiClient, terminal: Terminal, body: AskRequest): Promise<string> {
  let context: readonly ContextItem[] = []
  let citations: readonly Citation[] = []
  let limitations: readonly Limitation[] = []
  let written = ''
  let hasBegun = false
  try {
    for await (const event of client.memory().askStream(body)) {
      if (event.type === 'step') {
        terminal.note(stepNote(event.step))
        continue
      }
      hasBegun = true
      if (event.type === 'context') ({ context } = event)
      else if (event.type === 'delta') terminal.write(printable(event.text))
      else if (event.type === 'citations') ({ citations } = event)
      else ({ limitations, answer: written } = event.answer)
    }
  } catch (error) {
    throw client.failureOf(error)
  } finally {
    // The text so far may lack a line end.
    if (hasBegun) terminal.print()
  }
  await printCitations(client, terminal, { citations, context, onBehalfOf: body.onBehalfOf?.email })
  printLimitations(terminal, limitations)
  return written
}

function stepNote(step: AskStep): string {
  switch (step.step) {
    case 'rewrite':
      return `Searches planned: ${step.queries.length}`
    case 'search':
      return `Searched "${printableLine(step.query)}": ${step.hitCount} passages`
    case 'read':
      return step.isEnough ? 'Read: enough' : `Read: ${step.queries.length} further searches`
  }
}

/** Without this line, an answer that ends early looks complete. */
function printLimitations(terminal: Terminal, limitations: readonly Limitation[]): void {
  if (limitations.length > 0) terminal.print()
  for (const { message } of limitations) terminal.print(`Note: ${printableLine(message)}.`)
}

async function printCitations(
  client: ApiClient,
  terminal: Terminal,
  { citations, context, onBehalfOf }: Cited,
): Promise<void> {
  if (citations.length === 0) return
  const ids = [...new Set(citations.map(({ sourceItemId }) => sourceItemId))]
  const places = new Map<string, string>()
  for (const id of ids) {
    const item = context.find((candidate) => candidate.sourceItemId === id)
    if (item !== undefined)
      places.set(id, item.url === '' ? await pathOrProvider(client, item, onBehalfOf) : item.url)
  }
  terminal.print()
  terminal.print(terminal.style('bold', 'Sources'))
  for (const citation of citations) {
    const place = places.get(citation.sourceItemId)
    const shown = place === undefined ? '' : `  ${terminal.style('dim', printableLine(place))}`
    terminal.print(
      `${terminal.style('cyan', `[${citation.index}]`)} ${printableLine(citation.title)}${shown}`,
    )
  }
}

/** An imported file's path, which an answer lacks; otherwise, or if unreadable to the key, the provider. */
async function pathOrProvider(
  client: ApiClient,
  { sourceItemId, provider }: ContextItem,
  onBehalfOf: string | undefined,
): Promise<string> {
  try {
    const { metadata } = await client.use(ItemMetadata, (memory) =>
      memory.sourceItems.get(sourceItemId, { onBehalfOf }),
    )
    return typeof metadata.path === 'string' ? metadata.path : provider
  } catch (error) {
    // The key may only ask, the rate limit is reached, or the item was deleted: the answer is still valid.
    if (error instanceof MemoryError || error instanceof ConnectionError) return provider
    throw error
  }
}
