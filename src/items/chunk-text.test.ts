import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Chunk,
  CHUNK_CHARACTERS_MAX,
  CHUNK_WORDS_MAX,
  CHUNK_WORDS_MIN,
  chunkingDocument,
  chunkText,
} from './chunk-text.ts'
import { chunkTextToEmbed } from '../models/embed-chunks.ts'
import { inOneGo } from '../kernel/cooperative.ts'
import { showsNothing } from '../kernel/text.ts'
import { countWords } from '../text/words.ts'

const wordsOf = (text: string): number => countWords(text, 0, text.length).words
const contents = (body: string): string[] => chunkText(body).map((chunk) => chunk.content)

/** The text between, before and after the chunks when aligned with the body. */
function gapsOf(body: string, chunks: readonly Chunk[]): string[] {
  const gaps: string[] = []
  let at = 0
  for (const { content } of chunks) {
    let gap = 0
    while (!body.startsWith(content, at + gap)) {
      if (at + gap >= body.length) throw new Error(`not in the body after ${at}: ${JSON.stringify(content)}`)
      gap++
    }
    gaps.push(body.slice(at, at + gap))
    at += gap + content.length
  }
  return [...gaps, body.slice(at)]
}

/** Deterministic prose: sentences of 5 to 17 words. */
function prose(words: number, seed = 1): string {
  const sentences: string[] = []
  for (let made = 0, turn = seed; made < words; turn++) {
    const length = Math.min(words - made, 5 + ((turn * 7) % 13))
    sentences.push(`${Array.from({ length }, (_, index) => `word${(turn + index) % 97}`).join(' ')}.`)
    made += length
  }
  return sentences.map((sentence) => sentence.replace('word', 'Word')).join(' ')
}

const piece = fc.oneof(
  fc.integer({ min: 1, max: 400 }).map((words) => prose(words, words)),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('\n', '\n\n', '\r\n', '\n\n\n\n', ' ', '\t', '    ', '\u3000', '\ufeff'),
  fc.constantFrom(
    '# One\n',
    '\n## Two ##\n',
    '\n### Three',
    '\n## Why?\n',
    '\nTitle\n=====\n',
    '\nPart\n---\n',
  ),
  fc.constantFrom(
    '\n```\n',
    '\n~~~~ts\n',
    '\n    code here\n',
    '\n| a | b |\n|---|---|\n| 1 | 2 |\n',
    '\n+---+\n| x |\n',
  ),
  fc.constantFrom('\n- item', '\n1. first', '\n    - nested', '\n> quoted', '\n---\n'),
  fc.constantFrom(
    '。',
    '我喜欢学习中文，也喜欢写字。',
    'ภาษาไทยไม่มีเว้นวรรค',
    'こんにちは、世界。',
    '한국어 문장입니다. ',
  ),
  fc.constantFrom(
    '👩‍👩‍👧‍👦',
    '😀',
    'e\u0301',
    '\ud800',
    '\udc00',
    'Dr. Who',
    'e.g. this',
    '...',
    '?!',
    '|',
    '#',
    '`',
  ),
  fc.nat({ max: 9_000 }).map((length) => 'x'.repeat(length)),
)
const anyBody = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

