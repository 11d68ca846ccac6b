import { createRandom } from '../emulators/kit/random.ts'
/** A document of the benchmark: English-like text, determined by its number. */
export interface BenchDocument {
  title: string
  body: string
}

const WORDS = 400
const SENTENCE_WORDS = 14
const SUBJECTS =
  'team budget customer invoice release server password laptop contract vendor meeting roadmap incident backup policy holiday salary onboarding security license project deadline report survey office travel expense training database network'.split(
    ' ',
  )
const VERBS =
  'approves reviews rotates renews migrates audits schedules archives requests reimburses deploys monitors escalates documents publishes cancels encrypts restores assigns forecasts'.split(
    ' ',
  )
const DETAILS =
  'quarterly weekly monthly annual regional internal external temporary permanent mandatory optional encrypted shared confidential automated manual central local remote hybrid senior junior legal financial technical'.split(
    ' ',
  )
const PLACES = 'Berlin Lisbon Toronto Osaka Nairobi Dublin Austin Oslo Seoul Lima'.split(' ')

/** A document of about `length` words. */
export function benchDocument(number: number, length = WORDS): BenchDocument {
  const random = createRandom(number + 1)
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? ''
  const sentences: string[] = []
  for (let words = 0; words < length; words += SENTENCE_WORDS) {
    sentences.push(
      `The ${pick(DETAILS)} ${pick(SUBJECTS)} in ${pick(PLACES)} ${pick(VERBS)} the ${pick(DETAILS)} ${pick(SUBJECTS)} before the ${pick(SUBJECTS)} item ${Math.floor(random() * 9000)}.`,
    )
  }
  return { title: `${pick(DETAILS)} ${pick(SUBJECTS)} ${number}`, body: sentences.join(' ') }
}

export function benchQuery(number: number): string {
  const random = createRandom(number + 1_000_003)
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? ''
  return `who ${pick(VERBS)} the ${pick(DETAILS)} ${pick(SUBJECTS)} in ${pick(PLACES)}`
}
