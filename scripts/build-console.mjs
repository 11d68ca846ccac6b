// Builds the console into `console/dist` unless that is up to date: `node scripts/build-console.mjs`.
import { buildAsChild } from './tasks/build-as-child.mjs'
import { ensureConsole } from './tasks/console.mjs'

await buildAsChild(ensureConsole)
