import { parentPort, workerData } from 'node:worker_threads'
import { createScanner, type ScanJob } from './scan.ts'
import type { Room } from './shared-memory.ts'

export interface VectorWorkerData {
  memory: WebAssembly.Memory
  room: Room
}

export interface VectorJob {
  id: number
  scan: ScanJob
}

const { memory, room }: VectorWorkerData = workerData
const scanner = createScanner(memory, room)

parentPort?.on('message', ({ id, scan }: VectorJob) => {
  parentPort?.postMessage({ id, proposal: scanner.scan(scan) }, [])
})
