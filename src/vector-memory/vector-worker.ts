import { parentPort, workerData } from 'node:worker_threads'
import { createScanner, type ScanJob } from './scan.ts'
import type { Room } from './shared-memory.ts'
import { type WriteJob, writeRows } from './write-rows.ts'

export interface VectorWorkerData {
  memory: WebAssembly.Memory
  room: Room
}

export type VectorJob = { id: number } & ({ scan: ScanJob } | { write: WriteJob })

const { memory, room }: VectorWorkerData = workerData
const scanner = createScanner(memory, room)

parentPort?.on('message', (job: VectorJob) => {
  if ('scan' in job) {
    parentPort?.postMessage({ id: job.id, proposal: scanner.scan(job.scan) }, [])
    return
  }
  writeRows(memory, job.write)
  parentPort?.postMessage({ id: job.id, proposal: null }, [])
})
