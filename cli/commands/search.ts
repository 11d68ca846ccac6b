import type { Command } from 'commander'
import { type Hit, SearchResponse } from '../api-shapes.ts'
import { printable, printableLine, type Terminal, wrapText } from '../terminal.ts'
import {
  limitOption,
  onBehalfOfOption,
  personOf,
  providersOption,
  rankOption,
  recencyOption,
} from './options.ts'
import { openSession, printJson } from './session.ts'

/** Lines shown per hit without `--full`. */
const HIT_LINES_MAX = 6
const INDENT = 3

interface SearchOptions {
  limit?: number
  provider?: string[]
  rank: 'hybrid' | 'vector'
  full?: boolean
  recency?: number
  onBehalfOf?: string
}

/** `search QUERY`: the best passages. */
export function addSearchCommand(program: Command): void {
  program
    .command('search')
    .description('find passages (1 credit)')
    .argument('<query...>', 'query')
    .addOption(limitOption())
    .addOption(providersOption())
    .addOption(rankOption())
    .addOption(recencyOption())
    .addOption(onBehalfOfOption())
    .option('--full', 'print whole passages')
    .action(async (words: string[], options: SearchOptions, command: Command) => {
      const { client, terminal, json } = openSession(command)
      const { provider: providers, full = false, onBehalfOf, ...rest } = options
      const filter = providers === undefined ? {} : { filter: { providers } }
      const body = { query: words.join(' '), ...rest, ...filter, ...personOf(onBehalfOf) }
      const answer = await client.use(SearchResponse, (memory) => memory.search(body))
      if (json) printJson(terminal, answer)
      else printHits(terminal, answer.hits, full)
    })
}

function printHits(terminal: Terminal, hits: readonly Hit[], full: boolean): void {
  if (hits.length === 0) terminal.print('No results.')
  for (const [index, hit] of hits.entries()) {
    if (index > 0) terminal.print()
    const title = printableLine(hit.title)
    const score = terminal.style('dim', hit.score.toFixed(3))
    terminal.print(`${terminal.style('bold', `${index + 1}. ${title}`)}  ${score}`)
    terminal.print(
      wrapText(terminal.style('cyan', `${hit.provider} · ${locationOf(hit)}`), terminal.columns, INDENT),
    )
    const lines = wrapText(printable(hit.content), terminal.columns, INDENT).split('\n')
    const shown = full ? lines : lines.slice(0, HIT_LINES_MAX)
    terminal.print(shown.join('\n'))
    if (shown.length < lines.length) terminal.print(terminal.style('dim', `${' '.repeat(INDENT)}…`))
  }
}

/** A hit's link, else its path, else its item's id. */
function locationOf(hit: Hit): string {
  if (hit.url !== '') return printableLine(hit.url)
  const { path } = hit.metadata
  return typeof path === 'string' ? printableLine(path) : hit.sourceItemId
}
