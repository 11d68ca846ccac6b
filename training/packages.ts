import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

import type { NpmSource, PackageSource } from './sources.ts'

const run = promisify(execFile)

/** An unpacked package. */
export interface UnpackedPackage {
  source: PackageSource
  folder: string
  version: string
  /** SHA-256 of the package file. */
  sha256: string
}

const FETCH_TIMEOUT_MS = 30 * 60_000
const UNPACK_TIMEOUT_MS = 5 * 60_000

/**
 * Downloads packages with apt into `cache` and unpacks them there without installing; cached ones are not
 * downloaded again.
 * @throws if a package is unavailable, or if its copyright file lacks the words that the source relies on
 */
export async function fetchPackages(
  sources: readonly PackageSource[],
  cache: string,
): Promise<UnpackedPackage[]> {
  const archives = path.join(cache, 'packages')
  await mkdir(archives, { recursive: true })
  const present = await readdir(archives)
  const missing = sources.filter((source) => !archiveOf(source, present)).map((source) => source.package)
  if (missing.length > 0) await download(missing, archives)

  const files = await readdir(archives)
  const unpacked: UnpackedPackage[] = []
  for (const source of sources) {
    const archive = archiveOf(source, files)
    if (archive === undefined) throw new Error(`apt fetched no package file for ${source.package}.`)
    const file = path.join(archives, archive)
    const folder = path.join(cache, 'unpacked', archive.replace(/\.deb$/, ''))
    await unpack(folder, (partial) => ['dpkg-deb', '-x', file, partial])
    await requireLicense(source, path.join(folder, 'usr/share/doc', source.package, 'copyright'))
    const version = decodeURIComponent(archive.split('_')[1] ?? '')
    unpacked.push({ source, folder, version, sha256: await checksumOf(file) })
  }
  return unpacked
}

/** The same for a package of npm, in the source's version. */
export async function fetchNpmPackage(source: NpmSource, cache: string): Promise<UnpackedPackage> {
  const { package: name, version, licenseFile } = source
  const archives = path.join(cache, 'packages')
  await mkdir(archives, { recursive: true })
  // npm writes "@scope/name" as "scope-name".
  const archive = `${name.replace(/^@/, '').replace('/', '-')}-${version}`
  const file = path.join(archives, `${archive}.tgz`)
  if (!existsSync(file))
    await run('npm', ['pack', `${name}@${version}`], { cwd: archives, timeout: FETCH_TIMEOUT_MS })
  const folder = path.join(cache, 'unpacked', archive)
  await unpack(folder, (partial) => ['tar', '-xzf', file, '-C', partial, '--strip-components=1'])
  await requireLicense(source, path.join(folder, licenseFile))
  return { source, folder, version, sha256: await checksumOf(file) }
}

async function checksumOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
}

function archiveOf(source: PackageSource, files: readonly string[]): string | undefined {
  return files.find((file) => file.startsWith(`${source.package}_`) && file.endsWith('.deb'))
}

async function download(packages: readonly string[], folder: string): Promise<void> {
  try {
    await run('apt-get', ['update'], { timeout: FETCH_TIMEOUT_MS })
    await run('apt-get', ['download', ...packages], { cwd: folder, timeout: FETCH_TIMEOUT_MS })
  } catch (cause) {
    throw new Error(
      `apt could not fetch ${packages.join(', ')}. The sources are chosen from Debian 12; ` +
        'run this as root there, or put the package files into the cache yourself.',
      { cause },
    )
  }
}

/** Unpacks beside the final place first, so that an interrupted run leaves no incomplete folder there. */
async function unpack(folder: string, command: (partial: string) => [string, ...string[]]): Promise<void> {
  if (existsSync(folder)) return
  const partial = `${folder}.partial`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true })
  const [program, ...args] = command(partial)
  await run(program, args, { timeout: UNPACK_TIMEOUT_MS })
  await rename(partial, folder)
}

async function requireLicense(source: PackageSource, file: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  if (!source.evidence.test(text)) {
    throw new Error(
      `${file} no longer holds ${String(source.evidence)}: read it again before training on ${source.package}.`,
    )
  }
}
