import { Search } from 'lucide-react'
import { describe, expect, it } from 'vitest'
import { type EntryGroup, matching } from './entries.ts'

const group = (label: string, ...labels: string[]): EntryGroup => ({
  label,
  entries: labels.map((one) => ({
    id: one,
    label: one,
    hint: label,
    icon: Search,
    isNavigation: true,
    run: () => {},
  })),
})
const labels = (groups: readonly EntryGroup[]) =>
  groups.map(({ entries }) => entries.map(({ label }) => label))

describe('the entries of the palette', () => {
  const groups = [group('Pages', 'Audit', 'Ask'), group('Theme', 'Dark theme', 'Light theme')]

  it('contain every word of the query, in any case and order', () => {
    expect(labels(matching(groups, 'theme DARK'))).toEqual([['Dark theme']])
    expect(labels(matching(groups, ' a '))).toEqual([['Audit', 'Ask'], ['Dark theme']])
  })

  it('are first those that begin with the query, in their order', () => {
    const pages = group('Pages', 'Ask', 'Sources', 'Members', 'Settings')
    expect(labels(matching([pages], 's'))).toEqual([['Sources', 'Settings', 'Ask', 'Members']])
  })

  it('match by their kind, without empty groups', () => {
    expect(labels(matching(groups, 'pages'))).toEqual([['Audit', 'Ask']])
    expect(matching(groups, 'nothing like it')).toEqual([])
  })

  it('have at most six entries per group', () => {
    const many = group('Keys', ...Array.from({ length: 9 }, (_, at) => `key ${at}`))
    expect(matching([many], 'key')[0]?.entries).toHaveLength(6)
  })
})