describe('chunkText on any text', () => {
  it('returns chunks that reproduce the body in order, dropping only whitespace between them', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        expect(gapsOf(body, chunkText(body)).join('').trim()).toBe('')
      }),
      { numRuns: 300 },
    )
  })

  it('never exceeds 4,000 characters, nor 200 words outside code and tables, and is never empty', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        for (const { content } of chunkText(body)) {
          expect(content.length).toBeLessThanOrEqual(CHUNK_CHARACTERS_MAX)
          expect(content.trim() === '').toBe(body.trim() === '')
          expect(/[`~|+]/.test(content) || wordsOf(content) <= CHUNK_WORDS_MAX).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('never splits a surrogate pair', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('😀', '👩‍👩‍👧', 'a', '𠀀'), { minLength: 900, maxLength: 6_000 }),
        (parts) => {
          expect(contents(parts.join('')).every((content) => content.isWellFormed())).toBe(true)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('numbers the chunks from 0 and returns the same chunks each time', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const chunks = chunkText(body)
        expect(chunks.map((chunk) => chunk.position)).toEqual(chunks.map((_, index) => index))
        expect(chunkText(body)).toEqual(chunks)
      }),
      { numRuns: 100 },
    )
  })

  it('makes chunks of 120 to 200 words from prose, except the last two, which share the rest', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 12 }),
        (paragraphs) => {
          const counts = contents(paragraphs.map((words) => prose(words, words)).join('\n\n')).map(wordsOf)
          for (const count of counts.slice(0, -2)) expect(count).toBeGreaterThanOrEqual(CHUNK_WORDS_MIN)
          for (const count of counts) expect(count).toBeLessThanOrEqual(CHUNK_WORDS_MAX)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe("chunkText's boundaries", () => {
  it('keeps a short text in one chunk, exactly', () => {
    expect(chunkText('  Hello there.\n\nHow are you? \n')).toEqual([
      { content: 'Hello there.\n\nHow are you?', position: 0, heading: null },
    ])
  })

  it.each(['?', '？'])('makes a chunk of each frequent question, with the headings above it (%s)', (mark) => {
    const answers = [prose(30, 1), prose(25, 2), prose(40, 3)]
    const body = [
      `# Questions\n\n${prose(20, 4)}`,
      `## Content\n\n### What is read${mark}\n\n${answers[0]}`,
      `### How often${mark}\n\n${answers[1]}`,
      `## People\n\n### Who may read it${mark}\n\n${answers[2]}`,
    ]
    expect(contents(body.join('\n\n'))).toEqual(body)
  })

  it('makes no chunk of every few words, whatever the headings ask', () => {
    const chunks = contents('# Why?\n\nSo.\n\n'.repeat(1_000))
    expect(Math.min(...chunks.map(wordsOf).slice(0, -1))).toBeGreaterThanOrEqual(20)
  })

  it('makes no chunk of a blank body', () => {
    expect(chunkText('')).toEqual([])
    expect(chunkText(' \r\n\t\u00a0\n')).toEqual([])
  })

  it.each([
    '',
    ' \r\n\t\u00a0\n',
    '\u200b\u200b\n\n\u2060\ufeff',
    '\u0000\u0007\u001b',
    '\u00ad\u3164\u2800',
  ])('uses the title if the body is invisible: %j', (body) => {
    expect(inOneGo(chunkingDocument(' Tea ', body))).toEqual([{ content: 'Tea', position: 0, heading: null }])
    expect(inOneGo(chunkingDocument('\u200b', body))).toEqual([])
  })

  it('leaves out invisible chunks but counts their positions', () => {
    const body = `${'\u200b'.repeat(9_000)}\n\nWords.\n\n# Then\n\n${'\u2060'.repeat(9_000)}`
    const chunks = inOneGo(chunkingDocument('Tea', body))
    expect(chunks.map(({ position }) => position)).toEqual(chunks.map((_, at) => at))
    for (const { content } of chunks) expect(showsNothing(content)).toBe(false)
    expect(chunks.some(({ content }) => content.includes('Words.'))).toBe(true)
  })

  it('cuts prose only where a sentence ends', () => {
    const chunks = contents(prose(1_000))
    expect(chunks.length).toBeGreaterThan(4)
    for (const content of chunks) expect(content).toMatch(/^Word.*\.$/s)
  })

  it('prefers the end of a paragraph to the end of a sentence', () => {
    const first = prose(150)
    expect(contents(`${first}\n\n${prose(120, 2)}`)[0]).toBe(first)
  })

  it('prefers the beginning of a section to the end of a paragraph', () => {
    const first = `${prose(130)}\n\n${prose(20, 3)}`
    const second = `## Next\n\n${prose(15, 4)}\n\n${prose(150, 5)}`
    expect(contents(`${first}\n\n${second}`)).toEqual([first, second])
  })

  it.each(['## Setup', 'Setup\n-----', 'Setup\n^^^^^'])(
    'keeps the heading %j with the text below',
    (heading) => {
      for (let before = 100; before < 260; before += 7) {
        const chunks = contents(`${prose(before)}\n\n${heading}\n\n${prose(150, 2)}`)
        for (const content of chunks) expect(content.endsWith(heading)).toBe(false)
        expect(chunks.some((content) => content.includes(`${heading}\n\nWord`))).toBe(true)
      }
    },
  )

  it('keeps fenced code and tables whole, with their short introduction', () => {
    const code = `\`\`\`ts\n${Array.from({ length: 60 }, (_, index) => `const a${index} = call(${index}) + 1`).join('\n\n')}\n\`\`\``
    const table = `| name | value |\n|---|---|\n${Array.from({ length: 90 }, (_, index) => `| n${index} | v |`).join('\n')}`
    const chunks = contents(
      `${prose(150)}\n\nFor example:\n\n${code}\n\n${prose(150, 2)}\n\nAll values:\n\n${table}\n\n${prose(90, 3)}`,
    )
    expect(chunks).toContain(`For example:\n\n${code}`)
    expect(chunks).toContain(`All values:\n\n${table}`)
  })

  it('keeps indented code whole, including its first indentation', () => {
    const code = Array.from({ length: 12 }, (_, index) => `    step ${index} of the program`).join('\n')
    for (let before = 80; before < 200; before += 9) {
      expect(
        contents(`${prose(before)}\n\n${code}\n\n${prose(150, 2)}`).some((content) =>
          content.includes(code.trimStart()),
        ),
      ).toBe(true)
    }
    expect(contents(`${prose(190)}\n\n${code}\n\n${prose(300)}`)[1]?.startsWith(code)).toBe(true)
  })

  it('splits code larger than a chunk between lines', () => {
    const lines = Array.from({ length: 800 }, (_, index) => `  value ${index} = ${index}`)
    const chunks = contents(`\`\`\`\n${lines.join('\n')}\n\`\`\``)
    expect(chunks.flatMap((content) => content.split('\n')).map((line) => line.trim())).toEqual([
      '```',
      ...lines.map((line) => line.trim()),
      '```',
    ])
  })

  it('extends an unclosed fence to the end of the text without losing any', () => {
    const body = `Before.\n\n\`\`\`\n${prose(900)}`
    const chunks = chunkText(body)
    expect(chunks.length).toBeGreaterThan(4)
    expect(gapsOf(body, chunks).join('').trim()).toBe('')
  })

  it('does not leave a tiny last chunk', () => {
    const counts = contents(prose(205)).map(wordsOf)
    expect(counts).toHaveLength(2)
    expect(Math.min(...counts)).toBeGreaterThan(80)
  })

  it('cuts Chinese, Japanese and Thai at their own boundaries into chunks of a few hundred characters', () => {
    const chinese = contents('我喜欢学习中文，也喜欢写字。'.repeat(100))
    expect(chinese.length).toBeGreaterThan(3)
    for (const content of chinese) expect(content).toMatch(/。$/)
    const japanese = contents('これは日本語の文章です。とても長いです！'.repeat(60))
    for (const content of japanese) expect(content).toMatch(/[。！]$/)
    const sentence = 'ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน'
    const thai = contents(sentence.repeat(80))
    const words = [...new Intl.Segmenter('th', { granularity: 'word' }).segment(sentence)].map(
      (word) => word.segment,
    )
    for (const content of thai) {
      expect(content.length).toBeLessThanOrEqual(800)
      expect(words.some((word) => content.startsWith(word))).toBe(true)
    }
  })

  it('does not split grapheme clusters in a run of emoji or combining letters', () => {
    const family = '👩‍👩‍👧‍👦'
    for (const content of contents(family.repeat(3_000))) expect(content.replaceAll(family, '')).toBe('')
    for (const content of contents('e\u0301\u0323'.repeat(5_000)))
      expect(content.replaceAll('e\u0301\u0323', '')).toBe('')
  })
})

