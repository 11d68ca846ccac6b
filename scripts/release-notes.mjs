// `node scripts/release-notes.mjs vX.Y.Z` prints that version's section of CHANGELOG.md. It fails when the tag, the
// section and the versions in the repository disagree, so that nothing half-prepared is published.
import { readFile } from 'node:fs/promises'
import process from 'node:process'

const ROOT = new URL('../', import.meta.url)
const read = (name) => readFile(new URL(name, ROOT), 'utf8')

/** The files that contain the version, with its pattern. */
const PLACES = {
  'package.json': /"version": "([^"]+)"/,
  'client/package.json': /"version": "([^"]+)"/,
  'client/python/pyproject.toml': /^version = "([^"]+)"$/m,
  'src/kernel/version.ts': /VERSION = '([^']+)'/,
  'deploy/helm/memory/Chart.yaml': /^version: (\S+)$/m,
  'deploy/kubernetes/kustomization.yaml': /newTag: (\S+)/,
}

const version = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(process.argv[2] ?? '')?.[1]
if (version === undefined) fail('Usage: node scripts/release-notes.mjs vX.Y.Z')
for (const [file, pattern] of Object.entries(PLACES)) {
  const written = pattern.exec(await read(file))?.[1]
  if (written !== version) fail(`${file} has the version ${written}, not ${version}`)
}
const heading = `## [${version}]`
const sections = (await read('CHANGELOG.md')).split(/^(?=## )/m)
const section = sections.find((text) => text.startsWith(heading))
if (section === undefined) fail(`CHANGELOG.md has no section "${heading} - YYYY-MM-DD"`)
process.stdout.write(`${section.slice(section.indexOf('\n')).trim()}\n`)

function fail(message) {
  console.error(message)
  process.exit(1)
}
