import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import type { Streams } from './streams.ts'

export interface TimeFunctions {
  now: () => number
  /** Milliseconds since the start. */
  elapsed: () => number
  setTimeout: unknown
  setInterval: unknown
  clear: unknown
  sleep: unknown
}

/** `AbortSignal.timeout` with the simulated timers. */
function abortedAfter(ms: number): AbortSignal {
  const controller = new AbortController()
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
  setTimeout(() => controller.abort(reason), ms)
  return controller.signal
}

/** Replaces Node's clock and timer functions with simulated ones. @returns a function that restores them */
export function replaceTime({
  now,
  elapsed,
  setTimeout,
  setInterval,
  clear,
  sleep,
}: TimeFunctions): () => void {
  const RealDate = Date
  // A proxy keeps `instanceof Date` true of dates that were made before, or elsewhere.
  const SimulatedDate = new Proxy(RealDate, {
    construct: (target, given) => (given.length === 0 ? new target(now()) : Reflect.construct(target, given)),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
  const undo = [
    replace(globalThis, {
      Date: SimulatedDate,
      setTimeout,
      setInterval,
      clearTimeout: clear,
      clearInterval: clear,
    }),
    replace(performance, { now: elapsed }),
    replace(AbortSignal, { timeout: abortedAfter }),
    replace(timersPromises, { setTimeout: sleep }),
  ]
  syncBuiltinESMExports()
  return () => {
    for (const one of undo) one()
    syncBuiltinESMExports()
  }
}

/** Takes ids, secrets and jitter from streams. @returns a function that restores them */
export function replaceRandomness(streams: Streams): () => void {
  const bytes = (size: number): Buffer =>
    Buffer.from(Array.from({ length: size }, () => Math.floor(streams.draw('random bytes') * 256)))
  const uuid = (): string => {
    const id = bytes(16)
    id[6] = ((id[6] ?? 0) & 0x0f) | 0x40
    id[8] = ((id[8] ?? 0) & 0x3f) | 0x80
    const hex = id.toString('hex')
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  }
  const undo = [
    replace(Math, { random: () => streams.draw('Math.random') }),
    replace(crypto, { randomUUID: uuid, randomBytes: bytes }),
  ]
  syncBuiltinESMExports()
  return () => {
    for (const one of undo) one()
    syncBuiltinESMExports()
  }
}

/** Replaces properties of an object. @returns a function that restores them */
export function replace(object: object, values: Record<string, unknown>): () => void {
  const before = Object.getOwnPropertyDescriptors(object)
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: true })
  return () => {
    for (const name of Object.keys(values)) {
      const descriptor = Reflect.get(before, name)
      if (descriptor) Object.defineProperty(object, name, descriptor)
      else Reflect.deleteProperty(object, name)
    }
  }
}