describe('the headings of chunks', () => {
  const body = `# Guide\n\n${prose(150)}\n\n## Install\n\n${prose(170, 2)}\n\n### Linux\n\n${prose(170, 3)}\n\n## Use\n\n${prose(170, 4)}`

  it('name the sections above a chunk, but not those it begins with', () => {
    expect(chunkText(body).map((chunk) => chunk.heading)).toEqual([null, 'Guide', 'Guide > Install', 'Guide'])
  })

  it('name the section of a chunk in its middle', () => {
    expect(chunkText(`## Long\n\n${prose(500)}`).map((chunk) => chunk.heading)).toEqual([
      null,
      'Long',
      'Long',
    ])
  })

  it('precede the embedded text without repeating the title', () => {
    expect(chunkTextToEmbed('Guide', { content: 'Text.', heading: 'Guide > Install' })).toBe('Install\nText.')
    expect(chunkTextToEmbed('Guide', { content: 'Text.', heading: 'Guide' })).toBe('Text.')
    expect(chunkTextToEmbed('Other', { content: 'Text.', heading: 'Guide' })).toBe('Guide\nText.')
    expect(chunkTextToEmbed('Other', { content: 'Text.', heading: null })).toBe('Text.')
  })
})

describe('chunkText on a megabyte of nonsense', () => {
  const MIB = 1 << 20
  const nonsense: [string, string][] = [
    ['one word', 'a'.repeat(MIB)],
    ['line ends between two words', `x${'\n'.repeat(MIB - 2)}y`],
    ['number signs', '#'.repeat(MIB)],
    ['empty headings', '#\n'.repeat(MIB / 2)],
    ['headings', '# a\n'.repeat(MIB / 4)],
    ['emoji joined without end', '👩\u200d'.repeat(MIB / 3)],
    ['combining marks', `a${'\u0301'.repeat(MIB - 1)}`],
    ['nested lists', Array.from({ length: 1_400 }, (_, index) => `${' '.repeat(index)}- x`).join('\n')],
    ['full stops', '.'.repeat(MIB - 1) + 'x'],
    [
      'fences of growing length',
      Array.from({ length: 1_400 }, (_, index) => '`'.repeat(index + 3)).join('\n'),
    ],
    ['paragraphs of one letter', 'a\n\n'.repeat(MIB / 3)],
    ['pipes', '|\n'.repeat(MIB / 2)],
    ['spaces before a word', `${' '.repeat(MIB - 1)}x`],
    ['lone surrogates', '\ud800'.repeat(MIB)],
  ]

  it.each(nonsense)('%s: is reproduced in bounded chunks', (_name, body) => {
    const chunks = chunkText(body)
    expect(Math.max(...chunks.map((chunk) => chunk.content.length))).toBeLessThanOrEqual(CHUNK_CHARACTERS_MAX)
    expect(gapsOf(body, chunks).join('').trim()).toBe('')
  })
})
