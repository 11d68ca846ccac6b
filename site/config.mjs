// The VitePress configuration: scripts/tasks/guide.mjs puts the pages beside this file and builds the site.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { SECTIONS } from './pages.mjs'

const PAGES = fileURLToPath(new URL('..', import.meta.url))

/** The first heading of a page. */
function titleOf(page) {
  return /^# (.*)$/m.exec(readFileSync(path.join(PAGES, `${page}.md`), 'utf8'))?.[1] ?? page
}

const sidebar = SECTIONS.map(({ text, pages }) => ({
  text,
  items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
}))

/** An empty cell in the head of a table is no heading of anything. */
function withoutEmptyHeadings(markdown) {
  markdown.core.ruler.push('empty-headings', ({ tokens }) => {
    for (const [at, token] of tokens.entries())
      if (token.type === 'th_open' && tokens[at + 1]?.content === '')
        for (const end of [token, tokens[at + 2]]) end.tag = 'td'
  })
}

/** The width and height of a drawing or picture. */
function sizeOf(file) {
  const bytes = readFileSync(file)
  if (file.endsWith('.webp')) return sizeOfWebp(bytes)
  return /<svg[^>]* width="(\d+)" height="(\d+)"/.exec(bytes.toString())?.slice(1) ?? []
}

/** The size of a WebP file as browsers write it (RFC 9649): with an extended header, or only lossy data. */
function sizeOfWebp(bytes) {
  if (bytes.toString('latin1', 12, 16) === 'VP8X')
    return [1 + bytes.readUIntLE(24, 3), 1 + bytes.readUIntLE(27, 3)]
  return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]
}

/** Pictures have their size, so that nothing moves while they load. */
function withSizes(markdown) {
  markdown.core.ruler.push('sizes', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'image' || !env.path) continue
      const [width, height] = sizeOf(path.join(path.dirname(env.path), token.attrGet('src') ?? ''))
      if (width === undefined) continue
      token.attrSet('width', String(width))
      token.attrSet('height', String(height))
      token.attrSet('loading', 'lazy')
    }
  })
}

export default defineConfig({
  base: '/guide/',
  lang: 'en-US',
  title: 'Retrieval Memory Service',
  description: "Your company's documents as memory for agents: search, context and cited answers.",
  titleTemplate: ':title · Memory guide',
  head: [['link', { rel: 'icon', href: '/guide/icon.svg', type: 'image/svg+xml' }]],
  // The hashes of the pages in a file, because no page contains a script.
  metaChunk: true,
  markdown: {
    languageAlias: { caddy: 'nginx' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => [withoutEmptyHeadings, withSizes].forEach((change) => change(markdown)),
  },
  // Tests check every link; a page that somebody adds must not break the guide.
  ignoreDeadLinks: true,
  themeConfig: {
    siteTitle: 'Memory guide',
    nav: [
      { text: 'Tutorials', link: '/tutorials/first-answer', activeMatch: '/tutorials/' },
      { text: 'Guides', link: '/guides/import-documents', activeMatch: '/guides/' },
      { text: 'Reference', link: '/reference/settings', activeMatch: '/reference/' },
      { text: 'Explanation', link: '/explanation/retrieval', activeMatch: '/explanation/' },
      { text: `Version ${process.env.GUIDE_VERSION ?? ''}`, link: '/project/changelog' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 2_000 } },
})
