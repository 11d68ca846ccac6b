import { describe, expect, it } from 'vitest'
import { localTime, readFilters, readTime, TARGET_MAX } from './audit-filters.ts'
import { readAuditSearch } from './audit-search.ts'
import { exportName, exportPath } from './audit-export.ts'

const ACTOR = '7b1c9e52-3a4d-4f68-9e07-c5d2a8b1f630'

describe('the filters of the trail', () => {
  it('are read from the URL, without values that the service would refuse', () => {
    expect(
      readFilters(
        readAuditSearch({ action: 'api_key.create', actor: ACTOR, target: 42, from: '2026-03-02T09:30:00Z' }),
      ),
    ).toEqual({
      action: 'api_key.create',
      actor: ACTOR,
      target: '42',
      from: '2026-03-02T09:30:00.000Z',
    })
    expect(
      readFilters({
        action: 'constructor',
        actor: 'me',
        target: 'x'.repeat(TARGET_MAX + 1),
        from: 'yesterday',
        to: null,
        other: 1,
      }),
    ).toEqual({})
  })

  it("keep a time that passes through the browser's input", () => {
    const at = '2026-03-02T09:30:00.000Z'
    expect(readTime(localTime(at))).toBe(at)
  })

  it('apply to the export', () => {
    expect(exportPath('csv', { action: 'api_key.create', target: 'a&b' })).toBe(
      '/v1/console/audit-events/export?format=csv&action=api_key.create&target=a%26b',
    )
    expect(exportName('jsonl', new Date('2026-03-02T09:30:00Z'))).toBe('audit-2026-03-02.jsonl')
  })
})
