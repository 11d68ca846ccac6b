import { convert } from 'html-to-text'
import { addressParser, decodeWords } from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { aHit } from './support/hits.ts'
import { splitParts } from '../cli/import/split-parts.ts'
import { citationsOf, createMarkerFilter, type MarkerFilter } from '../src/answers/citations.ts'
import { createModelMarkerFilter } from '../src/answers/model-markers.ts'
import { readDefinitions } from '../src/answers/without-model/read-definitions.ts'
import { ANSWER_TYPE_NAMES, askedTypes, typeReader } from '../src/answers/without-model/answer-types.ts'
import { splitPassages } from '../src/answers/without-model/split-passages.ts'
import { plainText, shorten } from '../src/answers/without-model/plain-text.ts'
import { buildPrompt } from '../src/answers/prompt.ts'
import { asksForCode, asksForSteps, asksWhatItIs } from '../src/answers/without-model/answer-form.ts'
import { createSynthesize } from '../src/answers/without-model/synthesize.ts'
import { tokenize } from '../src/inference/embedding-models/builtin/tokenize.ts'
import { loadTermWeights } from '../src/inference/term-weights.ts'
import { chunkingText } from '../src/items/chunk-text.ts'
import { isLink } from '../src/items/link.ts'
import { limitNesting } from '../src/file-text/limit-nesting.ts'
import { extractingEntities } from '../src/memory-canvas/extraction/extract-entities.ts'
import { numberStyleOf } from '../src/file-text/office/number-format.ts'
import { readCsv } from '../src/file-text/read-csv.ts'
import { readMarkdown, readRst } from '../src/file-text/read-markdown.ts'
import { textFormatOf } from '../src/file-text/text-format.ts'
import { inOneGo, runCooperatively, type Pausable } from '../src/kernel/cooperative.ts'
import { showsNothing, storableText } from '../src/kernel/text.ts'
import type { Hit } from '../src/retrieval/index.ts'
import { orderForReading } from '../src/retrieval/rank/reading-order.ts'
import { partsOf } from '../src/providers/google/gmail/mail-parts.ts'
import { isReply, withoutQuotedText } from '../src/providers/quoted-text.ts'
import { withoutPictures } from '../src/providers/google/drive/file-content.ts'
import { readPageLinks } from '../src/providers/web/page-links.ts'
import { parseRobots } from '../src/providers/web/robots.ts'
import { readSitemap } from '../src/providers/web/sitemap.ts'
import { childrenIn, readableMarkdown } from '../src/providers/notion/text.ts'
import { chatText } from '../src/providers/chat-text.ts'
import { readMessages } from '../src/providers/slack/reading/messages.ts'
import { mentionedUsers, mrkdwnToText } from '../src/providers/slack/reading/mrkdwn.ts'
import { askingFor } from '../src/evidence/question-of.ts'
import { findBlocks } from '../src/text/blocks.ts'
import { cutToBytes } from '../src/text/cut-to-bytes.ts'
import { createQuotationFilter, withoutQuestionsInCode } from '../src/text/quotations.ts'
import { sentenceStarts } from '../src/text/sentences.ts'
import { countWords } from '../src/text/words.ts'
import { cpuMs, findSuperlinear, hostileTexts, type HostileText } from './support/hostile-texts.ts'

/** A document with one text, as the memory canvas reads it. */
const itemOf = (text: string) => ({
  provider: 'slack',
  sourceKind: 'message' as const,
  title: text.slice(0, 1_000),
  body: text,
  authorName: text.slice(0, 500),
  metadata: { folder: text, senders: [text], recipients: [text], channel: text, labels: [text] },
})

const MIB = 2 ** 20
const terms = await loadTermWeights()
const names = { user: (id: string) => id, channel: (id: string) => id }

const hitOf = (content: string): Hit => aHit({ title: content.slice(0, 1_000), content })

/** The most chunks of the text that a request returns. */
const hitsOf = (text: string): Hit[] =>
  Array.from({ length: 25 }, (_, at) => hitOf(text.slice(at * 4_000, (at + 1) * 4_000)))

function filtered(filter: MarkerFilter, text: string): string {
  return filter.push(text) + filter.end()
}

