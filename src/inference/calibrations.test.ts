import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { calibrationOf } from './calibrations.ts'
import { MODEL_ID, MODEL_IDS } from './embedding-models/builtin/artifact-format.ts'
import { artifactPath } from './embedding-models/builtin/builtin.ts'

describe('the calibration of a built-in model', () => {
  it.each(MODEL_IDS)(
    '%s belongs to the current artifact; if not, recreate it with "npm run evaluate -- --calibrate DIR... --keep"',
    (id) => {
      const artifact = createHash('sha256')
        .update(readFileSync(artifactPath(id)))
        .digest('hex')
      expect(calibrationOf(id)?.artifact).toBe(artifact)
    },
  )

  it('flags few answerable questions and most about other subjects', () => {
    const { answerableBelow = 1, foreignBelow = 0 } = calibrationOf(MODEL_ID) ?? {}
    expect(answerableBelow).toBeLessThanOrEqual(0.02)
    expect(foreignBelow).toBeGreaterThan(0.6)
  })

  it('does not exist for an unmeasured model', () => {
    expect(calibrationOf('openai:unheard-of:8')).toBeNull()
    expect(calibrationOf('constructor')).toBeNull()
  })
})
