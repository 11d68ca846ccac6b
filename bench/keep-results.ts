import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'

const FOLDER = 'bench/results'

/**
 * Writes a benchmark's table as `<name>.md`, and its figures with the machine's description as `<name>.json`.
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
}
