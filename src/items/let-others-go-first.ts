import { setTimeout as sleep } from 'node:timers/promises'

/** Whoever was waited for may ask for more: a request has two or three statements. */
const GRACE_MS = 10

/** Between two transactions of one ingest: somebody waits. */
export async function letOthersGoFirst(): Promise<void> {
  await sleep(GRACE_MS)
}
