import { describe, expect, it } from 'vitest'
import { readHtml } from './read-html.ts'
import { readMarkdown } from './read-markdown.ts'
import { titleFromPath } from './title-from-path.ts'

/** The title of a page as an import would store it. */
const titleOf = (source: string, path: string): string =>
  readMarkdown(source, path).title || titleFromPath(path)

describe('the title of a Markdown or MDX page', () => {
  it.each([
    ['front matter', '---\ntitle: Options of the CLI\n---\n\n## Options\n', 'a.mdx', 'Options of the CLI'],
    ['folded front matter', '---\ntitle: >-\n  Long title\nx: 1\n---\n# H\n', 'a.md', 'Long title'],
    ['TOML front matter', '+++\ntitle = "From Hugo"\n+++\n\n# H\n', 'a.md', 'From Hugo'],
    ['a heading of the first level below lesser ones', '## Examples\n\n# Select\n', 'a.mdx', 'Select'],
    ['an underlined heading of the first level', 'Guide\n=====\n\n## Options\n', 'a.md', 'Guide'],
    [
      'an HTML heading',
      'import X from "x"\n\n<h1 className="big">Date <b>picker</b></h1>\n\n## Usage\n',
      'a.mdx',
      'Date picker',
    ],
    [
      'what MDX exports',
      "export const metadata = {\n  title: 'Accordion',\n}\n\n## Examples\n",
      'a.mdx',
      'Accordion',
    ],
    ['a story of MDX', '<Meta title="Forms/Button" />\n\n## Props\n', 'a.mdx', 'Forms/Button'],
    [
      'a section, where that is all the page is about',
      '# Installation\n\n## On Linux\n',
      'a.md',
      'Installation',
    ],
    ['a lone lesser heading', 'Words.\n\n## Database access\n\n### Examples\n', 'a.md', 'Database access'],
  ])('is that of %s', (_, source, path, title) => {
    expect(titleOf(source, path)).toBe(title)
  })

  it.each([
    ['## Examples\n\nText.\n', 'docs/rules/no-unused-vars.mdx', 'no unused vars'],
    ['# Examples\n\nText.\n', 'docs/retry-policy.md', 'retry policy'],
    ['## Options\n\nText.\n\n## Examples\n', 'docs/02-date_picker.mdx', 'date picker'],
    // A project's name above every page of its documentation.
    [
      '<h1 align="center">Fastify</h1>\n\n## Factory\n\nText.\n\n## Instance\n',
      'Reference/Server.md',
      'Server',
    ],
    ['## Usage\n', 'packages/core/README.md', 'core'],
    ['# Installation\n\nText.\n\n# Details\n\nText.\n', '@types/node/README.md', 'node'],
    ['```sh\n# not a heading\n```\n\n## Setup\n', 'install.md', 'install'],
    ['# \n\n## Two\n\n## More\n', 'notes/2025-03-01-standup-notes.md', '2025-03-01 standup notes'],
  ])('is the file name rather than a generic section: %j', (source, path, title) => {
    expect(titleOf(source, path)).toBe(title)
  })

  it("is found in time linear in the page's size, however hostile", () => {
    for (const piece of [
      '<h1 ',
      '[[[[',
      '![![',
      '---\ntitle:',
      '# `*',
      '<Meta ',
      'export const metadata {',
      '===\n',
    ]) {
      const source = piece.repeat(Math.ceil((1 << 20) / piece.length))
      const startedAt = performance.now()
      readMarkdown(source, 'a.md')
      expect(performance.now() - startedAt).toBeLessThan(2_000)
    }
  })
})

describe('the title of an HTML page', () => {
  it.each([
    ['<title>Refunds – Handbook of Acme</title><h1>Refunds</h1>', 'Refunds'],
    ['<title>Refunds</title><h1>All about money</h1>', 'Refunds'],
    ['<title>Home</title><h1>Travel policy</h1>', 'Travel policy'],
    ['<title>index.html</title><p>No heading</p>', ''],
    ['<title>Docs | Acme</title><h1>Docs</h1><h1>Docs</h1>', 'Docs | Acme'],
    ['<svg><title>Logo</title></svg><h1>Menu &amp; prices</h1>', 'Menu & prices'],
    ['<p>Nothing</p>', ''],
  ])("names the page's subject: %s", (html, title) => {
    expect(readHtml(html).title).toBe(title)
  })
})