/** Everything that reads external text in one go, applied to that text. */
const READERS: Record<string, (text: string) => unknown> = {
  'a robots.txt': (text) => parseRobots(text, 'Crawler').allows(text.slice(0, 500)),
  'a robots.txt that forbids this': (text) =>
    parseRobots(`User-agent: *\nDisallow: ${text}`, 'Crawler').allows(text),
  'the filter of markers': (text) => filtered(createMarkerFilter(8), text),
  "the filter of a model's markers": (text) => filtered(createModelMarkerFilter(8), text),
  'the citations of an answer': (text) => citationsOf(text, []),
  'text without markup': plainText,
  'shortened text': (text) => shorten(text, 600),
  'a prompt': (text) =>
    buildPrompt({
      question: text,
      hits: [hitOf(text)],
      isWeak: false,
      boundary: 'boundary',
      maxOutputTokens: 100,
    }),
  'the type of a question': (text) => [
    asksForCode(text.slice(0, 8_192)),
    asksForSteps(text.slice(0, 8_192)),
    asksWhatItIs(text.slice(0, 8_192)),
    askedTypes(text.slice(0, 8_192)),
    typeReader(text.slice(0, 8_192), ANSWER_TYPE_NAMES)(text.slice(0, 8_192)),
  ],
  definitions: readDefinitions,
  blocks: findBlocks,
  sentences: (text) => sentenceStarts(text, 0, text.length),
  words: (text) => countWords(text, 0, text.length),
  'text as it can be stored': (text) => [storableText(text), showsNothing(text)],
  'a link': (text) => [isLink(text), isLink(`https://x.example/${text}`)],
  'a text cut to bytes': (text) => cutToBytes(text, 100_000),
  'the subject of a mail': (text) => [isReply(text, false), isReply(`Re ${text}`, true)],
  'the headers of a part': (text) =>
    partsOf({ headers: [{ name: 'Content-Type', value: `charset${text}` }], body: { data: 'YQ' } }),
  'Markdown of Notion': (text) => [readableMarkdown(text), childrenIn(text)],
  'text of Slack': (text) => [mrkdwnToText(text, names), mentionedUsers(text)],
  'blocks of Slack': (text) =>
    readMessages([{ ts: '1', blocks: [{ type: 'rich_text_list', elements: [{ type: 'text', text }] }] }]),
  'a chat': (text) =>
    chatText([
      { author: 'Ada', text },
      { author: text.slice(0, 100), text },
    ]),
  'a number format': (text) => numberStyleOf(200, text),
  'the kind of a file': (text) => [textFormatOf(text, text), textFormatOf('', `${text}.pdf`)],
  'an imported Markdown file': (text) => readMarkdown(`# ${text}`, 'a.md'),
  'an imported reStructuredText file': readRst,
  'the rows of a CSV file': (text) => readCsv(text, 2 * MIB),
  'the nesting of HTML': (text) => limitNesting(text, 300),
  'questions quoted in code': (text) => [
    createQuotationFilter('how many days of paid leave do I get')(text),
    withoutQuestionsInCode(text),
  ],
  'the parts of an imported file': (text) => splitParts(text, 100_000),
}

/** The same for readers that pause, so that other work can run. */
const PAUSING_READERS: Record<string, (text: string) => Pausable<unknown>> = {
  'the links of a web page': readPageLinks,
  'a sitemap': readSitemap,
  chunks: chunkingText,
  'a mail without what it quotes': (text) => withoutQuotedText([text]),
  'Markdown of Drive': (text) => withoutPictures(Buffer.from(text)),
  'an answer without a language model': (text) =>
    createSynthesize(terms)({
      question: `who and when ${text.slice(0, 8_000)}`,
      hits: hitsOf(text),
      around: [],
    }),
  'the order in which an answer reads': (text) => orderForReading(text.slice(0, 8_192), hitsOf(text), terms),
  'what a message names': (text) => extractingEntities(itemOf(text), terms),
  'what a document names': (text) =>
    extractingEntities({ ...itemOf(text), provider: 'notion', sourceKind: 'document' }, terms),
  'a question of a passage': (text) => askingFor(text),
}

/** Readers of a bounded prefix of a text: their libraries look at each prefix repeatedly. */
const BOUNDED_READERS: Record<string, (text: string) => unknown> = {
  'the passages of chunks': splitPassages,
  'the stems of chunks and questions': tokenize,
  addresses: (text) => addressParser(text, { flatten: true }),
  'encoded words': decodeWords,
  HTML: (text) => convert(text, { limits: { maxDepth: 200 } }),
}

