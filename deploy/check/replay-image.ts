/**
 * Builds and runs the Dockerfile without Docker, as far as a machine can by itself: each stage in a folder that is
 * entered as its root, on this machine's own programs and this Node. Linux, as root: `node deploy/check/replay-image.ts`.
 * What it shows: the production packages install from the lockfile, the console is built, and the service starts as
 * another user with a read-only root and no rights, keeps its data in the volume alone, is healthy by the image's own
 * check, answers, and ends on SIGTERM with 0. What it does not show is the base image.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { contextFiles, type Instruction, readStages, type Stage } from './dockerfile.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/dev', '/proc']
const NODE = '/opt/node'
const KEY = 'svc_key-of-a-replayed-image-0123456789-abc'

interface Image {
  folder: string
  env: Record<string, string>
  workdir: string
  user: string
  volumes: string[]
  command: string[]
  entrypoint: string[]
  health: string[]
  stopSignal: NodeJS.Signals
}

const work = await mkdtemp(path.join(tmpdir(), 'replay-image-'))
try {
  await chmod(work, 0o755)
  const image = await build()
  await tryOut(image)
  console.log('The image builds and runs.')
} finally {
  await rm(work, { recursive: true, force: true })
}

async function build(): Promise<Image> {
  const images = new Map<string, Image>()
  let last: Image | undefined
  for (const [index, stage] of readStages(await readFile(path.join(ROOT, 'Dockerfile'), 'utf8')).entries()) {
    last = await buildStage(stage, path.join(work, `stage-${index}`), images)
    images.set(stage.name, last)
  }
  if (!last) throw new Error('The Dockerfile has no stage')
  return last
}

async function buildStage(stage: Stage, folder: string, images: ReadonlyMap<string, Image>): Promise<Image> {
  const image: Image = {
    folder,
    env: { PATH: `${NODE}/bin:/usr/local/bin:/usr/bin:/usr/sbin:/bin`, HOME: '/tmp' },
    workdir: '/',
    user: '0:0',
    volumes: [],
    command: [],
    entrypoint: [],
    health: [],
    stopSignal: 'SIGTERM',
  }
  for (const name of [...SYSTEM, `${NODE}/bin`, '/tmp'])
    await mkdir(path.join(folder, name), { recursive: true })
  const npm = execFileSync('sh', ['-c', 'readlink -f "$(command -v npm)"']).toString().trim()
  await writeFile(path.join(folder, NODE, 'bin/node'), '')
  await writeFile(path.join(folder, NODE, 'bin/npm'), `#!/bin/sh\nexec ${NODE}/bin/node ${npm} "$@"\n`, {
    mode: 0o755,
  })
  for (const instruction of stage.instructions) await apply(instruction, image, images)
  return image
}

async function apply(
  { keyword, flags, text, words }: Instruction,
  image: Image,
  images: ReadonlyMap<string, Image>,
): Promise<void> {
  console.log(`${path.basename(image.folder)}: ${keyword} ${text.slice(0, 100)}`)
  const inImage = (name: string): string => path.join(image.folder, path.resolve(image.workdir, name))
  switch (keyword) {
    case 'WORKDIR':
      image.workdir = text
      await mkdir(inImage('.'), { recursive: true })
      return
    case 'ENV':
      for (const [, name = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) image.env[name] = value
      return
    case 'COPY': {
      const target = inImage(words.at(-1) ?? '')
      const stage = flags['from'] === undefined ? undefined : images.get(flags['from'])
      for (const source of words.slice(0, -1)) {
        if (stage) await cp(path.join(stage.folder, source), target, { recursive: true })
        else await copyContext(source, target)
      }
      return
    }
    case 'RUN':
      execFileSync('unshare', ['--mount', 'sh', '-c', entering(image, ['sh', '-c', text])], {
        env: { ...process.env, ...image.env },
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      return
    case 'VOLUME':
      image.volumes.push(...words)
      return
    case 'USER':
      image.user = text
      return
    case 'CMD':
      image.command = words
      return
    case 'ENTRYPOINT':
      image.entrypoint = words
      return
    case 'HEALTHCHECK':
      image.health = words
      return
    case 'STOPSIGNAL':
      if (text !== 'SIGTERM') throw new Error('the service drains on SIGTERM')
      return
    case 'EXPOSE':
      return
    default:
      throw new Error(`${keyword} is not known here`)
  }
}

async function copyContext(source: string, target: string): Promise<void> {
  const files = (await contextFiles(ROOT)).filter((file) => source === '.' || file === source)
  if (files.length === 0) throw new Error(`COPY ${source}: there is no such file in the context`)
  for (const file of files) await cp(path.join(ROOT, file), path.join(target, file), { recursive: true })
}

/**
 * A shell command, for a mount namespace of its own, that enters the image's folder as the root and becomes `command`;
 * with `run` as a container does: the root read-only, another user, no rights.
 */
