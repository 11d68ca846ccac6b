// Builds the documentation into `site/dist`, a static site below `/guide/`.
import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ELSEWHERE } from '../../site/pages.mjs'
import { ensureBuilt, filesIn, newBuildFolder } from './build-once.mjs'
import { ensureGuidePackages, GUIDE_FOLDER, ROOT } from './install.mjs'
import { runBuilder } from './run-builder.mjs'

const INPUTS = [
  'design/tokens.json',
  'docs',
  'scripts/tasks/guide.mjs',
  'site/config.mjs',
  'site/package-lock.json',
  'site/pages.mjs',
  'site/theme',
  'console/public/icon.svg',
  'package.json',
  ...ELSEWHERE.keys(),
]
const LINK = /(!?)\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)/g
const FENCE = /^[ \t]*```[^]*?^[ \t]*```$/gm
const BAR = /(<div class="VPNavBar)(")/
const INLINE_SCRIPT = /<script(?: id="[^"]*")?>([^]*?)<\/script>/g

/**
 * Builds the site unless it is up to date.
 * @param {{ runtime: string, onBuild?: () => void }} options `onBuild` is called before a build begins.
 * @throws when the build fails, with a remedy.
 */
export async function ensureGuide({ runtime, onBuild }) {
  await ensureBuilt({
    output: path.join(GUIDE_FOLDER, 'dist'),
    inputs: INPUTS,
    install: () => ensureGuidePackages({ runtime }),
    build: (folder) => build(runtime, folder),
    onBuild,
  })
}

/** Below `site/`, so that VitePress finds its packages from there. */
async function build(runtime, folder) {
  const work = await newBuildFolder(path.join(GUIDE_FOLDER, '.build-'))
  try {
    await gatherPages(work)
    await cp(path.join(GUIDE_FOLDER, 'theme'), path.join(work, '.vitepress/theme'), { recursive: true })
    await writeFile(path.join(work, '.vitepress/theme/tokens.css'), await tokensCss())
    for (const name of ['config.mjs', 'pages.mjs'])
      await cp(path.join(GUIDE_FOLDER, name), path.join(work, '.vitepress', name))
    await cp(path.join(ROOT, 'console/public/icon.svg'), path.join(work, 'public/icon.svg'))
    const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'))
    const vitepress = path.join(GUIDE_FOLDER, 'node_modules/vitepress/bin/vitepress.js')
    const args = [vitepress, 'build', work, '--outDir', folder]
    await runBuilder({
      what: 'The guide',
      runtime,
      args,
      cwd: GUIDE_FOLDER,
      env: { GUIDE_VERSION: version },
    })
    await finishPages(folder)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** The tokens of the console and the service's pages as variables of the site. */
async function tokensCss() {
  const { font, fontMono, accent, colors } = JSON.parse(
    await readFile(path.join(ROOT, 'design/tokens.json'), 'utf8'),
  )
  const variables = (look) => Object.entries(colors).map(([name, values]) => `--${name}: ${values[look]};`)
  const shades = accent.map((color, at) => `--accent-${at}: ${color};`)
  return [
    `:root { --font: ${font}; --font-mono: ${fontMono}; ${[...shades, ...variables(0)].join(' ')} }`,
    `.dark { ${variables(1).join(' ')} }`,
  ].join('\n')
}

/** Copies the pages of docs/ and those elsewhere, with links that work on the site. */
async function gatherPages(work) {
  const docs = (await filesIn(path.join(ROOT, 'docs'))).map((file) => path.relative(ROOT, file))
  for (const file of [...docs, ...ELSEWHERE.keys()]) {
    const target = path.join(work, placeOf(file) ?? file)
    await mkdir(path.dirname(target), { recursive: true })
    if (!file.endsWith('.md')) await cp(path.join(ROOT, file), target)
    else await writeFile(target, await relinked(file))
  }
}

/** A file's location on the site; undefined when it is not there. */
function placeOf(file) {
  return file.startsWith('docs/') ? file.slice('docs/'.length) : ELSEWHERE.get(file)
}

/** Rewrites a page's links for the site. A link to code becomes plain text. */
async function relinked(file) {
  const text = await readFile(path.join(ROOT, file), 'utf8')
  const own = path.dirname(placeOf(file) ?? file)
  const fences = text.match(FENCE) ?? []
  const parts = text.split(FENCE).map((part) =>
    part.replaceAll(LINK, (link, picture, words, address) => {
      if (/^([a-z]+:|#|\/)/.test(address)) return link
      const [target, anchor] = address.split('#')
      const named = path.normalize(path.join(path.dirname(file), target))
      const place = placeOf(named)
      if (place === undefined) return words
      const relative = path.relative(own, place)
      const href = relative.startsWith('.') ? relative : `./${relative}`
      return `${picture}[${words}](${href}${anchor === undefined ? '' : `#${anchor}`})`
    }),
  )
  return parts.map((part, at) => part + (fences[at] ?? '')).join('')
}

/**
 * Moves each inline script into its own file, since the content security policy allows only files. Also renders the
 * top bar as its script would later, so that nothing shifts.
 */
async function finishPages(folder) {
  for (const file of await filesIn(folder)) {
    if (!file.endsWith('.html')) continue
    const text = await readFile(file, 'utf8')
    const scripts = new Map()
    const moved = text.replaceAll(INLINE_SCRIPT, (_script, code) => {
      const name = `assets/inline.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
      scripts.set(name, code)
      return `<script src="/guide/${name}"></script>`
    })
    for (const [name, code] of scripts) await writeFile(path.join(folder, name), code)
    const isPage = path.basename(file) !== '404.html'
    await writeFile(file, isPage ? moved.replace(BAR, '$1 has-sidebar$2') : moved)
  }
}