// For 1 MiB: quadratic time above it takes a quarter of a second for 2 MiB, and seconds for the largest inputs.
const HARMLESS_MS = 60

describe('time is linear in hostile text for', () => {
  it.each(Object.keys(READERS))('%s', { timeout: 300_000 }, (name) => {
    expect(complaints(hostileTexts(MIB / 4), READERS[name])).toEqual([])
  })

  it.each(Object.keys(PAUSING_READERS))(
    '%s, without blocking the event loop',
    { timeout: 300_000 },
    (name) => {
      const begin = PAUSING_READERS[name]
      if (begin === undefined) throw new Error('there is no such reader')
      expect(hostileTexts(MIB / 8).flatMap((text) => complaintsOfPausing(text, begin))).toEqual([])
    },
  )

  it.each(Object.keys(BOUNDED_READERS))('%s', { timeout: 300_000 }, (name) => {
    expect(complaints(hostileTexts(2 ** 15), BOUNDED_READERS[name])).toEqual([])
  })
})

function complaints(texts: HostileText[], read: ((text: string) => unknown) | undefined): string[] {
  if (read === undefined) throw new Error('there is no such reader')
  return texts.flatMap((text) => findSuperlinear(text, read, HARMLESS_MS) ?? [])
}

/** Milliseconds of CPU time: a step takes well under ten, but the first one may compile. */
const STEP_MS_MAX = 500
const TRIES_MAX = 3

/** Faults in the duration of the work on one text, and in how long it blocks other work. */
function complaintsOfPausing(text: HostileText, begin: (text: string) => Pausable<unknown>): string[] {
  const longestSteps: number[] = []
  const work = (read: string): void => {
    const longest = longestStepMs(begin(read))
    if (read === text.text) longestSteps.push(longest)
  }
  const superlinear = findSuperlinear(text, work, HARMLESS_MS)
  while (Math.min(...longestSteps) >= STEP_MS_MAX && longestSteps.length < TRIES_MAX) work(text.text)
  const longest = Math.min(...longestSteps)
  const slow = longest < STEP_MS_MAX ? null : `${text.name}: a step of ${longest.toFixed(0)} ms`
  return [superlinear, slow].filter((complaint) => complaint !== null)
}

/** Works to the end. @returns the CPU time of the longest step, in which no other work runs */
function longestStepMs(work: Pausable<unknown>): number {
  let longest = 0
  for (;;) {
    let isDone = true
    const step = (): void => {
      isDone = work.next().done === true
    }
    longest = Math.max(longest, cpuMs(step))
    if (isDone) return longest
  }
}

// "ﷺ" is four words of eighteen characters once it is normalized.
it('answers from a character that expands to a sentence in many steps', () => {
  const text = 'ﷺ'.repeat(100_000)
  const answering = (): Pausable<string> =>
    createSynthesize(terms)({
      question: `who and when ${text.slice(0, 8_000)}`,
      hits: hitsOf(text),
      around: [],
    })
  const shares = Array.from({ length: TRIES_MAX }, () => {
    const totalMs = cpuMs(() => inOneGo(answering()))
    return longestStepMs(answering()) / totalMs
  })
  expect(Math.min(...shares)).toBeLessThan(0.5)
})

describe('while hostile text is chunked', () => {
  it('other work runs between the bursts', async () => {
    let ticks = 0
    const timer = setInterval(() => (ticks += 1), 1)
    await runCooperatively(chunkingText('- a\n'.repeat(MIB / 4)))
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(5)
  })

  it('the work stops when its caller has left', async () => {
    const left = new AbortController()
    const work = runCooperatively(chunkingText('- a\n'.repeat(MIB / 4)), left.signal)
    left.abort(new Error('has left'))
    await expect(work).rejects.toThrow('has left')
  })
})

describe('a list of any length is never spread as arguments', () => {
  it('for the lines of a forwarded mail', () => {
    const mail = `Look:\n\n---------- Forwarded message ---------\n${'a\n'.repeat(400_000)}`
    expect(inOneGo(withoutQuotedText([mail])).length).toBeGreaterThan(700_000)
  })
})
