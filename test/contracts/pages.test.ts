import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import { parse } from 'yaml'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createProgram } from '../../cli/program.ts'
import { routes } from '../../src/assembly/routes.ts'
import { principalsOfPolicy } from '../../src/permissions/index.ts'
import { scimRoutes } from '../../src/people/index.ts'
import { settingsSchema } from '../../src/config.ts'
import { ERROR_CODES } from '../../src/kernel/error-codes.ts'
import { SLACK_SCOPES } from '../../src/providers/slack/oauth.ts'
import { predictedMb } from '../../scripts/figure-tables.ts'
import { FIGURE_PAGES, withFigures } from '../../scripts/figures.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { banner } from '../../src/process/banner.ts'
import {
  codeBlocks,
  type DocPage,
  docPages,
  proseOf,
  readPage,
  ROOT,
  testedBlock,
} from '../support/doc-pages.ts'

const WORDS_MAX = 1_500
/** Paths served outside the route table. */
const PAGES = [
  '/docs',
  '/_emulator/',
  '/errors',
  '/llms.txt',
  '/metrics',
  '/mcp',
  '/console/',
  '/guide/',
  '/oidc',
]

/** The contents of site/pages.mjs. */
const MeasuredMemory = z.object({
  results: z.array(
    z.looseObject({ database: z.string(), chunks: z.number(), residentAfterHybridMb: z.number() }),
  ),
})
const Site = z.object({
  SECTIONS: z.array(z.object({ pages: z.array(z.string()) })),
  ELSEWHERE: z.map(z.string(), z.string()),
})

let pages: DocPage[]
beforeAll(async () => {
  pages = await docPages()
})

