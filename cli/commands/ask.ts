import type { Command } from 'commander'
import type { z } from 'zod'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ApiClient } from '../api-client.ts'
import { AskAnswer, AskEvents, type Citation, type ContextItem } from '../api-shapes.ts'
import { ApiError, CommandError, ConnectionError, messageOf } from '../failures.ts'
import { parseJson } from '../parse-json.ts'
import { printable, printableLine, type Terminal, wrapText } from '../terminal.ts'
import { limitOption } from './options.ts'
import { openSession, printJson } from './session.ts'

interface AskOptions {
  limit?: number
  stream?: boolean
}

/** `ask QUESTION`: an answer with its sources, as it is written when a person watches. */
export function addAskCommand(program: Command): void {
  program
    .command('ask')
    .description('answer a question from the documents, with citations (1 credit)')
    .argument('<question...>', 'the question')
    .addOption(limitOption())
    .option('--stream', 'write the answer as it comes (what a terminal gets)')
    .option('--no-stream', 'write the answer when it is complete')
    .action(async (words: string[], options: AskOptions, command: Command) => {
      const { client, terminal, json } = openSession(command)
      const limit = options.limit === undefined ? {} : { limit: options.limit }
      const body = { query: words.join(' '), ...limit }
      if (!json && (options.stream ?? terminal.interactive)) return await streamAnswer(client, terminal, body)
      const answer = await client.call(AskAnswer, { method: 'POST', path: '/v1/ask', body })
      if (json) return printJson(terminal, answer)
      terminal.print(wrapText(printable(answer.answer), terminal.columns))
      printCitations(terminal, answer.citations, answer.context)
    })
}

/** Writes the answer piece by piece. @throws CommandError when it breaks off */
async function streamAnswer(client: ApiClient, terminal: Terminal, body: unknown): Promise<void> {
  const response = await client.open({ method: 'POST', path: '/v1/ask', body, accept: 'text/event-stream' })
  let context: ContextItem[] = []
  let citations: Citation[] = []
  let isDone = false
  for await (const { event, data } of eventsOf(response)) {
    if (event === 'context') ({ context } = readEvent(AskEvents.context, data))
    else if (event === 'delta') terminal.write(printable(readEvent(AskEvents.delta, data).text))
    else if (event === 'citations') ({ citations } = readEvent(AskEvents.citations, data))
    else if (event === 'done') isDone = true
    else if (event === 'error') {
      terminal.print()
      throw new ApiError(response.status, readEvent(AskEvents.error, data), null)
    }
  }
  terminal.print()
  if (!isDone) throw new CommandError('The answer broke off before its end; ask again')
  printCitations(terminal, citations, context)
}

/** The data of an event. @throws CommandError when it has another shape */
function readEvent<T>(schema: z.ZodType<T>, data: string): T {
  const parsed = schema.safeParse(parseJson(data))
  if (!parsed.success) throw new CommandError('The service streamed something that is no answer')
  return parsed.data
}

interface StreamedEvent {
  event?: string | undefined
  data: string
}

async function* eventsOf(response: Response): AsyncGenerator<StreamedEvent> {
  if (response.body === null) return
  try {
    yield* response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  } catch (error) {
    throw new ConnectionError(`The answer broke off: ${messageOf(error)}`, { cause: error })
  }
}

function printCitations(
  terminal: Terminal,
  citations: readonly Citation[],
  context: readonly ContextItem[],
): void {
  if (citations.length === 0) return
  terminal.print()
  terminal.print(terminal.style('bold', 'Sources'))
  for (const citation of citations) {
    const item = context.find((candidate) => candidate.sourceItemId === citation.sourceItemId)
    const place =
      item === undefined ? '' : `  ${terminal.style('dim', item.url === '' ? item.provider : item.url)}`
    terminal.print(
      `${terminal.style('cyan', `[${citation.index}]`)} ${printableLine(citation.title)}${place}`,
    )
  }
}
