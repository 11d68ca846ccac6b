import { parentPort } from 'node:worker_threads'
import { parseFile, type ParseJob } from './parse-file.ts'

// One file at a time: the parent ends this thread when a file takes too long or too much memory.
parentPort?.on('message', (job: ParseJob) => {
  void parseFile(job)
    .then((result) => ({ ok: true as const, ...result }))
    .catch((error: unknown) => ({
      ok: false as const,
      message: error instanceof Error ? error.message : String(error),
    }))
    .then((answer) => parentPort?.postMessage(answer, []))
})
