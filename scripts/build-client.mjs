// Compiles the TypeScript client into client/dist, once as ES modules and once as CommonJS: npm packs what is there.
import { spawnSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const CLIENT = fileURLToPath(new URL('../client/', import.meta.url))
const TSC = fileURLToPath(new URL('../node_modules/@typescript/native/bin/tsc', import.meta.url))
const CONFIGS = ['tsconfig.json', 'tsconfig.commonjs.json']

await rm(`${CLIENT}dist`, { recursive: true, force: true })
for (const config of CONFIGS) {
  // stdout stays free for what npm prints: `npm pack --json` is read by programs.
  const { status } = spawnSync(process.execPath, [TSC, '--project', CLIENT + config], {
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(1)
}
// Files in this folder are CommonJS, although the package around them says "module".
await writeFile(`${CLIENT}dist/commonjs/package.json`, '{ "type": "commonjs" }\n')
