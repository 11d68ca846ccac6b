import { describe, expect, it } from 'vitest'
import { childrenIn, readableMarkdown } from './text.ts'

describe("Notion's enhanced Markdown", () => {
  it('loses its tags but keeps their content', () => {
    const markdown = [
      '<callout icon="💡" color="blue_bg">',
      '\tMind the <span color="red">gap</span>',
      '</callout>',
      '<details>',
      '<summary>More</summary>',
      '\tHidden text',
      '</details>',
      '<table header-row="true">',
      '<tr><td>City</td><td>Fare</td></tr>',
      '</table>',
      'See <mention-page url="https://www.notion.so/x">Trains</mention-page>.<empty-block/>',
      '<unknown url="https://www.notion.so/y" alt="bookmark"/>',
    ].join('\n')
    expect(readableMarkdown(markdown)).toBe(
      'Mind the gap\n\nMore\n\tHidden text\n\nCity | Fare |\n\nSee Trains.',
    )
  })

  it('keeps angle brackets that are not tags', () => {
    expect(readableMarkdown('a < b, <https://x.example>, List<String> and `<div>`')).toBe(
      'a < b, <https://x.example>, List<String> and `<div>`',
    )
  })

  it('names subpages and databases, but not mentioned ones', () => {
    const id = '0123456789abcdef0123456789abcdef'
    const other = 'fedcba9876543210fedcba9876543210'
    const markdown = [
      `<page url="https://www.notion.so/Plan-${id}">Plan</page>`,
      `<database url="https://www.notion.so/${other}" inline="true" data-source-url="collection://z">Tasks</database>`,
      `<mention-page url="https://www.notion.so/${id}">Plan</mention-page>`,
      '<page url="https://elsewhere.example/">no id</page>',
    ].join('\n')
    expect(childrenIn(markdown)).toEqual([
      { kind: 'page', id: '01234567-89ab-cdef-0123-456789abcdef' },
      { kind: 'database', id: 'fedcba98-7654-3210-fedc-ba9876543210' },
    ])
  })
})
