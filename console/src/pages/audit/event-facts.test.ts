import { describe, expect, it } from 'vitest'
import { eventFacts } from './event-facts.ts'

describe('the facts of an event', () => {
  it('has what a retrieval asked and how much it found, without the ID that is shown as the target', () => {
    const metadata = {
      requestId: 'r1',
      query: 'How many days?',
      hitCount: 8,
      citationCount: 2,
      providers: ['notion'],
    }
    expect(eventFacts(metadata, 'r1')).toEqual([
      ['Question', 'How many days?'],
      ['Passages found', '8'],
      ['Citations', '2'],
      ['Providers', 'Notion'],
    ])
  })

  it('names unknown fields by their words, and says what is missing', () => {
    const metadata = {
      allowedProviders: null,
      eventTypes: null,
      channelAllowlist: null,
      allowedActions: ['search', 'ask'],
      connectorId: 'c1',
      fullResync: true,
      providers: [],
      feedback: null,
      other: { a: 1 },
    }
    expect(eventFacts(metadata, 't')).toEqual([
      ['Allowed providers', 'All'],
      ['Event types', 'Every event'],
      ['Channel allowlist', 'All channels'],
      ['Allowed actions', 'search, ask'],
      ['Connector ID', 'c1'],
      ['Full sync', 'Yes'],
      ['Providers', 'None'],
      ['Feedback', 'None'],
      ['Other', '{"a":1}'],
    ])
  })
})
