import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { MODEL_IDS } from '../src/inference/embedding-models/builtin/artifact-format.ts'
import { artifactPath } from '../src/inference/embedding-models/builtin/builtin.ts'
import type { Threshold } from './evaluate-weak-evidence.ts'

const CALIBRATIONS = fileURLToPath(new URL('../src/inference/calibrations.json', import.meta.url))

/**
 * Writes a model's calibration to the file of all calibrations, replacing an earlier one.
 * @returns the file
 */
export async function keepCalibration(modelId: string, threshold: Threshold): Promise<string> {
  const kept: unknown = JSON.parse(await readFile(CALIBRATIONS, 'utf8'))
  const builtin = MODEL_IDS.find((id) => id === modelId)
  const artifact = builtin === undefined ? null : await digestOf(artifactPath(builtin))
  const written = { ...Object(kept), [modelId]: { artifact, ...threshold } }
  await writeFile(CALIBRATIONS, `${JSON.stringify(written, null, 2)}\n`)
  return CALIBRATIONS
}

async function digestOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
}
