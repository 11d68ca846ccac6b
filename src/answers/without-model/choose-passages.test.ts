import { expect, it } from 'vitest'
import { aHit } from '../../../test/support/hits.ts'
import { inOneGo } from '../../kernel/cooperative.ts'
import { loadTermWeights } from '../../inference/term-weights.ts'
import type { Candidate } from './candidate.ts'
import { choosePassages } from './choose-passages.ts'
import { toPassage } from './passage.ts'
import { createSynthesize } from './synthesize.ts'

const synthesize = createSynthesize(await loadTermWeights())

function ask(question: string, title: string, content: string): string {
  return inOneGo(synthesize({ question, hits: [aHit({ title, content })], around: [] }))
}

it('quotes all of a short list if one of its items is worth quoting', () => {
  const answer = ask(
    'How does the office judge whether a project succeeds?',
    'Planning',
    'Each office plans once a year.\n\nFour outcomes define success of a project:\n\n' +
      '- Satisfied partners\n- Quality of delivery\n- Engaged employees\n- Stable finances\n\n' +
      'Targets are reviewed in spring.',
  )
  expect(answer).toContain(
    '- Satisfied partners [1]\n- Quality of delivery [1]\n- Engaged employees [1]\n- Stable finances [1]',
  )
})

it('begins with what an option is if the question asks what it does', () => {
  const answer = ask(
    'What does renewal_window_ratio control on a site?',
    'Options',
    '### `renewal_window_ratio`\n\n' +
      'The share of a lifetime that remains before a certificate is renewed. ' +
      'Most installations never change it, because the default suits nearly every authority.\n\n' +
      'Can also be set per site with the `renewal_window_ratio` subdirective of the site.\n\n' +
      '### `grace_period`\n\nThe time that open connections get.\n',
  )
  expect(answer).toMatch(/^`renewal_window_ratio`:\n- The share of a lifetime that remains/)
})

/** The sentences of one paragraph, with their scores. */
function paragraph(...scored: readonly [text: string, score: number][]): Candidate[] {
  const passages = new Set<string>()
  return scored.map(([text, score], position) => ({
    passage: toPassage('sentence', text, {
      context: '',
      label: null,
      heading: null,
      group: 1,
      term: null,
      at: 0,
    }),
    stems: new Set(text.toLowerCase().match(/[a-z\d]+/g)),
    words: [],
    term: passages,
    context: passages,
    hit: 0,
    isBeside: false,
    section: 0,
    position,
    score,
    covers: 0.3,
    gains: 0,
  }))
}

function quoted(candidates: readonly Candidate[]): string[] {
  const { lead, support } = choosePassages(candidates, { code: false, definition: false })
  return [...lead, ...support].toSorted((a, b) => a.position - b.position).map(({ passage }) => passage.text)
}

it('quotes the sentence between two quoted ones', () => {
  const between = 'Finance approves the pay band first.'
  const candidates = paragraph(
    ['The panel meets on the last day.', 0.9],
    [between, 0],
    ['Candidates hear it then.', 1],
  )
  expect(quoted(candidates)).toContain(between)
})

it('quotes a sentence that adds words to a quoted one, but not one that only repeats it', () => {
  const best = 'Leave of bone marrow and organ donors.'
  const more = 'Bone marrow donors get 7 days of leave, organ donors get 30 days, with full pay and benefits.'
  const same = 'Leave of organ and bone marrow donors.'
  const others: [text: string, score: number][] = [
    ['Ask payroll.', 0],
    ['See HR.', 0],
  ]
  expect(quoted(paragraph([more, 0.95], ...others, [best, 1]))).toContain(more)
  expect(quoted(paragraph([same, 0.95], ...others, [best, 1]))).not.toContain(same)
})
