import { describe, expect, it } from 'vitest'
import { computePolicyHealth } from './policy-health.ts'

describe('policy health', () => {
  it('is ok when every file has its policy', () => {
    const health = computePolicyHealth({ files: 7, filesWithoutPolicy: 0, resyncedSince: false })
    expect(health).toEqual({ status: 'ok', files: 7, filesWithoutPolicy: 0, warnings: [] })
  })

  it('suggests a full resync until one has not helped', () => {
    const before = computePolicyHealth({ files: 7, filesWithoutPolicy: 1, resyncedSince: false })
    expect(before.warnings[0]).toMatchObject({
      code: 'full_resync_required',
      message: '1 file is stored without an access policy.',
      cure: expect.stringContaining('fullResync'),
    })
    const after = computePolicyHealth({ files: 7, filesWithoutPolicy: 3, resyncedSince: true })
    expect(after.warnings[0]).toMatchObject({
      code: 'access_policy_missing',
      message: expect.stringContaining('3 files are'),
      cure: expect.stringContaining('Content manager'),
    })
  })
})
