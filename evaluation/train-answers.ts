import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { type Candidate, createReadMaterial, describingCompared, FEATURES } from '../src/answers/index.ts'
import { loadTermWeights, type TermWeights } from '../src/inference/term-weights.ts'
import { inOneGo } from '../src/kernel/cooperative.ts'
import { createRandom } from '../src/kernel/seeded-random.ts'
import { splitQuestion } from '../src/text/question-parts.ts'
import { judgeAnswer } from './evaluate-facts.ts'
import { type Example, fitChooser } from './fit-chooser.ts'
import { type Facts, halfOf } from './read-facts.ts'
import { type AskedMaterial, readMaterials } from './read-materials.ts'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
/** Invented documents: half of them may be learned from. */
const FACTS_FOLDER = folder('../test/facts')
/** Real documentation: two thirds of its sources may be learned from. */
const REAL_FOLDER = folder('../training/answers/real-a')
/** Guides and the documents of invented companies: half of them may be learned from. */
const COMPANIES_FOLDER = folder('../training/answers/real-b')
const WEIGHTS_FILE = folder('../src/answers/without-model/chooser-weights.json')
const SEED = 1
const PARTS = 3

const { values } = parseArgs({
  options: { out: { type: 'string', default: WEIGHTS_FILE }, cache: { type: 'string' } },
})

await train()

/** Trains the network that chooses passages, and writes its weights. */
async function train(): Promise<void> {
  say('reading the hits of each question')
  const terms = await loadTermWeights()
  const facts = await readMaterials(FACTS_FOLDER, values.cache)
  const real = await readMaterials(REAL_FOLDER, values.cache)
  const more = await readMaterials(COMPANIES_FOLDER, values.cache)
  const asked = [
    ...facts.filter(isTuning),
    ...real.filter(({ id }) => mayTrainOn(sourceOf(id))),
    ...more.filter(isTuning),
  ]
  const toExample = createToExample(terms)
  const examples = asked.map(toExample).filter(({ answers }) => answers.includes(true))
  say(`training on ${examples.length} questions`)
  const stored = fitChooser(FEATURES, examples, createRandom(SEED))
  await writeFile(values.out, `${JSON.stringify(stored, null, 2)}\n`)
  say(`wrote ${values.out}`)
}

/** Whether a question's document belongs to the half that may be learned from. */
function isTuning({ document }: AskedMaterial): boolean {
  return document !== null && halfOf(document) === 'tuning'
}

/** What a question is about, such as the product of a manual: the part of its id before the last `-`. */
function sourceOf(id: string): string {
  return id.replace(/-[^-]*$/, '')
}

/** Whether a source is among the two thirds, by a hash, so that no one chooses. */
function mayTrainOn(source: string): boolean {
  const [first = 0] = createHash('sha256').update(source).digest()
  return first % PARTS !== 0
}

function createToExample(terms: TermWeights): (asked: AskedMaterial) => Example {
  const { read, prepare } = createReadMaterial(terms)
  return ({ id, facts, document, material }) => {
    const source = sourceOf(id)
    if (material.hits.length === 0) return { question: '', source, passages: [], answers: [] }
    const found = inOneGo(read(material))
    const [part = { text: material.question, rest: '' }] = splitQuestion(material.question)
    const asked = inOneGo(prepare(part, found))
    const compared = inOneGo(describingCompared(asked, found.candidates, terms))
    return {
      question: asked.question,
      source,
      passages: compared.map(({ described }) => described),
      answers: compared.map(({ candidate }) => {
        const isRight = material.hits[candidate.hit]?.metadata['documentId'] === document
        return isRight && saysOne(candidate, facts)
      }),
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
