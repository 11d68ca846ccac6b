import { describe, expect, it } from 'vitest'
import { aHit } from '../../../test/support/hits.ts'
import { loadTermWeights } from '../../inference/term-weights.ts'
import { inOneGo } from '../../kernel/cooperative.ts'
import type { Hit } from '../../retrieval/index.ts'
import type { Candidate } from './candidate.ts'
import { createReadMaterial } from './read-material.ts'
import { renderAnswer } from './render-answer.ts'
import { createSpeakerOf } from './speakers.ts'

const { read } = createReadMaterial(await loadTermWeights())
function render(
  content: string,
  choose = (all: readonly Candidate[]) => [all],
  metadata: Hit['metadata'] = {},
  heading: string | null = null,
): string {
  const hit = aHit({ title: 'Bins', content, metadata })
  const { candidates } = inOneGo(read({ question: 'bins', hits: [hit], around: [] }))
  const options = {
    narrow: <T>(passage: T): T => passage,
    headingOf: () => heading,
    speakerOf: createSpeakerOf([hit], candidates),
    asksForPerson: false,
  }
  return renderAnswer(choose(candidates), candidates, options)
}

it('shows a sentence once if it is chosen and another one refers to it', () => {
  const content = 'Bins are emptied on Monday. They hold paper.'
  expect(render(content, (all) => [all.slice(1), all.slice(0, 1)])).toBe(
    'Bins are emptied on Monday. [1] They hold paper. [1]',
  )
})

it('shows the sentence before code once, also in another group', () => {
  const sentence = 'Bins fill up fast, so order another one every week'
  const content = `Bins are blue. ${sentence}:\n\n\`\`\`sh\nbins order\n\`\`\``
  const code = `${sentence}:\n\`\`\`sh\nbins order\n\`\`\`\n[1]`
  expect(render(content)).toBe(`Bins are blue. [1]\n${code}`)
  expect(render(content, (all) => [all.slice(1, 2), all.slice(2)])).toBe(code)
  expect(render(content, (all) => [all.slice(1, 2)])).toBe(`${sentence}. [1]`)
})

it('shows the heading of several passages in a row once', () => {
  const content = 'Bins are emptied on Monday.\n\n- Paper is blue.\n\nThey hold paper.'
  const apart = (all: readonly Candidate[]): Candidate[][] => [all.slice(0, 1), all.slice(-1)]
  expect(render(content, apart, {}, 'Bins of Ghent')).toMatch(
    /^Bins of Ghent: Bins are emptied .* \[1\]\n\nThey hold/,
  )
})

describe('a conversation', () => {
  const content = 'Ada: the lid stays open all night. It rains in\nBen: that explains the smell'
  const metadata = { senders: ['Ada', 'Ben'] }

  it('has each message on its own line', () => {
    expect(render(content, undefined, metadata)).toBe(
      'Ada: the lid stays open all night. [1] It rains in [1]\nBen: that explains the smell [1]',
    )
  })

  it('has the message that another one refers to', () => {
    const last = (all: readonly Candidate[]): Candidate[][] => [all.slice(-1)]
    expect(render(content, last, metadata)).toBe('It rains in [1]\nBen: that explains the smell [1]')
  })
})

describe('a list', () => {
  it('keeps its numbers, and counts if all of them are 1', () => {
    expect(render('Emptying:\n\n3. Open the lid.\n4. Lift the bag.')).toBe(
      'Emptying:\n3. Open the lid. [1]\n4. Lift the bag. [1]',
    )
    expect(render('Emptying:\n\n1. Open the lid.\n1. Lift the bag.')).toBe(
      'Emptying:\n1. Open the lid. [1]\n2. Lift the bag. [1]',
    )
    expect(render('Emptying:\n\n1. Open the lid.\n- Lift the bag.')).toContain('- Open the lid. [1]')
  })

  it('has each item on its own line, also one of several sentences', () => {
    const long = `Bring it to the yard behind the house, where ${'the paper and '.repeat(20)}glass are kept.`
    expect(render(`Emptying:\n\n- Open the lid.\n- ${long} Close the gate.`)).toBe(
      `Emptying:\n- Open the lid. [1]\n- ${long} [1] Close the gate. [1]`,
    )
  })
})
