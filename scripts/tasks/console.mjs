// Builds the console into `console/dist`, once for each state of its sources.
import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { CONSOLE_FOLDER, ensureConsolePackages, ROOT } from './install.mjs'
import { withInstallLock } from './install-lock.mjs'

const OUTPUT = path.join(CONSOLE_FOLDER, 'dist')
/** In the output: the fingerprint of what it was built from. */
const STAMP = 'built-from'
/** What the output depends on, below the console's folder. */
const INPUTS = ['index.html', 'package-lock.json', 'package.json', 'public', 'src', 'vite.config.ts']
const COMPRESSED = /\.(css|html|js|json|svg|txt)$/
/** Smaller files gain nothing. */
const COMPRESSED_FROM_BYTES = 1_024

/**
 * Builds the console unless what is there was built from the same sources, or there are no sources, as in an image
 * that was built ahead.
 * @param {{ runtime: string, onBuild?: () => void }} options `onBuild` is called before a build begins.
 * @throws when it cannot be built, with what to do.
 */
export async function ensureConsole({ runtime, onBuild = () => {} }) {
  if (await isBuilt()) return
  onBuild()
  await ensureConsolePackages({ runtime, withDevelopment: false })
  // The packages are installed under the folder's own lock.
  await withInstallLock(OUTPUT, async () => {
    if (!(await isBuilt())) await build(runtime)
  })
}

async function isBuilt() {
  const stamp = await readFile(path.join(OUTPUT, STAMP), 'utf8').catch(() => undefined)
  if (stamp === undefined) return false
  const fingerprint = await fingerprintSources()
  return fingerprint === undefined || stamp === fingerprint
}

/** SHA-256 of the sources' names and bytes; undefined where there are none. */
async function fingerprintSources() {
  const hash = createHash('sha256')
  try {
    for (const file of (
      await Promise.all(INPUTS.map((name) => filesIn(path.join(CONSOLE_FOLDER, name))))
    ).flat())
      hash.update(`${path.relative(CONSOLE_FOLDER, file)}\0`).update(await readFile(file))
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
  return hash.digest('hex')
}

/** The file itself, or all files below the folder, in an order that is always the same. */
async function filesIn(location) {
  const entries = await readdir(location, { withFileTypes: true, recursive: true }).catch((error) => {
    if (error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (entries === undefined) return [location]
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
}

/** Builds beside the output and puts it in its place when it is whole. */
async function build(runtime) {
  const fingerprint = await fingerprintSources()
  const unfinished = path.join(ROOT, '.cache', `console-${randomUUID()}`)
  const former = `${unfinished}-former`
  try {
    await mkdir(unfinished, { recursive: true })
    await runVite(runtime, unfinished)
    await compress(unfinished)
    await writeFile(path.join(unfinished, STAMP), fingerprint)
    await rename(OUTPUT, former).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
    await rename(unfinished, OUTPUT)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
    await rm(former, { recursive: true, force: true })
  }
}

function runVite(runtime, outDir) {
  const args = [
    'node_modules/vite/bin/vite.js',
    'build',
    '--outDir',
    outDir,
    '--emptyOutDir',
    '--logLevel',
    'warn',
  ]
  return new Promise((resolve, reject) => {
    const child = spawn(runtime, args, {
      cwd: CONSOLE_FOLDER,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    let output = ''
    child.stdout.on('data', (data) => (output += data))
    child.stderr.on('data', (data) => (output += data))
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`Vite could not build the console:\n${output.trim()}`)),
    )
  })
}

/** Puts a `.br` and a `.gz` beside each file that gains by it. */
async function compress(folder) {
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  for (const file of await filesIn(folder)) {
    if (!COMPRESSED.test(file)) continue
    const bytes = await readFile(file)
    if (bytes.length < COMPRESSED_FROM_BYTES) continue
    await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, best))
    await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
  }
}
