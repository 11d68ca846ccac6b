import { describe, expect, it } from 'vitest'
import type { EntityType } from '../database/schema.ts'
import { toGraph } from './graph.ts'
import type { Entity } from './resolve.ts'

function entity(id: string, type: EntityType, label: string, aliases: string[] = []): Entity {
  return { id, type, label, aliases, weight: 1, counts: new Map(), atoms: [] }
}

function labelsOf(entities: readonly Entity[]): string[] {
  return toGraph(entities, [], []).nodes.map(({ label }) => label)
}

describe('folders with the same name', () => {
  it('get as much of their path as distinguishes them', () => {
    const plans = [
      entity('a', 'channel', 'Plans', ['North / Team / Plans']),
      entity('b', 'channel', 'Plans', ['South / Team / Plans']),
      entity('c', 'channel', 'Notes', ['North / Notes']),
    ]
    expect(labelsOf(plans)).toEqual(['North / Team / Plans', 'Notes', 'South / Team / Plans'])
    expect(labelsOf(plans.slice(1))).toEqual(['Notes', 'Plans'])
  })

  it('keep their name if no path is known, as people always do', () => {
    const same = [
      entity('a', 'channel', '#general'),
      entity('b', 'channel', '#general'),
      entity('c', 'person', 'Ada'),
      entity('d', 'person', 'Ada'),
    ]
    expect(labelsOf(same)).toEqual(['#general', '#general', 'Ada', 'Ada'])
  })
})
