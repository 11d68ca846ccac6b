import type { Candidate } from './candidate.ts'
import { namesWhatPrecedes, type Passage, pointsBack } from './passage.ts'
import type { SpeakerOf } from './speakers.ts'

const COMPANION_CHARACTERS_MAX = 240
const LABEL_CHARACTERS_MAX = 200
const NAMED_CHARACTERS_MAX = 400

export interface RenderOptions {
  /** Removes what the question does not ask for. */
  narrow: (passage: Passage) => Passage
  /** The heading that a sentence needs to make sense. */
  headingOf: (candidate: Candidate) => string | null
  speakerOf: SpeakerOf
  /** Whether the question asks for a person, so that every message needs its author. */
  asksForPerson: boolean
}

/** Renders groups of passages, the most important first, and each passage once. */
export function renderAnswer(
  groups: readonly (readonly Candidate[])[],
  all: readonly Candidate[],
  options: RenderOptions,
): string {
  const shown = new Set(introductions(groups.flat()))
  const oneHeading = { ...options, headingOf: onceInARow(options.headingOf) }
  const texts: string[] = []
  for (const group of groups) {
    const unshown = withCompanions(group, all).filter((candidate) => !shown.has(candidate))
    if (unshown.length > 0) texts.push(renderGroup(unshown, oneHeading))
    for (const candidate of unshown) shown.add(candidate)
  }
  return texts.join('\n\n')
}

/** Leaves out a heading that the text before already has. */
function onceInARow(headingOf: RenderOptions['headingOf']): RenderOptions['headingOf'] {
  let last: string | null = null
  return (candidate) => {
    const heading = headingOf(candidate)
    const isRepeated = heading === last
    last = heading
    return isRepeated ? null : heading
  }
}

/** What chosen code shows as its label, and the sentences that list items and rows show as theirs. */
function introductions(chosen: readonly Candidate[]): Candidate[] {
  const labelled = chosen.filter(({ passage }) => passage.kind !== 'sentence')
  return chosen.filter(
    ({ passage, section }) =>
      passage.kind !== 'code' &&
      labelled.some(
        (other) =>
          other.section === section &&
          (passage.kind === 'sentence' || other.passage.kind === 'code') &&
          labelOf(other.passage) === withoutEnd(passage.text),
      ),
  )
}

/** Renders passages by hit, each with its marker: the best hit first, same labels together. */
function renderGroup(passages: readonly Candidate[], options: RenderOptions): string {
  const hits = [...new Set(passages.toSorted((a, b) => b.score - a.score).map(({ hit }) => hit))]
  return hits
    .map((hit) =>
      renderHit(
        passages.filter((candidate) => candidate.hit === hit),
        options,
      ),
    )
    .join('\n\n')
}

/** The chosen passages in reading order, each after the one that it refers to. */
function withCompanions(chosen: readonly Candidate[], all: readonly Candidate[]): Candidate[] {
  const shown = new Set(chosen)
  for (const { passage, section, position } of chosen) {
    if (!pointsBack(passage)) continue
    if (namesWhatPrecedes(passage))
      for (const other of paragraphBefore(position, section, all)) shown.add(other)
    const before = all.find((other) => other.section === section && other.position === position - 1)
    const isCompanion =
      before?.passage.group === passage.group && before.passage.text.length <= COMPANION_CHARACTERS_MAX
    if (before && isCompanion) shown.add(before)
  }
  return all.filter((candidate) => shown.has(candidate))
}

/** The sentences before a position that share a paragraph, as many of its last as fit. */
function paragraphBefore(position: number, section: number, all: readonly Candidate[]): Candidate[] {
  const before = all.filter((other) => other.section === section && other.position < position)
  const group = before.at(-1)?.passage.group
  let characters = 0
  return before
    .toReversed()
    .filter(
      ({ passage }) => passage.group === group && (characters += passage.text.length) <= NAMED_CHARACTERS_MAX,
    )
}

function bestOf(run: readonly Candidate[]): number {
  return run.reduce((best, { score }) => Math.max(best, score), -Infinity)
}

function renderHit(candidates: readonly Candidate[], options: RenderOptions): string {
  const runs = runsUnderOneLabel(candidates).toSorted((a, b) => bestOf(b) - bestOf(a))
  return runs.map((run) => renderRun(run, options)).join('\n')
}

/** Groups neighbors with the same label (or none) in the same list or run of text. */
function runsUnderOneLabel(candidates: readonly Candidate[]): Candidate[][] {
  const runs: Candidate[][] = []
  for (const candidate of candidates) {
    const run = runs.at(-1)
    const last = run?.at(-1)?.passage
    const { label, group, term, kind } = candidate.passage
    const isSameList = label === null || last?.group === group || (term !== null && last?.term === term)
    const goesOn = last?.label === label && isSameList && kind !== 'code'
    if (run && goesOn && last?.kind !== 'code') run.push(candidate)
    else runs.push([candidate])
  }
  return runs
}

function renderRun(run: readonly Candidate[], options: RenderOptions): string {
  const speakers = run.map(options.speakerOf)
  const marked = run.map(({ passage, hit }, at) => {
    const speaker = speakers[at]
    const isNew = speaker && !speaker.isNamed && speaker.name !== speakers[at - 1]?.name
    const name = options.asksForPerson && isNew ? `${speaker.name}: ` : ''
    return `${name}${options.narrow(passage).text}${passage.kind === 'code' ? '\n' : ' '}[${hit + 1}]`
  })
  const first = run[0]?.passage
  const label = first ? labelOf(first) : null
  if (run[0] !== undefined && first?.kind === 'sentence') {
    const heading = options.headingOf(run[0])
    const text = marked.reduce((before, next, at) => `${before}${speakers[at]?.isNamed ? '\n' : ' '}${next}`)
    return heading === null ? text : `${heading}: ${text}`
  }
  if (first?.kind === 'code') return label === null ? marked.join('\n') : `${label}:\n${marked.join('\n')}`
  const items = joinItems(run, marked)
  if (items.length === 1) return label === null ? marked.join(' ') : `${label}: ${marked.join(' ')}`
  const isNumbered = run.every(({ passage }) => passage.step !== null)
  const start = first?.step ?? 1
  const list = items.map((text, at) => `${isNumbered ? `${start + at}.` : '-'} ${text}`).join('\n')
  return label === null ? list : `${label}:\n${list}`
}

function labelOf({ label }: Passage): string | null {
  return label === null || label === '' || label.length > LABEL_CHARACTERS_MAX ? null : withoutEnd(label)
}

function withoutEnd(text: string): string {
  return text.replace(/[.:]+$/, '')
}

/** The texts of a run, with the sentences of one list item together. */
function joinItems(run: readonly Candidate[], texts: readonly string[]): string[] {
  const items: string[] = []
  for (const [at, text] of texts.entries()) {
    const [passage, before] = [run[at]?.passage, run[at - 1]?.passage]
    const isSame = passage?.kind === 'item' && before?.kind === 'item' && passage.at === before.at
    if (isSame) items.push(`${items.pop()} ${text}`)
    else items.push(text)
  }
  return items
}
