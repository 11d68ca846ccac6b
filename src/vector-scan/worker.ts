import { parentPort, workerData } from 'node:worker_threads'
import { createScan, type ScanJob } from './scan.ts'
import type { Room } from './shared-memory.ts'

const { memory, room }: { memory: WebAssembly.Memory; room: Room } = workerData
const scan = createScan(memory, room)

parentPort?.on('message', (job: ScanJob) => parentPort?.postMessage(scan(job), []))
