import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { parseFile, type ParseJob } from './parse-file.ts'
import { messageOf } from '../kernel/thrown-errors.ts'

// Requests come first. On other systems this would apply to the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

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
