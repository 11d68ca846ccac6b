// Builds the documentation into `site/dist` unless that is up to date: `node scripts/build-guide.mjs`.
import { buildAsChild } from './tasks/build-as-child.mjs'
import { ensureGuide } from './tasks/guide.mjs'

await buildAsChild(ensureGuide)
