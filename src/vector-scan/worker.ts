import { parentPort, workerData } from 'node:worker_threads'
import { createScan, type ScanJob } from './scan.ts'
import type { Room } from './shared-memory.ts'

const { memories, room }: { memories: readonly WebAssembly.Memory[]; room: Room } = workerData
const scan = createScan(memories, room)

parentPort?.on('message', (job: ScanJob) => parentPort?.postMessage(scan(job), []))