/** A page's text in code style, including blocks. */
const quoted = ({ text }: DocPage): string[] => [
  ...[...proseOf(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code),
  ...codeBlocks(text).flatMap(({ code }) => code.split('\n')),
]

function faults(find: (page: DocPage) => readonly string[]): string[] {
  return pages.flatMap((page) => find(page).map((fault) => `${page.file}: ${fault}`))
}

/** The anchors of a page's headings, as GitHub and the guide generate them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...proseOf(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  )
}

describe('the documentation', () => {
  it('has no link to a missing page, heading or picture', async () => {
    const found = await Promise.all(
      pages.map(async ({ file, text }) => {
        const links = [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
        const broken = links
          .filter((link) => !/^[a-z]+:|^\//.test(link))
          .map(async (link) => {
            const [target = '', anchor] = link.split('#')
            const location = target === '' ? file : path.posix.join(path.posix.dirname(file), target)
            if (!existsSync(path.join(ROOT, location))) return [`${file}: ${link}`]
            if (anchor === undefined || !location.endsWith('.md')) return []
            return anchorsOf(await readPage(location)).has(anchor) ? [] : [`${file}: ${link}`]
          })
        return (await Promise.all(broken)).flat()
      }),
    )
    expect(found.flat()).toEqual([])
  })

  it('has no page of more than 1,500 words', () => {
    const wordsOf = (text: string) => text.split(/[\s|]+/).filter((word) => /\w/.test(word)).length
    expect(faults(({ text }) => (wordsOf(text) > WORDS_MAX ? [String(wordsOf(text))] : []))).toEqual([])
  })

  it('has every page in the sidebar of the guide, and no other', async () => {
    const { SECTIONS, ELSEWHERE } = Site.parse(
      await import(new URL('../../site/pages.mjs', import.meta.url).href),
    )
    const shown = SECTIONS.flatMap(({ pages: names }) => names.map((name) => `${name}.md`))
    const elsewhere = new Set(ELSEWHERE.values())
    const own = pages.map(({ file }) => file).filter((file) => file.startsWith('docs/'))
    const listed = own.filter((file) => file !== 'docs/index.md' && !file.startsWith('docs/decisions/0'))
    expect(
      shown
        .filter((name) => !elsewhere.has(name))
        .map((name) => `docs/${name}`)
        .toSorted(),
    ).toEqual(listed)
    expect([...elsewhere].filter((name) => !shown.includes(name))).toEqual([])
  })

  it('names only existing paths of the checkout', () => {
    const PATH =
      /(?<![\w./-])((?:src|test|docs|deploy|bench|scripts|client|cli|console|emulators|openapi|training|evaluation|simulation)\/[\w./-]*[\w/])(?=$|[\s:,)#])/g
    const made =
      /^docs\/(a\.md|sub)$|^(console|site|client)\/(dist|node_modules)|^deploy\/(compose\/\.env|kubernetes\/secret\.env)|\/acme-wiki(\/|\.md$|$)|\.tgz$/
    const named = (page: DocPage) =>
      quoted(page).flatMap((code) => [...code.matchAll(PATH)].map(([, name = '']) => name))
    expect(
      faults((page) => named(page).filter((name) => !made.test(name) && !existsSync(path.join(ROOT, name)))),
    ).toEqual([])
  })

  it('names only existing npm scripts', () => {
    const scripts = new Set([...Object.keys(packageJson.scripts), '…'])
    const named = (page: DocPage) =>
      quoted(page).flatMap((code) =>
        [...code.matchAll(/npm (?:--?\S+ )*run (?:--?\S+ )*([\w…-]+)/g)].map(([, name = '']) => name),
      )
    expect(faults((page) => named(page).filter((name) => !scripts.has(name)))).toEqual([])
  })

  it('names only existing commands and options of the command line', () => {
    const COMMAND =
      /(?:npm (?:--?\S+ )*run (?:-s |--silent )?memory --|(?:^|[( ]|exec memory )memory) ([a-z][^|;&)]*)/g
    const program = createProgram()
    const fault = (line: string): string | undefined => {
      let command: Command | undefined = program
      const options = new Set(['--url', '--key', '--json', '--version', '--help'])
      for (const word of line.split('#')[0]?.split(/[\s[\]]+/) ?? []) {
        const next: Command | undefined = command?.commands.find((one) => one.name() === word)
        if (next === undefined && command === program) return `memory ${word}`
        command = next ?? command
        for (const option of command?.options ?? []) if (option.long) options.add(option.long)
        if (/^--\w/.test(word) && !options.has(word)) return `memory ${command?.name()} ${word}`
      }
      return undefined
    }
    const named = (page: DocPage) =>
      quoted(page)
        .filter((code) => !/claude mcp|helm /.test(code))
        .flatMap((code) => [...code.matchAll(COMMAND)].map(([, line = '']) => fault(line.trim()) ?? []))
        .flat()
    expect(faults(named)).toEqual([])
  })

  it('names only existing routes', () => {
    const known = [...routes, ...scimRoutes].map(
      ({ path: address }) =>
        new RegExp(`^${address.replaceAll(/\{[^}]+\}/g, '(\\{\\w+\\}|…|\\$\\w+|[\\w-]+)')}$`),
    )
    const isKnown = (address: string) =>
      known.some((pattern) => pattern.test(address)) || PAGES.some((page) => address.startsWith(page))
    const named = (page: DocPage) =>
      quoted(page).flatMap((code) =>
        [...code.matchAll(/\b(?:GET|POST|PUT|PATCH|DELETE) (\/[^\s?`,)"']*[^\s?`,)"'…*.])/g)].map(
          ([, name = '']) => name,
        ),
      )
    // The connector pages contain providers' own routes.
    const own = (page: DocPage) => (page.file.includes('connectors/') ? [] : named(page))
    expect(faults((page) => own(page).filter((address) => !isKnown(address)))).toEqual([])
  })

  it('names only existing settings', () => {
    const OTHERS =
      /^(MEMORY_|TEST_|OTEL_|TOKEN|KEY|ENCRYPTION_KEY|NODE_|CHROMIUM_PATH|XDG_|NO_COLOR|SCREENSHOTS|PICTURES|SCENES|CONTAINER_|OLLAMA_|RESTORED_URL|FORMAT|LAYOUT|EVERY_FAULT|POWER_CUTS|SYNC_|FUZZ_INPUTS|SIMULATION_)/
    const named = (page: DocPage) =>
      quoted(page).flatMap((code) =>
        [...code.matchAll(/\b([A-Z][A-Z]+(?:_[A-Z]+)+)\b(?!…)/g)].map(([, name = '']) => name),
      )
    const known = new Set(Object.keys(settingsSchema.shape))
    // `recipes.test.ts` compares the constants of the recipes with the code.
    const variables = (page: DocPage) =>
      (page.file === 'RECIPES.md' ? [] : named(page)).filter(
        (name) => !known.has(name) && !OTHERS.test(name) && !ALLOWED.has(name),
      )
    expect(faults(variables)).toEqual([])
  })

  it('has valid JSON and YAML, except for an ellipsis', () => {
    const broken = ({ text }: DocPage) =>
      codeBlocks(text)
        .filter(({ language }) => language === 'json' || language === 'yaml')
        .flatMap(({ language, code }) => {
          try {
            if (language === 'yaml') parse(code)
            else JSON.parse(code)
            return []
          } catch (error) {
            return [`${String(error)} in ${code.slice(0, 60)}`]
          }
        })
    expect(faults(broken)).toEqual([])
  })

  it('names the language of each block', () => {
    const known = new Set(['sh', 'json', 'yaml', 'ts', 'js', 'python', 'nginx', 'caddy', ''])
    expect(
      faults(({ text }) =>
        codeBlocks(text)
          .map(({ language }) => language)
          .filter((name) => !known.has(name)),
      ),
    ).toEqual([])
  })

  it('names only existing error codes, where it gives their status', () => {
    const named = ({ text }: DocPage) =>
      [...text.matchAll(/\b([45]\d\d) `(\w+)`/g)].map(([, status, code = '']) => ({ status, code }))
    const statuses: Record<string, number> = ERROR_CODES
    expect(
      faults((page) =>
        named(page)
          .filter(({ status, code }) => statuses[code] !== Number(status))
          .map(({ status, code }) => `${status} ${code}`),
      ),
    ).toEqual([])
  })
})

/** Capitalized words that are not environment variables. */
const ALLOWED = new Set(['SHA_256', 'TENANT_ID', 'API_CLIENT_ID', 'SOURCE_ID', 'ON_ONE_DATABASE'])

describe('the pages with measured figures', () => {
  it.each([
    ['search', 6],
    ['million', 3],
    ['five-million', 1],
  ])('predict memory within 25% of what %s measured', async (name, sizes) => {
    const file: unknown = JSON.parse(await readPage(`bench/results/${name}.json`))
    const { results } = MeasuredMemory.parse(file)
    expect(results.length).toBe(sizes)
    for (const row of results) {
      const share = predictedMb(row) / row.residentAfterHybridMb
      expect(share, `${row.database} with ${row.chunks} chunks`).toBeGreaterThan(0.75)
      expect(share, `${row.database} with ${row.chunks} chunks`).toBeLessThan(1.25)
    }
  })

  it.each(FIGURE_PAGES)('%s has those of the results (npm run generate writes them)', async (file) => {
    const text = await readPage(file)
    expect(text).toBe(await withFigures(text))
  })
})

describe('docs/tutorials/connect-slack.md', () => {
  it('has a manifest with the scopes that the service requests, the events it reads, and its URLs', async () => {
    const text = await readPage('docs/tutorials/connect-slack.md')
    const manifest = parse(testedBlock(text, 'Slack manifest'))
    expect(manifest.oauth_config.scopes.bot).toEqual([...SLACK_SCOPES])
    const handled = await readPage('src/providers/slack/webhook.ts')
    const events: string[] = manifest.settings.event_subscriptions.bot_events
    for (const event of events)
      expect(handled, event).toContain(`'${event.replace(/^message\..*/, 'message')}'`)
    const addresses = [
      manifest.oauth_config.redirect_urls[0],
      manifest.settings.event_subscriptions.request_url,
    ]
    expect(addresses.map((address: string) => new URL(address).pathname)).toEqual([
      '/v1/oauth/slack/callback',
      '/v1/webhooks/slack',
    ])
  })
})

describe('docs/tutorials/first-answer.md', () => {
  it('shows lines that the start prints', async () => {
    const shown = testedBlock(await readPage('docs/tutorials/first-answer.md'), 'npm start, output')
    const printed = banner({
      url: 'http://127.0.0.1:8787',
      database: 'embedded',
      model: 'builtin-4',
      signIn: { by: 'development' },
      newSecret: 'svc_…',
    }).split('\n')
    const lines = shown
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '  …')
    expect(lines.filter((line) => !printed.includes(line))).toEqual([])
  })
})

