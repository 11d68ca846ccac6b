/** Downloads a known model's files from the hub (https://huggingface.co/docs/hub/api), by checksum. */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { AppError } from '../../kernel/errors.ts'
import type { KnownModel } from './known-models.ts'
import { codeOf } from '../../kernel/thrown-errors.ts'

const HUB_URL = 'https://huggingface.co'
const LISTING_TIMEOUT_MS = 30_000
/** A download that receives nothing for this long has failed. */
const IDLE_TIMEOUT_MS = 60_000
/** No known model has a larger file: a mirror cannot fill the disk. */
const FILE_BYTES_MAX = 1_000_000_000
/** Disk space to leave free beside the model, for the database. */
const SPARE_BYTES = 200_000_000

export interface DownloadOptions {
  fetch: typeof fetch
  /** Folder of all models; each model has a subfolder of its name. */
  modelsDir: string
  /** Replaces the model hub; without a trailing slash. */
  mirrorUrl?: string | undefined
  onProgress: (bytesDone: number, bytesTotal: number) => void
  signal: AbortSignal
  /** Free bytes on a folder's disk. */
  freeBytes?: (folder: string) => Promise<number>
}

const Listing = z.object({
  sha: z.string().regex(/^[0-9a-f]{40,64}$/),
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: z.int().min(0).max(FILE_BYTES_MAX),
      blobId: z.string(),
      lfs: z.object({ sha256: z.string() }).nullish(),
    }),
  ),
})

interface WantedFile {
  path: string
  url: string
  bytes: number
  /** A new hash of its content, and the expected checksum in hex. */
  hash: () => Hash
  checksum: string
}

/** The folder of a known model, existing or not. */
export function modelFolder(modelsDir: string, model: KnownModel): string {
  return join(modelsDir, model.name)
}

/** Whether all files of a model are there. Full weights serve as well as quantized ones. */
export function isModelThere(modelsDir: string, model: KnownModel): boolean {
  const folder = modelFolder(modelsDir, model)
  return model.files.every(
    (file) => existsSync(join(folder, file)) || existsSync(join(folder, file.replace('_quantized', ''))),
  )
}

/** Downloads a model's missing files, all or none. @throws AppError `upstream_error` */
export async function downloadModel(model: KnownModel, options: DownloadOptions): Promise<void> {
  const { modelsDir, signal } = options
  if (isModelThere(modelsDir, model)) return
  const hub = options.mirrorUrl ?? HUB_URL
  const folder = modelFolder(modelsDir, model)
  const partial = join(modelsDir, `.${model.name}.partial`)
  try {
    const files = await listFiles(model, hub, options)
    await mkdir(partial, { recursive: true })
    await checkSpace(files, partial, options)
    await bringAll(files, partial, options)
    await rm(folder, { recursive: true, force: true })
    await rename(partial, folder)
  } catch (cause) {
    signal.throwIfAborted()
    const words = isNoRoom(cause) ? makeRoom(model, { folder, cause }) : byHand(model, { hub, folder, cause })
    throw new AppError('upstream_error', words, { cause })
  }
}

async function listFiles(
  { repository, files }: KnownModel,
  hub: string,
  { fetch, signal }: DownloadOptions,
): Promise<WantedFile[]> {
  const response = await fetch(`${hub}/api/models/${repository}/revision/main?blobs=true`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(LISTING_TIMEOUT_MS)]),
  })
  if (!response.ok) throw new Error(`listing its files failed with status ${response.status}`)
  const listing = Listing.safeParse(parseJson(await response.text()))
  if (!listing.success) throw new Error('the server is not a model hub')
  const { sha, siblings } = listing.data
  return files.map((path) => {
    const listed = siblings.find(({ rfilename }) => rfilename === path)
    if (!listed) throw new Error(`${path} is not in the list of its files`)
    const { size: bytes, blobId, lfs } = listed
    const url = `${hub}/${repository}/resolve/${sha}/${path}`
    return lfs
      ? { path, url, bytes, checksum: lfs.sha256, hash: () => createHash('sha256') }
      : { path, url, bytes, checksum: blobId, hash: () => createHash('sha1').update(`blob ${bytes}\0`) }
  })
}

/** The disk is full or would be. */
class NoRoom extends Error {}

