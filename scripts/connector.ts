import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'

const EXAMPLE = 'test/connectors/example'
const NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

interface Target {
  from: string
  to: string
  /** Imports as the example has them, and as they are from the new place; the first that matches is used. */
  imports: readonly [from: string, to: string][]
}

/** How accounts are connected: by OAuth, or by the values of a form. */
export type Connection = 'form' | 'oauth'

/** The destination of each file of the example. */
function targetsOf(folder: string, connection: Connection): Target[] {
  const emulator = `emulators/${folder}`
  const inProvider = [
    [`'./emulator.ts'`, `'../../../${emulator}/index.ts'`],
    [`'../notes.ts'`, `'./notes.ts'`],
    [`'../../conformance.ts'`, `'../../../test/connectors/conformance.ts'`],
    [`'../../../support/`, `'../../../test/support/`],
    [`'../../../../src/providers/`, `'../`],
    [`'../../../../src/`, `'../../`],
    [`'../../../src/providers/`, `'../`],
    [`'../../../src/`, `'../../`],
  ] as const satisfies Target['imports']
  const inEmulator = [
    [`'../notes-server.ts'`, `'./notes.ts'`],
    [`'../../../../emulators/`, `'../`],
    [`'../../../emulators/`, `'../`],
  ] as const satisfies Target['imports']
  const provider = (from: string): Target => ({
    from,
    to: `src/providers/${folder}/${path.basename(from)}`,
    imports: inProvider,
  })
  return [
    provider(`${connection}/index.ts`),
    provider(`${connection}/adapter.ts`),
    ...(connection === 'form' ? [provider('form/form.ts')] : []),
    provider('notes.ts'),
    provider(`${connection}/conformance.test.ts`),
    { from: `${connection}/emulator.ts`, to: `${emulator}/index.ts`, imports: inEmulator },
    { from: 'notes-server.ts', to: `${emulator}/notes.ts`, imports: inEmulator },
    { from: `${connection}/page.md`, to: `docs/reference/connectors/${folder}.md`, imports: [] },
  ]
}

/**
 * Writes a provider that reads an imaginary API: its folder, emulator, conformance test and page, and registers it. It
 * compiles and passes; what follows is to replace that API by the real one.
 * @returns the written files
 */
export async function writeConnector(
  root: string,
  id: string,
  connection: Connection = 'oauth',
): Promise<string[]> {
  if (!NAME.test(id) || id.length > 40)
    throw new Error(
      `${id} is not an ID: use lower-case letters, digits and single underscores, as in acme_wiki`,
    )
  const at = (file: string): string => path.join(root, file)
  const folder = id.replaceAll('_', '-')
  const targets = targetsOf(folder, connection)
  for (const { to } of targets) if (await exists(at(to))) throw new Error(`${to} already exists`)
  for (const { from, to, imports } of targets) {
    const text = await readFile(at(path.join(EXAMPLE, from)), 'utf8')
    await mkdir(path.dirname(at(to)), { recursive: true })
    await writeFile(at(to), renamed(moved(text, imports), id))
  }
  const registered = registrationsOf(id, folder, connection)
  for (const { file, find, put } of registered) {
    const text = await readFile(at(file), 'utf8')
    if (!find.test(text)) throw new Error(`${file} has no place for the provider (${find.source})`)
    await writeFile(at(file), text.replace(find, put))
  }
  return [...targets.map(({ to }) => to), ...new Set(registered.map(({ file }) => file))]
}

const SETTINGS: Readonly<Record<Connection, readonly string[]>> = {
  oauth: [
    "| `EXAMPLE_CLIENT_ID` | none | Example app's client ID. With the secret, the console offers Example |",
    "| `EXAMPLE_CLIENT_SECRET` | none | Example app's client secret |",
    '| `EXAMPLE_API_URL` | none | Replaces https://api.example.com |',
  ],
  form: [
    '| `EXAMPLE_API_URL` | none | Replaces https://api.example.com. `PROVIDERS` must also name `example` |',
  ],
}

/** The changes that make the provider known. */
function registrationsOf(
  id: string,
  folder: string,
  connection: Connection,
): { file: string; find: RegExp; put: string }[] {
  const name = camelCase(id)
  const ofCatalog = 'src/providers/catalog.ts'
  return [
    { file: ofCatalog, find: /\n\n/, put: `\nimport { ${name} } from './${folder}/index.ts'\n\n` },
    { file: ofCatalog, find: /,?\s*\] as const/, put: `, ${name}] as const` },
    {
      file: 'site/pages.mjs',
      find: /^( *'reference\/connectors\/notion',\n)/m,
      put: `$1      'reference/connectors/${folder}',\n`,
    },
    {
      file: 'docs/reference/settings.md',
      find: /^(\| `NOTION_API_URL` .*\n)/m,
      put: `$1${renamed(`${SETTINGS[connection].join('\n')}\n`, id)}`,
    },
  ]
}

function moved(text: string, imports: Target['imports']): string {
  return text.replaceAll(/^(import .*|\} from )('.*')$/gm, (line) => {
    const found = imports.find(([from]) => line.includes(from))
    return found === undefined ? line : line.replace(found[0], found[1])
  })
}

/** The example's names, as the provider's. */
function renamed(text: string, id: string): string {
  const folder = id.replaceAll('_', '-')
  const words = id.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return text
    .replaceAll('EXAMPLE_', `${id.toUpperCase()}_`)
    .replaceAll('example.com', `${folder}.example`)
    .replaceAll('exampleProvider', camelCase(id))
    .replaceAll('exampleForm', `${camelCase(id)}Form`)
    .replaceAll('connect example', `connect ${id}`)
    .replaceAll(/emulators\/example|example(?=-)/g, (found) => found.replace('example', folder))
    .replaceAll(/(?<=['`/])example(?=['`/])/g, id)
    .replaceAll(/Example(?=[A-Z])|(?<=[a-z])Example/g, words.join(''))
    .replaceAll('Example', words.join(' '))
}

function camelCase(id: string): string {
  return id.replaceAll(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase())
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { form: { type: 'boolean', default: false } },
    allowPositionals: true,
    strict: false,
  })
  const [command, id = '', ...rest] = positionals
  const isKnown = Object.keys(values).every((name) => name === 'form')
  if (command !== 'new' || id === '' || rest.length > 0 || !isKnown) {
    console.error('Usage: npm run connector -- new NAME [--form], with a name such as acme_wiki')
    process.exitCode = 2
  } else {
    try {
      const files = await writeConnector(
        path.join(import.meta.dirname, '..'),
        id,
        values.form === true ? 'form' : 'oauth',
      )
      console.log(`Written:\n${files.map((file) => `  ${file}`).join('\n')}\n`)
      console.log('Next: npm run format, then docs/guides/write-a-connector.md')
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
      process.exitCode = 1
    }
  }
}
