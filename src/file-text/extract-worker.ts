import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { parseFile, type ParseJob } from './parse-file.ts'
import { messageOf } from '../kernel/thrown-errors.ts'

lowerPriority()

/** Requests come first. Not on other systems, where this applies to the whole process, nor where a sandbox forbids it. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Files are read at the same priority as requests.
  }
}

// One file at a time: the parent ends this thread when a file takes too long or too much memory.
parentPort?.on('message', (job: ParseJob) => {
  void parseFile(job)
    .then((result) => ({ ok: true as const, ...result }))
    .catch((error: unknown) => ({
      ok: false as const,
      message: messageOf(error),
    }))
    .then((answer) => parentPort?.postMessage(answer, []))
})
