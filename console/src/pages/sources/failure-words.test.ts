import { describe, expect, it } from 'vitest'
import { explainFailure } from './failure-words.ts'

const google = (errorMessage: string, needsReconnection = false) =>
  explainFailure({ provider: 'google_drive', errorMessage }, needsReconnection)

describe('the explanation of a failed run', () => {
  it('is to reconnect where a permission is missing or the access has ended', () => {
    expect(google('Request had insufficient authentication scopes.', true)).toMatchObject({
      happened: 'The connection lacks a permission that Google Drive requires.',
      isCuredByReconnecting: true,
      isGeneral: false,
    })
    expect(google('Insufficient Permission', true).happened).toContain('lacks a permission')
    expect(explainFailure({ provider: 'slack', errorMessage: 'missing_scope' }, false)).toMatchObject({
      fix: expect.stringContaining('Reconnect Slack'),
      isCuredByReconnecting: true,
    })
    expect(explainFailure({ provider: 'slack', errorMessage: 'token_revoked' }, true)).toMatchObject({
      happened: 'The account no longer has access to Slack.',
      isCuredByReconnecting: true,
    })
  })

  it('names who can help where reconnecting does not', () => {
    const disabled = google(
      'Google Drive API has not been used in project 1 before or it is disabled. Enable it by visiting https://example.com then retry.',
    )
    expect(disabled.fix).toContain('operator of this service')
    expect(google('The domain administrators have disabled Drive apps.').fix).toContain('administrator')
    expect([disabled, google('Forbidden')].map((failure) => failure.isCuredByReconnecting)).toEqual([
      false,
      false,
    ])
  })

  it('tells a refusal from an outage, after which the next sync tries again', () => {
    expect(google('Google answered with status 403').happened).toBe('Google Drive refused access.')
    const outage = google('Google did not answer: timeout')
    expect(outage.happened).toBe('Google Drive could not be read.')
    expect(outage.fix).toContain('The next sync tries again')
  })
})
