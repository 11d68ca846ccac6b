import { describe, expect, it } from 'vitest'
import { readHtml } from './read-html.ts'

const textOf = (html: string): string => readHtml(html).text.trim()

describe('an HTML page as Markdown', () => {
  it('keeps preformatted text as fenced code with its lines and language', () => {
    const page = `<p>Run:</p><pre><code class="language-sh">npm <b>start</b>
  # indented &amp; kept
</code></pre><p>Then go on.</p>`
    expect(textOf(page)).toBe('Run:\n\n```sh\nnpm start\n  # indented & kept\n```\n\nThen go on.')
  })

  it('keeps code lines that a page draws as elements, and a fence inside code', () => {
    expect(textOf('<pre><div>one</div><div>two</div></pre>')).toBe('```\none\ntwo\n```')
    expect(textOf('<pre>a<br>b</pre>')).toBe('```\na\nb\n```')
    expect(textOf('<pre>```\nx\n```</pre>')).toBe('````\n```\nx\n```\n````')
  })

  it('keeps a data table with its header', () => {
    const page =
      '<table><thead><tr><th>Plan</th><th>Price</th></tr></thead><tbody><tr><td>Pro | Team</td><td><p>12 €</p></td></tr></tbody></table>'
    expect(textOf(page)).toBe('| Plan | Price |\n| --- | --- |\n| Pro \\| Team | 12 € |')
    expect(textOf('<table><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></table>')).toBe(
      '| a | 1 |\n| b | 2 |',
    )
  })

  it('keeps the cells of a table below their columns when others span several', () => {
    const page =
      '<table><caption>Prices</caption><tr><th>Region</th><th colspan="2">Product</th><th>Price</th></tr>' +
      '<tr><td rowspan="2">EU</td><td>A</td><td>a</td><td>1</td></tr><tr><td>B</td><td>b</td><td>2</td></tr></table>'
    expect(textOf(page)).toBe(
      'Prices\n\n| Region | Product |  | Price |\n| --- | --- | --- | --- |\n| EU | A | a | 1 |\n| EU | B | b | 2 |',
    )
  })

  it('bounds what spanning cells add', () => {
    for (const length of [90, 300]) {
      const cell = `<th rowspan="65534" colspan="1000">${'x'.repeat(length)}</th>`
      const narrow = `<th rowspan="65534">${'x'.repeat(length)}</th>`
      for (const cells of [cell.repeat(300), narrow.repeat(300)]) {
        const page = `<table><tr>${cells}</tr>${'<tr><td>1</td></tr>'.repeat(2_000)}</table>`
        expect(textOf(page).length).toBeLessThan(30 * page.length)
      }
    }
  })

  it('separates the parts of definition lists, figures, forms and foldable sections', () => {
    expect(textOf('<dl><dt>Term</dt><dd>Meaning</dd><dt>Other</dt><dd>More</dd></dl>')).toBe(
      'Term\nMeaning\nOther\nMore',
    )
    expect(textOf('<details><summary>Question?</summary>Answer</details>after')).toBe(
      'Question?\nAnswer\nafter',
    )
    expect(textOf('<figure>Picture<figcaption>Caption</figcaption></figure>after')).toBe(
      'Picture\nCaption\nafter',
    )
    expect(textOf('<fieldset><legend>Terms</legend>Text</fieldset><address>Street 1</address>x')).toBe(
      'Terms\nText\nStreet 1\nx',
    )
  })

  it('keeps a heading that a page makes a button, and no other button', () => {
    expect(textOf('<h3><button>How do I pay?</button></h3><p>By card.</p><button>Send</button>')).toBe(
      '### How do I pay?\n\nBy card.',
    )
    expect(textOf('<dl><dt><button>Refunds?</button></dt><dd>Yes.</dd></dl>')).toBe('Refunds?\nYes.')
  })

  it('reads a page with any unknown tag', () => {
    expect(textOf('<p>Map of <constructor>keys</constructor></p>')).toBe('Map of keys')
  })

  it('reads a layout table as its text', () => {
    const cell = '<td><h2>Offer</h2><p>Words</p></td>'
    expect(textOf(`<table><tr>${cell}<td>side</td></tr><tr>${cell}<td>note</td></tr></table>`)).toBe(
      '## Offer\n\nWords\n\nside\n\n## Offer\n\nWords\n\nnote',
    )
    const inner = '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>'
    expect(textOf(`<table role="presentation"><tr><td>left</td><td>${inner}</td></tr></table>`)).toBe(
      'left\n\n| A | B |\n| --- | --- |\n| 1 | 2 |',
    )
  })

  it("takes time linear in the page's size, however hostile", () => {
    for (const piece of [
      '<h1>',
      '<div>',
      '<ul><li>',
      '<table><tr><td>',
      '<pre>',
      '<td>x',
      '<table>'.repeat(20),
      '`',
      '<pre>`</pre>',
    ]) {
      const html = piece.repeat(Math.ceil((1 << 20) / piece.length))
      const startedAt = performance.now()
      readHtml(html)
      expect(performance.now() - startedAt).toBeLessThan(10_000)
    }
  })
})