describe('docs/guides/connect-google.md', () => {
  it('names the redirect addresses that the service serves', async () => {
    const shown = testedBlock(await readPage('docs/guides/connect-google.md'), 'Google redirect URIs')
    const paths = shown
      .trim()
      .split('\n')
      .map((address) => new URL(address).pathname)
    const known = routes.map(({ path: address }) => address.replace('{provider}', 'google_drive'))
    expect(known).toContain(paths[0])
    expect(paths[1]).toBe(paths[0]?.replace('google_drive', 'gmail'))
  })
})

describe('docs/explanation/retrieval.md', () => {
  it('has the formula of relevance with the numbers of the code', async () => {
    const formula = testedBlock(await readPage('docs/explanation/retrieval.md'), 'relevance')
    const [, scale, share, whole] = /words, ([\d.]+)\)\) \+ ([\d.]+) × .*\) \/ ([\d.]+)/.exec(formula) ?? []
    const code = await readPage('src/retrieval/rank/hybrid-order.ts')
    expect(code).toContain(`const SCALE = ${scale}\n`)
    expect(code).toContain(`const MEANING_SHARE = ${share}\n`)
    expect(Number(whole)).toBe(1 + Number(share))
  })
})

describe('docs/explanation/permissions.md', () => {
  it('has an access policy that names all its readers', async () => {
    const shown = testedBlock(await readPage('docs/explanation/permissions.md'), 'access policy')
    expect(principalsOfPolicy(JSON.parse(shown), { by: 'push' })).toEqual({
      allow: ['domain:example.com', 'group:legal', 'user:ada@example.com'],
      deny: ['user:bob@example.com'],
    })
  })
})

