// Builds the documentation into `site/dist` unless that is up to date: `node scripts/build-guide.mjs`. The service
// starts it as a child process and receives a message when it really builds; it ends with the service.
import process from 'node:process'
import { ensureGuide } from './tasks/guide.mjs'

const giveUp = () => process.exit(1)
process.once('disconnect', giveUp)
try {
  await ensureGuide({ runtime: process.execPath, onBuild: () => process.send?.('building') })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
process.off('disconnect', giveUp)
if (process.connected) process.disconnect()
