import { open } from 'node:fs/promises'

/** Flushes the names in a folder, which flushing the files does not promise. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