describe('docs/guides/reverse-proxy.md', () => {
  it('has configurations that pass what the service accepts, and keep operator routes internal', async () => {
    const text = await readPage('docs/guides/reverse-proxy.md')
    const nginx = testedBlock(text, 'nginx')
    const caddy = testedBlock(text, 'caddy')
    const statements = nginx.replaceAll(/#.*$/gm, '').split('\n')
    for (const line of statements.map((one) => one.trim()).filter((one) => one !== ''))
      expect(line, 'nginx').toMatch(/[;{}]$/)
    for (const file of [nginx, caddy]) expect(file.split('{').length, file).toBe(file.split('}').length)
    const sizes = [/client_max_body_size (\d+)m;/.exec(nginx), /max_size (\d+)MB/.exec(caddy)]
    for (const size of sizes) expect(Number(size?.[1]) * 1e6).toBeGreaterThanOrEqual(25 * 2 ** 20 * 0.99)
    expect(Number(/proxy_read_timeout (\d+)s/.exec(nginx)?.[1])).toBeGreaterThan(60)
    for (const file of [nginx, caddy]) {
      expect(file).toMatch(/operator/)
      expect(file).toMatch(/metrics/)
    }
  })
})

describe('ARCHITECTURE.md', () => {
  it('lists every folder and file of the service, and no other', async () => {
    const text = await readPage('ARCHITECTURE.md')
    const listed = [...text.matchAll(/^\| `src\/([^`]+)`/gm)].map(([, name]) => name)
    const entries = await readdir(path.join(ROOT, 'src'), { withFileTypes: true })
    const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    expect(listed.toSorted()).toEqual(names.filter((name) => !name.endsWith('.test.ts')).toSorted())
  })
})

describe('docs/decisions/README.md', () => {
  it('lists every decision record by its title', async () => {
    const text = await readPage('docs/decisions/README.md')
    const records = pages.filter(({ file }) => file.startsWith('docs/decisions/0'))
    const entries = records.map(
      ({ file, text: record }) => `- [${/^# \d+\. (.*)$/m.exec(record)?.[1]}](${path.basename(file)})`,
    )
    expect(text.match(/^- .*$/gm)).toEqual(entries)
  })
})
