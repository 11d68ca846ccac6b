import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { judgeAnswer } from './evaluate-facts.ts'
import { type Facts, halfOf } from './read-facts.ts'
import { readMaterials } from './read-materials.ts'
import {
  type Candidate,
  createReadMaterial,
  describingPassages,
  type Feature,
  FEATURES,
  type Material,
  splitQuestion,
} from '../src/answers/index.ts'
import { loadTermWeights } from '../src/inference/term-weights.ts'
import { inOneGo } from '../src/kernel/slices.ts'
import { type Example, fitWeights, shareRight } from './fit-weights.ts'

const FACTS_FOLDER = fileURLToPath(new URL('../test/facts', import.meta.url))
const WEIGHTS_FILE = fileURLToPath(new URL('../src/answers/feature-weights.json', import.meta.url))
/** Strong: with less, the weights overfit the invented documents and lose on real manuals. */
const PULL = 1
const STEPS = 100
/** Passages of a question to compare, by the hand-set weights: others are never chosen. */
const PASSAGES_MAX = 50

/**
 * Set by hand with questions about real manuals (docs/explanation/evaluation.md). The fit starts here and
 * stays close.
 */
const START: Record<Feature, number> = {
  own: 0.75,
  term: 0.9,
  similar: 0.5,
  before: 1.1,
  context: 0.9,
  title: 0.85,
  heading: 0.3,
  beside: 0.45,
  near: 0.2,
  nearUnder: 0.35,
  literal: 0.2,
  literalTerm: 0.6,
  defines: 0.1,
  command: 0.2,
  precise: 0.15,
  cell: 0.15,
  isRow: -0.1,
  isItem: -0.05,
  isCode: 0.2,
  isUnaskedCode: -2,
  isLongCode: -0.1,
  isQuestion: -0.55,
  isTitle: -0.6,
  pointsBack: -0.05,
  saysLittle: -0.25,
  length: -0.05,
  rank: -0.05,
  isBeside: 0,
  coversMost: 0.1,
  covered: 0.05,
  hitScore: 0.2,
  headingPrecise: 0.05,
  counts: 0.3,
  types: 0.15,
  typesCovered: 0.1,
  has_default: 0.25,
  has_duration: 0.05,
  has_amount: 0.15,
  has_money: 0.05,
  has_date: 0.1,
  has_person: 0.05,
  has_place: 0,
  has_name: 0.05,
  has_procedure: -0.05,
  has_reason: -0.05,
  has_yesNo: 0.1,
  has_difference: 0,
  has_definition: -0.15,
  has_result: 0.1,
}
/** Too few questions depend on these to fit them. */
const FIXED: readonly Feature[] = [
  'command',
  'length',
  'isUnaskedCode',
  'isLongCode',
  'saysLittle',
  'isTitle',
  'isQuestion',
  'isCode',
  'pointsBack',
  'isBeside',
]

const { values } = parseArgs({
  options: { out: { type: 'string', default: WEIGHTS_FILE }, cache: { type: 'string' } },
})

await train()

/** Fits the weights for choosing passages to the tuning half of `test/facts`, and writes them. */
async function train(): Promise<void> {
  say('reading the hits of each question')
  const examples = await readExamples()
  const start = FEATURES.map((name) => START[name])
  const fixed = new Set(FIXED.map((name) => FEATURES.indexOf(name)))
  const weights = fitWeights(examples, { start, fixed, pull: PULL, steps: STEPS })
  const best = (of: readonly number[]): string => shareRight(examples, of).toFixed(3)
  say(`${examples.length} questions; the best passage answers ${best(start)} at first, ${best(weights)} now`)
  const rounded = FEATURES.map((name, at) => [name, Math.round((weights[at] ?? 0) * 1000) / 1000])
  await writeFile(values.out, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`)
  say(`wrote ${values.out}`)
}

/** The questions of the tuning half with a fact in one of their passages. */
async function readExamples(): Promise<Example[]> {
  const toExample = await createToExample()
  const asked = await readMaterials(FACTS_FOLDER, values.cache)
  return asked
    .filter(({ document }) => halfOf(document) === 'tuning')
    .map(({ material, facts }) => toExample(material, facts))
    .filter(({ answers }) => answers.includes(true))
}

async function createToExample(): Promise<(material: Material, facts: Facts) => Example> {
  const terms = await loadTermWeights()
  const { read, prepare } = createReadMaterial(terms)
  return (material, facts) => {
    const found = inOneGo(read(material))
    const [part = { text: material.question, rest: '' }] = splitQuestion(material.question)
    const described = inOneGo(describingPassages(prepare(part, found), found.candidates, terms))
    const compared = found.candidates
      .map((candidate, at) => {
        const features = FEATURES.map((name) => described[at]?.[name] ?? 0)
        const score = features.reduce((sum, value, n) => sum + value * START[FEATURES[n] ?? 'own'], 0)
        return { features, score, answers: saysOne(candidate, facts) }
      })
      .toSorted((a, b) => b.score - a.score)
      .filter(({ answers }, place) => answers || place < PASSAGES_MAX)
    return {
      passages: compared.map(({ features }) => features),
      answers: compared.map(({ answers }) => answers),
    }
  }
}

/** Whether a passage, as displayed, states one of the facts. */
function saysOne({ passage: { label, text } }: Candidate, facts: Facts): boolean {
  const shown = label === null ? text : `${label}: ${text}`
  return facts.some((spellings) => judgeAnswer(shown, [spellings]).said)
}

function say(message: string): void {
  process.stdout.write(`${message}\n`)
}
