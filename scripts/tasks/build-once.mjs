// Builds a web application into a folder, once for each state of its sources.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { ROOT } from './install.mjs'
import { withInstallLock } from './install-lock.mjs'

/** A file in the output with the fingerprint of its sources. */
const STAMP = 'built-from'
const COMPRESSED = /\.(css|html|js|json|svg|txt)$/
/** Smaller files gain nothing from compression. */
const COMPRESSED_FROM_BYTES = 1_024

/**
 * Builds unless the output is up to date, or there are no sources, as in a prebuilt image.
 * @param {{ output: string, inputs: string[], install: () => Promise<void>, build: (folder: string) => Promise<void>,
 * onBuild?: () => void }} options `inputs` are files and folders below the checkout, `build` writes into a new
 * folder,   and `onBuild` is called before a build begins.
 * @throws when the build fails, with a remedy.
 */
export async function ensureBuilt({ output, inputs, install, build, onBuild = () => {} }) {
  if (await isBuilt(output, inputs)) return
  onBuild()
  await install()
  // The package folder's own lock guards the installation.
  await withInstallLock(output, async () => {
    if (!(await isBuilt(output, inputs))) await replace(output, inputs, build)
  })
}

async function isBuilt(output, inputs) {
  const stamp = await readFile(path.join(output, STAMP), 'utf8').catch(() => undefined)
  if (stamp === undefined) return false
  const fingerprint = await fingerprintOf(inputs)
  return fingerprint === undefined || stamp === fingerprint
}

/** SHA-256 of the sources' names and bytes; undefined without sources. */
async function fingerprintOf(inputs) {
  const hash = createHash('sha256')
  try {
    for (const file of (await Promise.all(inputs.map((name) => filesIn(path.join(ROOT, name))))).flat())
      hash.update(`${path.relative(ROOT, file)}\0`).update(await readFile(file))
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
  return hash.digest('hex')
}

/**
 * The file itself, or all files below the folder, in a stable order.
 * @param {string} location
 */
export async function filesIn(location) {
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

/**
 * Names a new folder that begins with `prefix`, and removes those of killed builds. The caller holds the build's lock.
 * @param {string} prefix
 */
export async function newBuildFolder(prefix) {
  const parent = path.dirname(prefix)
  const names = await readdir(parent).catch((error) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const name of names.filter((one) => one.startsWith(path.basename(prefix))))
    await rm(path.join(parent, name), { recursive: true, force: true })
  return `${prefix}${randomUUID()}`
}

/** Builds next to the output and swaps it in when complete. */
async function replace(output, inputs, build) {
  const fingerprint = await fingerprintOf(inputs)
  const unfinished = await newBuildFolder(
    path.join(ROOT, '.cache', `built-${path.basename(path.dirname(output))}-`),
  )
  const former = `${unfinished}-former`
  try {
    await mkdir(unfinished, { recursive: true })
    await build(unfinished)
    await compress(unfinished)
    await writeFile(path.join(unfinished, STAMP), fingerprint ?? '')
    await rename(output, former).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
    await rename(unfinished, output)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
    await rm(former, { recursive: true, force: true })
  }
}

/** Writes a `.br` and a `.gz` next to each file that gains from it. */
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