async function checkSpace(
  files: readonly WantedFile[],
  folder: string,
  { freeBytes = freeBytesOf }: DownloadOptions,
): Promise<void> {
  const needed = files.reduce((sum, { bytes }) => sum + bytes, SPARE_BYTES)
  const free = await freeBytes(folder)
  if (free < needed)
    throw new NoRoom(`the disk has ${megabytes(free)} MB free, and ${megabytes(needed)} MB are needed`)
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

async function bringAll(
  files: readonly WantedFile[],
  folder: string,
  options: DownloadOptions,
): Promise<void> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  for (const file of files) {
    const target = join(folder, file.path)
    if (!(await isAsListed(target, file))) {
      await mkdir(dirname(target), { recursive: true })
      await bring(file, target, { ...options, onBytes: (bytes) => options.onProgress(done + bytes, total) })
    }
    done += file.bytes
    options.onProgress(done, total)
  }
}

/** Streams one file to the disk; removes it if it is not the listed one. */
async function bring(
  file: WantedFile,
  target: string,
  { fetch, signal, onBytes }: DownloadOptions & { onBytes: (bytes: number) => void },
): Promise<void> {
  const idle = new AbortController()
  const timer = setTimeout(
    () => idle.abort(new Error(`${file.path} stalled for ${IDLE_TIMEOUT_MS / 1000} s`)),
    IDLE_TIMEOUT_MS,
  )
  const either = AbortSignal.any([signal, idle.signal])
  const hash = file.hash()
  let bytes = 0
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      timer.refresh()
      bytes += chunk.length
      if (bytes > file.bytes)
        return done(new Error(`${file.path} is longer than the ${file.bytes} bytes listed`))
      hash.update(chunk)
      onBytes(bytes)
      done(null, chunk)
    },
  })
  try {
    const response = await fetch(file.url, { signal: either })
    if (!response.ok || !response.body) throw new Error(`${file.path} failed with status ${response.status}`)
    await pipeline(response.body, check, createWriteStream(target), { signal: either })
    if (hash.digest('hex') !== file.checksum)
      throw new Error(`${file.path} does not match the hub's checksum and was discarded`)
  } catch (error) {
    await rm(target, { force: true })
    if (idle.signal.aborted) throw idle.signal.reason
    throw error instanceof TypeError
      ? new Error(`${file.path} was interrupted: ${wordsOf(error)}`, { cause: error })
      : error
  } finally {
    clearTimeout(timer)
  }
}

async function isAsListed(path: string, file: WantedFile): Promise<boolean> {
  const size = await stat(path).then(
    (found) => found.size,
    () => null,
  )
  if (size !== file.bytes) return false
  const hash = file.hash()
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex') === file.checksum
}

function isNoRoom(cause: unknown): boolean {
  return cause instanceof NoRoom || codeOf(cause) === 'ENOSPC'
}

function makeRoom(
  { name, megabytes: size }: KnownModel,
  { folder, cause }: { folder: string; cause: unknown },
): string {
  return `There is not enough space for the files of ${name} (${size} MB) in ${folder}: ${wordsOf(cause)}. Free some space, and run the same command again`
}

function byHand(
  { name, repository, files, megabytes: size }: KnownModel,
  { hub, folder, cause }: { hub: string; folder: string; cause: unknown },
): string {
  return (
    `The files of ${name} (${size} MB) cannot be downloaded from ${hub}: ${wordsOf(cause)}. ` +
    'Name a mirror of the hub with --mirror URL, or copy them by hand: on a machine that can reach it, download ' +
    `${files.join(', ')} from ${HUB_URL}/${repository}/tree/main, put them under these names into ${folder}, ` +
    'and run the same command again'
  )
}

/** An error's message. For errors of `fetch`, the cause has the reason. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (codeOf(error) === 'ENOSPC') return 'the disk is full'
  if (error.name === 'TimeoutError') return `no answer came within ${LISTING_TIMEOUT_MS / 1000} s`
  // What `fetch` throws before and during a response.
  const isFetch = error.message === 'fetch failed' || error.message === 'terminated'
  const inner = isFetch && error.cause instanceof Error ? error.cause : error
  return inner.message === '' ? inner.name : inner.message
}

/** null: not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000)
}
