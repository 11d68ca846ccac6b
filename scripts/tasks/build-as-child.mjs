import process from 'node:process'

const giveUp = () => process.exit(1)

/**
 * Builds a site, as a child process of the service or on its own. Tells the service when it really builds, and ends
 * with it.
 * @param {(options: { runtime: string, onBuild: () => void }) => Promise<void>} ensure
 */
export async function buildAsChild(ensure) {
  process.once('disconnect', giveUp)
  process.once('SIGTERM', giveUp)
  // The service ended while this process started.
  if (process.send && !process.connected) giveUp()
  try {
    await ensure({ runtime: process.execPath, onBuild: () => process.send?.('building') })
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
  process.off('disconnect', giveUp)
  if (process.connected) process.disconnect()
}
