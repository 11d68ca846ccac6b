// Compiles the TypeScript client into client/dist as ES modules and as CommonJS; npm packs the result.
import { spawnSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const CLIENT = fileURLToPath(new URL('../client/', import.meta.url))
const TSC = fileURLToPath(new URL('../node_modules/@typescript/native/bin/tsc', import.meta.url))
const CONFIGS = ['tsconfig.json', 'tsconfig.commonjs.json']

await rm(`${CLIENT}dist`, { recursive: true, force: true })
for (const config of CONFIGS) {
  // stdout stays free for npm's output: programs read `npm pack --json`.
  const { status } = spawnSync(process.execPath, [TSC, '--project', CLIENT + config], {
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(1)
}
// Files in this folder are CommonJS, although the package around them says "module".
await writeFile(`${CLIENT}dist/commonjs/package.json`, '{ "type": "commonjs" }\n')
