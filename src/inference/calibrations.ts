import { z } from 'zod'
import stored from './calibrations.json' with { type: 'json' }

/** Measurements of a model's scores by `npm run evaluate -- --calibrate`. */
const Calibration = z.strictObject({
  /** SHA-256 of the model's artifact; null: not our model. */
  artifact: z.string().nullable(),
  /** Best score over √(2 ln chunks) below which a question counts as unanswerable. */
  weakEvidenceBelow: z.number().positive(),
  /** Shares of answerable questions and of questions about other subjects below the threshold. */
  answerableBelow: z.number(),
  foreignBelow: z.number(),
})
export type Calibration = z.output<typeof Calibration>

const calibrations = z.record(z.string(), Calibration).parse(stored)

export function calibratedModels(): string[] {
  return Object.keys(calibrations)
}

/** null: the model is not calibrated. */
export function calibrationOf(modelId: string): Calibration | null {
  return Object.hasOwn(calibrations, modelId) ? (calibrations[modelId] ?? null) : null
}
