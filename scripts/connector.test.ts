import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readPage, testedBlock } from '../test/support/doc-pages.ts'
import { writeConnector } from './connector.ts'

const ROOT = path.join(import.meta.dirname, '..')
let root: string

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'connector-'))
  for (const file of [
    'test/connectors/example',
    'src/providers/catalog.ts',
    'site/pages.mjs',
    'docs/reference/settings.md',
  ])
    await cp(path.join(ROOT, file), path.join(root, file), { recursive: true })
})
afterAll(() => rm(root, { recursive: true }))

const read = (file: string): Promise<string> => readFile(path.join(root, file), 'utf8')
const guide = await readPage('docs/guides/write-a-connector.md')

/** Checks that the files have no name of the example, and that what they import exists. */
async function expectOwnNames(files: readonly string[], folder: string): Promise<void> {
  for (const file of files) {
    if (!file.includes(folder)) continue
    const text = (await read(file)).replaceAll(/[\w-]+\.example\b/g, '')
    expect(text, file).not.toMatch(/example/i)
    for (const [, target = ''] of text.matchAll(/from '(\..*)'/g)) {
      const resolved = path.join(path.dirname(file), target)
      const place = files.includes(resolved) ? root : ROOT
      await expect(readFile(path.join(place, resolved)), `${file} imports ${target}`).resolves.toBeDefined()
    }
  }
}

it('writes a provider with its own names, and registers it', async () => {
  const [command] = testedBlock(guide, 'new connector').split('\n')
  expect(command).toBe('npm run connector -- new acme_wiki')
  await expectOwnNames(await writeConnector(root, 'acme_wiki'), 'acme-wiki')
  expect(await read('src/providers/acme-wiki/index.ts')).toContain(
    "export const acmeWiki: Provider<'acme_wiki'> = defineProvider({\n  id: 'acme_wiki',\n  name: 'Acme Wiki',",
  )
  expect(await read('src/providers/catalog.ts')).toMatch(
    /import \{ acmeWiki \} from '\.\/acme-wiki\/index\.ts'[^]*, acmeWiki\] as const/,
  )
  expect(await read('site/pages.mjs')).toContain("'reference/connectors/acme-wiki',")
  expect(await read('docs/reference/settings.md')).toContain('| `ACME_WIKI_CLIENT_ID` | none |')
})

it('writes a provider that is connected by a form', async () => {
  expect(testedBlock(guide, 'new connector with a form').trim()).toBe(
    'npm run connector -- new acme_notes --form',
  )
  await expectOwnNames(await writeConnector(root, 'acme_notes', 'form'), 'acme-notes')
  expect(await read('src/providers/acme-notes/index.ts')).toContain('  form: acmeNotesForm,\n  needs: [],')
  const settings = await read('docs/reference/settings.md')
  expect(settings).toContain('| `ACME_NOTES_API_URL` | none | Replaces https://api.acme-notes.example.')
  expect(settings).not.toContain('ACME_NOTES_CLIENT_ID')
})

it('has a guide whose form takes a token', async () => {
  const form = testedBlock(guide, 'form')
  const file = path.join(ROOT, 'src/providers/form.ts')
  const program = path.join(root, 'form.ts')
  await writeFile(
    program,
    `import { z } from '${path.join(ROOT, 'node_modules/zod/index.js')}'
     import { formField } from '${file}'
     ${form}
     console.log(acmeForm.parse({ token: ' secret ' }).token, acmeForm.safeParse({}).success)`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  expect(stdout).toBe('secret false\n')
})

it('refuses a name that is no ID, and one that is there', async () => {
  await expect(writeConnector(root, 'Acme-Wiki')).rejects.toThrow('acme_wiki')
  await expect(writeConnector(root, 'acme_wiki')).rejects.toThrow('already exists')
})
