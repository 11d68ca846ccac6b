// Installs the optional package for local embedding models into `.runtime/local-models`, in the tested version: `node
// scripts/install-local-models.mjs`. `EMBEDDING_PROVIDER=transformers` needs it.
import process from 'node:process'
import { ensureLocalModels } from './tasks/install.mjs'

try {
  await ensureLocalModels()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
