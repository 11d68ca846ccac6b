import { describe, expect, it } from 'vitest'
import { explainFailure } from './failure-words.ts'

describe('the explanation of a failed run', () => {
  it('is to reconnect where a permission is missing or the access has ended', () => {
    expect(explainFailure('google_drive', 'missing_permission')).toMatchObject({
      happened: 'The connection lacks a permission that Google Drive requires.',
      isCuredByReconnecting: true,
      isGeneral: false,
    })
    expect(explainFailure('slack', 'access_ended')).toMatchObject({
      happened: 'The account no longer has access to Slack.',
      fix: expect.stringContaining('Reconnect Slack'),
      isCuredByReconnecting: true,
    })
  })

  it('names who can help where reconnecting does not', () => {
    const helpers = (['api_disabled', 'not_configured', 'app_blocked'] as const).map((code) =>
      explainFailure('google_drive', code),
    )
    expect(helpers.map(({ fix }) => /operator|administrator/.exec(fix)?.[0])).toEqual([
      'operator',
      'operator',
      'administrator',
    ])
    expect(helpers.some(({ isCuredByReconnecting }) => isCuredByReconnecting)).toBe(false)
  })

  it('without a known code, says that the next sync tries again, and leaves room for the message', () => {
    const outage = explainFailure('google_drive', null)
    expect(outage.happened).toBe('Google Drive could not be read.')
    expect(outage.fix).toContain('The next sync tries again')
    expect(outage.isGeneral).toBe(true)
  })
})
