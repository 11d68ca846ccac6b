import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { CanvasResponse, type CanvasNode } from '../api-shapes.ts'
import { drawCanvas, ENTITY_TYPES, type EntityType } from '../draw-canvas.ts'
import { describeWriteError } from '../describe-file-error.ts'
import { CommandError } from '../failures.ts'
import { givenPath } from '../given-path.ts'
import { formatTable, printableLine, type Terminal } from '../terminal.ts'
import { countOption, onBehalfOfOption, providerOption } from './options.ts'
import { openSession, printJson } from './session.ts'

interface CanvasOptions {
  provider?: string
  type?: EntityType
  around?: string
  since?: string
  limit?: number
  svg?: string
  onBehalfOf?: string
}

/** `canvas [QUERY]`: the graph of entities. */
export function addCanvasCommand(program: Command): void {
  program
    .command('canvas')
    .description('show the people, organizations, channels and topics that documents name')
    .argument('[query...]', 'only this name')
    .addOption(providerOption('only this provider'))
    .addOption(new Option('--type <type>', 'only this kind').choices(ENTITY_TYPES))
    .option('--around <id>', 'only neighbors of this node (ID from "canvas --json")')
    .option('--since <time>', 'only changes at or after this time, ISO 8601 with Z or an offset')
    .addOption(countOption('nodes', { max: 500, defaultValue: 100 }))
    .addOption(onBehalfOfOption())
    .option('--svg <file>', 'also draw the graph to this file', givenPath)
    .action(async (words: string[], options: CanvasOptions, command: Command) => {
      const { client, terminal, json } = openSession(command)
      const { svg, type, ...rest } = options
      const query = {
        ...rest,
        ...(words.length === 0 ? {} : { q: words.join(' ') }),
        ...(type === undefined ? {} : { entityType: type }),
      }
      const answer = await client.use(CanvasResponse, (memory) => memory.memoryCanvas.get(query))
      if (svg !== undefined) {
        await writeSvg(svg, drawCanvas(answer.nodes, answer.edges))
        terminal.note(`The drawing is in ${svg}`)
      }
      if (json) printJson(terminal, answer)
      else printNodes(terminal, answer.nodes)
      if (!answer.complete)
        terminal.note(`Not yet complete: ${answer.itemsWaiting} documents are still being processed.`)
    })
}

function printNodes(terminal: Terminal, nodes: readonly CanvasNode[]): void {
  if (nodes.length === 0) {
    terminal.print('No results.')
    return
  }
  const rows = nodes.map(({ kind, type, label, weight }) => [
    printableLine(label),
    kind === 'source' ? `source (${type})` : type,
    `${weight}`,
  ])
  for (const line of formatTable(['NAME', 'KIND', 'WEIGHT'], rows)) terminal.print(line)
}

async function writeSvg(file: string, svg: string): Promise<void> {
  try {
    await writeFile(file, svg)
  } catch (cause) {
    throw new CommandError(`${file} cannot be written: ${describeWriteError(cause)}`, { cause })
  }
}
