import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { writeFigures } from '../scripts/figures.ts'

const FOLDER = 'bench/results'

/**
 * Writes a benchmark's table as `<name>.md`, its figures with the machine's description as `<name>.json`, and both into
 * the pages of the documentation.
 */
export async function keepResults(name: string, results: readonly unknown[], table: string): Promise<void> {
  const machine = {
    node: process.version,
    processors: cpus().length,
    processor: cpus()[0]?.model,
    memoryGb: Math.round(totalmem() / 2 ** 30),
  }
  await mkdir(FOLDER, { recursive: true })
  const kept = { at: new Date().toISOString(), machine, results }
  await writeFile(`${FOLDER}/${name}.json`, `${JSON.stringify(kept, null, 2)}\n`)
  await writeFile(`${FOLDER}/${name}.md`, `${table}\n`)
  await writeFigures()
}
