import { describe, expect, it } from 'vitest'
import { aHit } from '../../test/support/hits.ts'
import { tokenize } from '../inference/embedding-models/builtin/tokenize.ts'
import { unmentionedNames } from './question-words.ts'

const COMMON = new Set(['team', 'connect', 'sourc', 'month', 'rotat', 'kei', 'key', 'fail', 'error'])
const FOREIGN = new Set(['wie', 'ich', 'ist'])
const terms = {
  tokenize,
  backgroundWeight: (stem: string) => (FOREIGN.has(stem) ? 0.01 : COMMON.has(stem) ? 3 : 9),
  translationsOf: () => [],
  wordVector: () => null,
}
const hits = [
  aHit({
    title: 'Connectors for Köln',
    content: 'Slack and `NotionClient` are connected as sources. E_CONN_17 is an error of theirs.',
  }),
]

const unmentioned = (question: string): string[] => unmentionedNames(question, hits, terms)

describe('names of a question that no passage mentions', () => {
  it('are capitalized words within a sentence, and identifiers anywhere', () => {
    expect(unmentioned('How do I connect Jira or Confluence as a source?')).toEqual(['Jira', 'Confluence'])
    expect(unmentioned('E_CONN_18 fails, why?')).toEqual(['E_CONN_18'])
    expect(unmentioned('who rotates ES256 keys?')).toEqual(['ES256'])
  })

  it('exclude months and weekdays', () => {
    expect(unmentioned('What did we say about Slack in March or on Tuesdays?')).toEqual([])
  })

  it('exclude names of the circumstances that precede the question', () => {
    expect(unmentioned('We moved from Portugal to Spain. How is a source connected?')).toEqual([])
    expect(unmentioned('We moved. How is Jira connected as a source?')).toEqual(['Jira'])
  })

  it('exclude the plural of an abbreviation that is mentioned', () => {
    expect(
      unmentionedNames('Do you read PDFs as a source?', [aHit({ content: '`.pdf`, `.docx`' })], terms),
    ).toEqual([])
    expect(unmentioned('Do you read PDFs as a source?')).toEqual(['PDFs'])
  })

  it('exclude names in a title, a text, or part of a longer name, in any case', () => {
    expect(unmentioned('Is slack or Slack, NOTION or E_CONN_17 connected in Köln?')).toEqual([])
  })

  it('exclude common words, first words, and nouns of a language or title that capitalizes many words', () => {
    expect(unmentioned('Which Team has the Month? Quokkas, I think. Wombats do: Numbats too.')).toEqual([])
    expect(unmentioned('Wie ist die Gebühr, die ich der Bücherei schulde?')).toEqual([])
    for (const question of ['Connecting Jira Quickly Without Pain', 'HOW DO I FIND QUOKKAS'])
      expect(unmentioned(question)).toEqual([])
  })

  it('are at most three, each once, and none for a text that is not a question', () => {
    expect(
      unmentioned('Does it know Ana, Ana, Bo Ek, Ole Oy, Ivo and so on and so forth and more?'),
    ).toHaveLength(3)
    expect(unmentioned(`does it know Jira ${'and so on '.repeat(60)}`)).toEqual([])
  })
})
