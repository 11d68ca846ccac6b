import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { FIGURES, type Row } from './figure-tables.ts'

const ROOT = new URL('../', import.meta.url)
/** The pages with tables of measured figures. */
export const FIGURE_PAGES = ['benchmarks', 'evaluation', 'reliability'].map(
  (name) => `docs/explanation/${name}.md`,
)
const BLOCK = /<!-- figures: ([\w-]+) -->\n[^]*?<!-- \/figures -->/g

/** A benchmark's results, with the machine that measured them. */
const Measured = z.object({
  at: z.string(),
  machine: z.object({ node: z.string(), processors: z.number(), processor: z.string() }),
  results: z.array(z.record(z.string(), z.unknown())),
})
const Evaluated = z.array(z.record(z.string(), z.unknown()))

/** The page with the tables of measured results. @throws for an unknown table */
export async function withFigures(page: string): Promise<string> {
  const names = [...page.matchAll(BLOCK)].map(([, name = '']) => name)
  const tables = new Map(await Promise.all(names.map(async (name) => [name, await tableOf(name)] as const)))
  return page.replaceAll(
    BLOCK,
    (_block, name: string) => `<!-- figures: ${name} -->\n\n${tables.get(name)}\n\n<!-- /figures -->`,
  )
}

/** Writes the measured figures into their pages. */
export async function writeFigures(): Promise<void> {
  for (const file of FIGURE_PAGES) {
    const page = new URL(file, ROOT)
    await writeFile(page, await withFigures(await readFile(page, 'utf8')))
  }
}

async function tableOf(name: string): Promise<string> {
  const figure = FIGURES[name]
  if (figure === undefined) throw new Error(`no table is named ${name}`)
  const files: unknown[] = await Promise.all(
    figure.files.map(async (file) => JSON.parse(await readFile(new URL(file, ROOT), 'utf8'))),
  )
  const results: Row[] = files.flatMap((file) =>
    Array.isArray(file) ? Evaluated.parse(file) : Measured.parse(file).results,
  )
  const rows = (figure.rows?.(results) ?? results).map((row) => figure.columns.map(([, cell]) => cell(row)))
  const lines = [figure.columns.map(([heading]) => heading), figure.columns.map(() => '---'), ...rows]
  return [...files.flatMap(conditions), ...lines.map((cells) => `| ${cells.join(' | ')} |`)].join('\n')
}

function conditions(file: unknown): string[] {
  const measured = Measured.safeParse(file)
  if (!measured.success) return []
  const { at, machine } = measured.data
  return [
    `${at.slice(0, 10)}, ${machine.processors} × ${machine.processor.replaceAll(/\(R\)| Processor/g, '')}, Node ${machine.node}.`,
    '',
  ]
}
