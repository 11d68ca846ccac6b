import { describe, expect, it } from 'vitest'
import { createQuotationFilter, withoutQuestionsInCode } from './quotations.ts'

const QUESTION = 'How do I rotate the encryption key?'
const withoutQuotations = createQuotationFilter(QUESTION)

describe('a text without quotations of the question', () => {
  it('loses code that repeats it, fenced or indented, whatever its case and punctuation', () => {
    const fence = '```sh\nmemory ask "how do I rotate the encryption key"\n```'
    expect(withoutQuotations(`Try:\n\n${fence}\n\nPut the new key first.`)).toBe(
      'Try:\n\n\n\nPut the new key first.',
    )
    const indented = '    { "query": "How do I rotate the encryption key?" }'
    expect(withoutQuotations(`Try:\n\n${indented}\n\nOr not.`)).toBe('Try:\n\n\n\nOr not.')
  })

  it('keeps other code, and the question in prose, which an answer may follow', () => {
    for (const text of [
      '## How do I rotate the encryption key?\n\nPut the new key first.',
      '```sh\nENCRYPTION_KEY=new,old npm start\n```',
      '| Question | Answer |\n|---|---|\n| How do I rotate the encryption key? | Put the new one first. |',
    ]) {
      expect(withoutQuotations(text)).toBe(text)
    }
  })

  it('keeps code that contains a short question, which is only a name', () => {
    const code = '```sh\nnpm start\n```'
    expect(createQuotationFilter('npm start')(code)).toBe(code)
  })

  it('removes quoted questions from code, and nothing else', () => {
    const text =
      'Is "How is it done, really?" prose?\n\n```sh\nask "how many days of leave are there" --name "a name of four words"\n```'
    expect(withoutQuestionsInCode(text)).toBe(
      'Is "How is it done, really?" prose?\n\n```sh\nask   --name "a name of four words"\n```',
    )
  })

  it('takes time linear in the text', () => {
    for (const piece of ['"', "'", '"how ', '    "x\n', '```\n']) {
      const text = piece.repeat(Math.ceil((1 << 20) / piece.length))
      const startedAt = performance.now()
      withoutQuestionsInCode(text)
      withoutQuotations(text)
      expect(performance.now() - startedAt).toBeLessThan(5_000)
    }
  })
})
