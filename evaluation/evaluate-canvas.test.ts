import { describe, expect, it } from 'vitest'
import { loadTermWeights } from '../src/inference/term-weights.ts'
import { evaluateCanvas } from './evaluate-canvas.ts'
import { HALVES, halfOf } from './read-facts.ts'
import type { Labels, LabeledItem } from './read-labeled-items.ts'

const terms = await loadTermWeights()

function mail(id: string, [name, address]: [string, string], entities: Labels): LabeledItem {
  const metadata = { senderEmail: address }
  return {
    id,
    provider: 'gmail',
    sourceKind: 'message',
    title: '',
    body: '',
    authorName: name,
    metadata,
    entities,
  }
}

/** An id whose hash puts it in the half. */
function idIn(half: (typeof HALVES)[number], from = 0): string {
  const id = `mail-${from}`
  return halfOf(id) === half ? id : idIn(half, from + 1)
}

describe('the evaluation of the memory canvas', () => {
  const labeled: Labels = {
    person: { ada: ['Ada Lovelace', 'ada@corp.com', 'Ada'] },
    organization: { acme: ['Acme'] },
  }
  const result = evaluateCanvas(
    HALVES.map((half) => mail(idIn(half), ['Ada Lovelace', 'ada@corp.com'], labeled)),
    terms,
  )

  it('counts what is found, right and missed, by half and kind', () => {
    for (const half of HALVES) {
      expect(result.groups).toContainEqual({
        half,
        kind: 'person',
        found: 1,
        right: 1,
        labeled: 1,
        recalled: 1,
      })
      expect(result.groups).toContainEqual({
        half,
        kind: 'organization',
        found: 1,
        right: 0,
        labeled: 1,
        recalled: 0,
      })
    }
    expect(result.top).toEqual({ nodes: 2, right: 1, wrong: ['organization corp.com'] })
  })

  it('lists faults of the tuning half only', () => {
    const item = idIn('tuning')
    expect(result.faults).toEqual([
      { item, kind: 'organization', what: 'wrong', name: 'corp.com' },
      { item, kind: 'organization', what: 'missed', name: 'Acme' },
    ])
  })

  it('distinguishes right merges of names from wrong ones', () => {
    const item = idIn('held out')
    const entities: Labels = { person: { ada: ['Ada Lovelace'], other: ['ada@corp.com'] } }
    const { merges } = evaluateCanvas([mail(item, ['Ada Lovelace', 'ada@corp.com'], entities)], terms)
    expect(result.merges).toContainEqual({ half: 'held out', same: 1, joined: 1, wronglyJoined: 0 })
    expect(merges).toContainEqual({ half: 'held out', same: 0, joined: 0, wronglyJoined: 1 })
  })
})