function entering(
  { folder, workdir }: Image,
  command: readonly string[],
  run?: { user: string; volume: string; data: string },
): string {
  const root = run ? `${folder}.ro` : folder
  const [uid, gid] = (run?.user ?? '0:0').split(':')
  const view = run && [
    `mount --bind ${folder} ${root}`,
    `mount -o remount,bind,ro ${root}`,
    `mount -t tmpfs tmpfs ${root}/tmp`,
    `mount --bind ${run.data} ${root}${run.volume}`,
  ]
  const rights = `setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs --bounding-set=-all`
  return [
    'set -e',
    ...(view ?? []),
    ...SYSTEM.map((name) => `[ ! -e ${name} ] || mount --rbind ${name} ${root}${name}`),
    `mount --bind ${process.execPath} ${root}${NODE}/bin/node`,
    `exec /usr/sbin/chroot ${root} env -C ${workdir} ${run ? rights : ''} ${command.map(quoted).join(' ')}`,
  ].join('\n')
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Starts the image twice on one volume, as its own user, and asks it what a newcomer would. */
async function tryOut(image: Image): Promise<void> {
  const [volume = ''] = image.volumes
  const data = path.join(work, 'volume')
  // A volume is made with the rights of the folder in the image.
  await cp(path.join(image.folder, volume), data, { recursive: true })
  execFileSync('chown', [image.user, data])
  await mkdir(`${image.folder}.ro`, { recursive: true })
  execFileSync('test', ['!', '-e', path.join(image.folder, 'app/node_modules/vitest')])
  const megabytes = execFileSync('du', ['-sm', path.join(image.folder, 'app')])
    .toString()
    .split('\t', 1)[0]
  console.log(`/app has ${megabytes} MB and no development packages`)
  const port = await freePort()
  const env = { ...image.env, HOST: '127.0.0.1', PORT: String(port), BOOTSTRAP_ADMIN_KEY: KEY }
  const enter = (command: readonly string[]): string =>
    entering(image, command, { user: image.user, volume, data })
  const inside = (command: readonly string[]): boolean => {
    try {
      execFileSync('unshare', ['--mount', 'sh', '-c', enter(command)], { env, stdio: 'pipe' })
      return true
    } catch {
      return false
    }
  }
  if (inside(['touch', '/app/x']) || inside(['touch', '/x'])) throw new Error('The root is not read-only')
  if (!inside(['touch', `${volume}/x`])) throw new Error('The volume cannot be written')
  if (!inside(['node', 'cli/main.ts', '--help'])) throw new Error('The command line does not start')
  for (const round of [1, 2]) {
    const child = spawn('unshare', ['--mount', 'sh', '-c', enter([...image.entrypoint, ...image.command])], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await healthy(child, () => inside(image.health))
    const url = `http://127.0.0.1:${port}`
    await expectStatus(`${url}/readyz`, 200)
    const query = { method: 'POST', body: '{"query":"x"}' }
    await expectStatus(`${url}/v1/search`, 200, query)
    if (await hasBuiltSites(image)) await expectStatus(`${url}/console/`, 200, { redirect: 'follow' })
    const user = execFileSync('ps', ['-o', 'uid=', '-p', String(child.pid)])
      .toString()
      .trim()
    if (user !== image.user.split(':', 1)[0]) throw new Error(`It runs as user ${user}`)
    const startedAt = performance.now()
    child.kill(image.stopSignal)
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`It ended with ${code}`)
    console.log(
      `run ${round}: healthy, ready, answered as user ${user}, ended with 0 in ${Math.round(performance.now() - startedAt)} ms`,
    )
  }
}

async function hasBuiltSites({ folder }: Image): Promise<boolean> {
  const pages = ['console', 'site'].map((site) => readFile(path.join(folder, 'app', site, 'dist/index.html')))
  return (await Promise.allSettled(pages)).every(({ status }) => status === 'fulfilled')
}

async function healthy(child: ChildProcess, check: () => boolean): Promise<void> {
  let output = ''
  child.stdout?.on('data', (data: Buffer) => (output += data.toString()))
  for (let look = 0; look < 240 && child.exitCode === null; look++) {
    if (check()) return
    await sleep(250)
  }
  child.kill('SIGKILL')
  throw new Error(`It did not become healthy: ${output}`)
}

async function expectStatus(url: string, status: number, init: RequestInit = {}): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const response = await fetch(url, { ...init, headers })
  if (response.status !== status)
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
