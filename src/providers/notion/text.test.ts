import { describe, expect, it } from 'vitest'
import { findSuperlinear, hostileTextOf } from '../../../test/support/hostile-texts.ts'
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
      'See <mention-page url="https://www.notion.so/x">Trains</mention-page>.<empty-block/>',
      '<unknown url="https://www.notion.so/y" alt="bookmark"/>',
    ].join('\n')
    expect(readableMarkdown(markdown)).toBe('Mind the gap\n\nMore\n\tHidden text\n\nSee Trains.')
  })

  it.each([
    ['header-row="true"', '| City | Fare \\| day |\n| --- | --- |\n| Rome & Ostia | 12 € |\n| Oslo |  |'],
    ['header-row="false"', '| City | Fare \\| day |\n| Rome & Ostia | 12 € |\n| Oslo |  |'],
  ])('has its tables as Markdown tables, with %s', (attribute, table) => {
    const markdown = [
      'Fares:',
      `<table fit-page-width="true" ${attribute}>`,
      '\t<colgroup>\n\t\t<col color="red">\n\t</colgroup>',
      '\t<tr color="blue">\n\t\t<td>**City**</td>\n\t\t<td>Fare \\| day</td>\n\t</tr>',
      '\t<tr>\n\t\t<td>Rome<br>& Ostia</td>\n\t\t<td color="red">12 €</td>\n\t</tr>',
      '\t<tr>\n\t\t<td>Oslo</td>\n\t\t<td></td>\n\t</tr>',
      '</table>',
      'Ask <mention-user url="user://x">Ana</mention-user>.',
    ].join('\n')
    expect(readableMarkdown(markdown)).toBe(`Fares:\n\n${table.replace('City', '**City**')}\n\nAsk Ana.`)
  })

  it('keeps the text of a table that has no end', () => {
    expect(readableMarkdown('<table><tr><td>City</td><td>Rome')).toBe('City | Rome')
  })

  it('keeps angle brackets that are not tags', () => {
    expect(readableMarkdown('a < b, <https://x.example>, List<String> and `<div>`')).toBe(
      'a < b, <https://x.example>, List<String> and `<div>`',
    )
  })

  it.each([
    ['<mention-date start="2026-03-01"/>', '2026-03-01'],
    ['<mention-date start="2026-03-01" end="2026-03-04"/>', '2026-03-01 to 2026-03-04'],
    [
      '<mention-date start="2026-03-01" startTime="09:30" end="2026-03-01" endTime="11:00" timeZone="Europe/Rome"/>',
      '2026-03-01 09:30 to 2026-03-01 11:00 Europe/Rome',
    ],
  ])('keeps the date that a mention has only in its attributes (%#)', (mention, date) => {
    expect(readableMarkdown(`Due ${mention}, at noon`)).toBe(`Due ${date}, at noon`)
  })

  it.each(['R', 'a=', 'a="'])('reads a mention with many %j in linear time', (part) => {
    const read = (text: string) => readableMarkdown(`<mention-date ${text}>`)
    expect(findSuperlinear(hostileTextOf(part, 20_000), read, 60)).toBe(null)
  })

  it('keeps code and what a person wrote like a tag', () => {
    const code = '```html\n<table>\n\t<tr><td>a \\* b</td></tr>\n</table>\n```'
    const markdown = `<callout>\n${code}\n</callout>\nThe \\<details\\> tag costs \\$5 \\[net\\], C:\\\\temp`
    expect(readableMarkdown(markdown)).toBe(`${code}\n\nThe <details> tag costs $5 [net], C:\\temp`)
  })

  it('shows captions instead of the expiring addresses of images, and no attributes', () => {
    const markdown = [
      '## Sales {toggle="true" color="blue"}',
      '![Chart \\[draft\\]](https://files.example/a.png?X-Amz-Expires=300&X-Amz-Signature=abc) {color="gray"}',
      '![](https://files.example/b.png?X-Amz-Signature=def)',
      'first<br>second {color="red"}',
      'a set {color} of {words}',
    ].join('\n')
    expect(readableMarkdown(markdown)).toBe(
      '## Sales\nChart [draft]\n\nfirst\nsecond\na set {color} of {words}',
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
