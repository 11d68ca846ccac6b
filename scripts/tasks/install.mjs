// Installs what a task needs: a recent Node and the packages of the lockfile. Runs on Node 20.
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { withInstallLock } from './install-lock.mjs'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The console is a package of its own. */
export const CONSOLE_FOLDER = path.join(ROOT, 'console')
/** So is the documentation site. */
export const GUIDE_FOLDER = path.join(ROOT, 'site')

const NODE_MAJOR = 24
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM']
/** The Node version to fetch when the present one is too old, from the packages of npm's `node`. */
const NODE_VERSION = '24.21.0'
// No package needs its install script; onnxruntime-node's would download files for graphics cards.
const NPM_OPTIONS = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  // An npm that runs this within `npm pack --dry-run` passes its options down.
  '--no-dry-run',
  '--loglevel=error',
]

/**
 * Finds a Node that can run the project; installs one into `.runtime/` when the present one is too old.
 * @returns {Promise<string>} the path of its executable.
 * @throws when the installation fails; npm's output has been shown.
 */
export async function ensureRuntime() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath
  const name = runtimePackage()
  const folder = path.join(ROOT, '.runtime', 'node_modules', name)
  const executable = path.join(folder, 'bin', 'node')
  const isPresent = async () =>
    (await readJson(path.join(folder, 'package.json')))?.version === NODE_VERSION &&
    (await answers(executable, ['--version']))
  if (await isPresent()) return executable
  await withInstallLock(ROOT, async () => {
    if (await isPresent()) return
    const why = `this machine has Node ${process.versions.node}, the project needs ${NODE_MAJOR}`
    await install(process.execPath, `Node ${NODE_VERSION} into .runtime/ (${why})`, [
      'install',
      '--no-save',
      '--prefix',
      path.join(ROOT, '.runtime'),
      `${name}@${NODE_VERSION}`,
    ])
    if (!(await isPresent())) throw new Error(`Node ${NODE_VERSION} was installed but does not run here.`)
  })
  return executable
}

/** The package for local embedding models, and its folder: apart from node_modules, which an update empties. */
const LOCAL_MODELS = '@huggingface/transformers'
const LOCAL_MODELS_FOLDER = path.join(ROOT, '.runtime', 'local-models')

/**
 * Installs the package for local embedding models, in the tested version, unless it exists.
 * @throws when the installation fails, with a remedy; npm's output has been shown.
 */
export async function ensureLocalModels() {
  const version = (await readJson(path.join(ROOT, 'package.json')))?.devDependencies?.[LOCAL_MODELS]
  if (version === undefined) throw new Error('package.json is missing or not readable.')
  const installed = path.join(LOCAL_MODELS_FOLDER, 'node_modules', LOCAL_MODELS, 'package.json')
  const isPresent = async () => (await readJson(installed))?.version === version
  if (await isPresent()) return
  await withInstallLock(ROOT, async () => {
    if (await isPresent()) return
    await install(
      process.execPath,
      `${LOCAL_MODELS} ${version}, some 500 MB on the disk, into .runtime/local-models`,
      [
        'install',
        '--no-save',
        '--no-package-lock',
        '--prefix',
        LOCAL_MODELS_FOLDER,
        `${LOCAL_MODELS}@${version}`,
      ],
    ).catch((cause) => {
      throw new Error(
        `${cause.message}\nWithout a network: run the same command on a machine with a network and the same operating system, and copy its folder .runtime/local-models here.`,
        { cause },
      )
    })
  })
}

/** By the naming scheme of npm's `node` package. */
function runtimePackage() {
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  return `${prefix}-${process.platform}-${process.arch}`
}

/**
 * Installs the lockfile's packages unless they are up to date. npm writes its record of the installation last, so a
 * failed or killed install counts as none.
 * @param {{ runtime: string, withDevelopment: boolean }} options
 * @throws when the installation fails; npm's output has been shown.
 */
export async function ensurePackages({ runtime, withDevelopment }) {
  await ensurePackagesIn(ROOT, 'packages', { runtime, withDevelopment })
}

/**
 * The same for the console's packages, which have their own lockfile.
 * @param {{ runtime: string, withDevelopment: boolean }} options
 * @throws when the installation fails; npm's output has been shown.
 */
