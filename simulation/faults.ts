import { createHash } from 'node:crypto'
import type { Streams } from './streams.ts'

/** The faults of an operation that leaves the process. */
export type FaultKind =
  | 'refused'
  | 'lost answer'
  | 'delay'
  | 'long delay'
  | 'conflict'
  | 'server error'
  | 'rate limit'
  | 'half answer'
  | 'duplicate'
  | 'hang'
  | 'kill before'
  | 'kill after'

const FAULTS_OF_OTHER_SERVICES = [
  'refused',
  'lost answer',
  'delay',
  'long delay',
  'server error',
  'rate limit',
  'half answer',
  'duplicate',
  'hang',
  'kill before',
  'kill after',
] as const

/** The places where operations leave the process, with their possible faults. */
const FAULTS_AT = {
  database: ['refused', 'lost answer', 'conflict', 'delay', 'kill before', 'kill after'],
  provider: FAULTS_OF_OTHER_SERVICES,
  processor: FAULTS_OF_OTHER_SERVICES,
  model: [
    'refused',
    'lost answer',
    'delay',
    'server error',
    'rate limit',
    'half answer',
    'hang',
    'kill before',
    'kill after',
  ],
  client: ['lost answer', 'duplicate', 'delay'],
} as const satisfies Record<string, readonly FaultKind[]>

export type Place = keyof typeof FAULTS_AT
const PLACES: readonly Place[] = ['database', 'provider', 'processor', 'model', 'client']

/** Multiplies the fault rate of each place: lower where there are many operations. */
const RARITY: Record<Place, number> = { database: 0.15, provider: 1, processor: 2, model: 1, client: 2 }
const KILL_RARITY = 0.1
const RATES = [0, 0.01, 0.03, 0.08]

export interface InjectedFault {
  number: number
  place: Place
  kind: FaultKind
  operation: string
}

export interface Faults {
  /** The fault injected into an operation; null: none. */
  next(place: Place, operation: string): FaultKind | null
  /** The severity of a fault, such as its delay. */
  size(operation: string): number
  /** No fault happens before this time. */
  start(): void
  stop(): void
  readonly injected: readonly InjectedFault[]
  readonly operations: number
}

/**
 * The faults of a seed. Each seed has its own rates, so that some seeds stress one place and spare the others. @param
 * skip numbers of omitted faults, for shrinking; each decision is still drawn
 */
export function createFaults(streams: Streams, skip: ReadonlySet<number> = new Set(), scale = 1): Faults {
  const rates = new Map<string, number>()
  for (const place of PLACES)
    for (const kind of FAULTS_AT[place]) {
      const isKill = kind.startsWith('kill')
      const rate = streams.pick(`rate of ${kind} at ${place}`, RATES) * RARITY[place] * scale
      rates.set(`${place} ${kind}`, (isKill ? rate * KILL_RARITY : rate) / FAULTS_AT[place].length)
    }
  const injected: InjectedFault[] = []
  let number = 0
  let operations = 0
  let isStopped = true

  function next(place: Place, operation: string): FaultKind | null {
    operations += 1
    if (isStopped) return null
    let left = streams.draw(`fault of ${place} ${operation}`)
    for (const kind of FAULTS_AT[place]) {
      left -= rates.get(`${place} ${kind}`) ?? 0
      if (left >= 0) continue
      number += 1
      if (skip.has(number)) return null
      injected.push({ number, place, kind, operation })
      return kind
    }
    return null
  }
  return {
    next,
    size: (operation) => streams.draw(`size of ${operation}`),
    start: () => void (isStopped = false),
    stop: () => void (isStopped = true),
    injected,
    get operations() {
      return operations
    },
  }
}

/** A short name for a statement's text. */
export function statementName(text: string): string {
  const words = text.trim().split(/\s+/).slice(0, 3).join(' ').slice(0, 40)
  return `${words} #${createHash('sha256').update(text).digest('hex').slice(0, 6)}`
}
