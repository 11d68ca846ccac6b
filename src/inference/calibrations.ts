import { z } from 'zod'
import stored from './calibrations.json' with { type: 'json' }

/** What was measured of a model's scores by `npm run evaluate -- --calibrate`. */
const Calibration = z.strictObject({
  /** SHA-256 of what the model was made of; null where it is not ours. */
  artefact: z.string().nullable(),
  /** The best score over √(2 ln chunks) below which a question is taken to have no answer among them. */
  weakEvidenceBelow: z.number().positive(),
  /** The share of answerable questions below it, and of questions about other subjects. */
  answerableBelow: z.number(),
  foreignBelow: z.number(),
})
export type Calibration = z.output<typeof Calibration>

const calibrations = z.record(z.string(), Calibration).parse(stored)

/** The ids of the models that have one. */
export function calibratedModels(): string[] {
  return Object.keys(calibrations)
}

/** The calibration of a model by its id; null: nobody has made one. */
export function calibrationOf(modelId: string): Calibration | null {
  return Object.hasOwn(calibrations, modelId) ? (calibrations[modelId] ?? null) : null
}