export async function ensureConsolePackages({ runtime, withDevelopment }) {
  await ensurePackagesIn(CONSOLE_FOLDER, "the console's packages", { runtime, withDevelopment })
}

/**
 * The same for the documentation site's generator.
 * @param {{ runtime: string }} options
 * @throws when the installation fails; npm's output has been shown.
 */
export async function ensureGuidePackages({ runtime }) {
  await ensurePackagesIn(GUIDE_FOLDER, "the guide's generator", { runtime, withDevelopment: true })
}

/**
 * The same for the databases that the benchmark compares the service with. When they cannot be installed, prints a
 * note and continues.
 * @param {{ runtime: string }} options
 */
export async function ensurePeerPackages({ runtime }) {
  const folder = path.join(ROOT, 'bench', 'peers')
  await ensurePackagesIn(folder, 'the databases to compare with, some 500 MB on the disk,', {
    runtime,
    withDevelopment: true,
  }).catch((error) => console.error(error.message))
}

async function ensurePackagesIn(folder, what, { runtime, withDevelopment }) {
  if ((await installState(folder)).satisfies(withDevelopment)) return
  await withInstallLock(folder, async () => {
    const state = await installState(folder)
    if (state.satisfies(withDevelopment)) return
    // A checkout with development packages keeps them, whatever task starts in it.
    const all = withDevelopment || state.hasDevelopment
    const args = ['ci', ...(all ? [] : ['--omit=dev'])]
    await install(runtime, all ? what : `${what} (without development tools)`, args, folder)
  })
}

/** Compares the lockfile with npm's record of the installation. Optional packages may be missing. */
async function installState(folder) {
  const wanted = await readJson(path.join(folder, 'package-lock.json'))
  if (wanted === undefined) throw new Error('package-lock.json is missing or not readable.')
  const installed = (await readJson(path.join(folder, 'node_modules', '.package-lock.json')))?.packages ?? {}
  const packages = Object.entries(wanted.packages).filter(([location]) => location !== '')
  return {
    hasDevelopment: packages.some(([location, entry]) => isDevelopment(entry) && location in installed),
    satisfies: (withDevelopment) =>
      packages.every(([location, entry]) => {
        const present = installed[location]
        if (present !== undefined) return present.version === entry.version
        return entry.optional === true || (isDevelopment(entry) && !withDevelopment)
      }),
  }
}

function isDevelopment(entry) {
  return entry.dev === true || entry.devOptional === true
}

/** Runs npm under `node`; shows its output only on failure. */
async function install(node, what, args, cwd = ROOT) {
  console.error(`Installing ${what}. This happens once and can take a minute…`)
  const npm = await npmCommand(node)
  const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` }
  const startedAt = performance.now()
  const { code, output } = await run(npm.file, [...npm.args, ...args, ...NPM_OPTIONS], { cwd, env })
  if (code !== 0) {
    console.error(output)
    throw new Error(
      `npm could not install ${what} (exit code ${code}). Fix what its output above says, and start again.`,
    )
  }
  console.error(`Installed in ${Math.round((performance.now() - startedAt) / 1000)} s.`)
}

/** The npm that started this task, else the one in PATH. */
async function npmCommand(node) {
  const cli = process.env.npm_execpath
  if (cli !== undefined && /npm-cli\.c?js$/.test(cli)) return { file: node, args: [cli] }
  return { file: 'npm', args: [] }
}

const stop = (_signal, number) => process.exit(128 + number)

/** Runs a program to its end, at the latest that of this process. */
async function run(file, args, options) {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  // When asked to end, npm first takes back what it has installed, which would disturb the next start's installation.
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    return await outputOf(child)
  } finally {
    process.off('exit', end)
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}

function outputOf(child) {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (data) => (output += data))
    child.stderr.on('data', (data) => (output += data))
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code: code ?? signal, output: output.trim() }))
  })
}

async function answers(file, args) {
  return await run(file, args, {}).then(
    ({ code }) => code === 0,
    () => false,
  )
}

/** The file's JSON; undefined when it is missing or half-written, so that it must be recreated. */
async function readJson(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}
