/** A fault injected into matching requests. */
export interface Fault {
  /** HTTP method; any by default. */
  method?: string
  path?: string
  /** A part of the query or body, such as an id; any by default. */
  contains?: string
  /** Affects only every n-th matching request; 1 (each) by default. */
  every?: number
  /** How many requests it affects; unlimited by default. */
  times?: number
  /** Delay in milliseconds. */
  delayMs?: number
  drop?: boolean
  /** Serves the request first, so that it takes effect and only the response is affected. */
  afterEffect?: boolean
  /** Returns this instead; if absent, serves the request after the delay. */
  status?: number
  headers?: Record<string, string>
  body?: unknown
  /** Serves the request, with the object of this id or number in an unknown format. */
  deforms?: string
}

/** The parts of a request that faults match. */
export interface FaultTarget {
  method: string
  path: string
  query: URLSearchParams
  body: string
}

export interface Faults {
  add(fault: Fault): void
  /** The same from a control route's JSON; throws on an invalid fault. */
  addFromJson(json: Record<string, unknown>): void
  clear(): void
  take(request: FaultTarget): Fault | null
}

/** An emulator's list of faults; the oldest match wins. */
export function createFaults(): Faults {
  let active: { fault: Fault; seen: number; met: number }[] = []

  function take(request: FaultTarget): Fault | null {
    for (const entry of active) {
      if (!matches(entry.fault, request)) continue
      entry.seen += 1
      if (entry.seen % (entry.fault.every ?? 1) !== 0) continue
      if (entry.met >= (entry.fault.times ?? Number.POSITIVE_INFINITY)) continue
      entry.met += 1
      return entry.fault
    }
    return null
  }

  function add(fault: Fault): void {
    active.push({ fault, seen: 0, met: 0 })
  }

  return {
    add,
    addFromJson: (json) => add(parseFault(json)),
    clear: () => {
      active = []
    },
    take,
  }
}

function matches(fault: Fault, request: FaultTarget): boolean {
  if (fault.method !== undefined && fault.method !== request.method) return false
  if (fault.path !== undefined && !request.path.includes(fault.path)) return false
  if (fault.contains === undefined) return true
  return request.query.toString().includes(fault.contains) || request.body.includes(fault.contains)
}

/** A JSON response in which all fields of an object, except its identifier, have the wrong type. */
export function deformed(json: unknown, id: string): unknown {
  if (Array.isArray(json)) return json.map((one) => deformed(one, id))
  if (typeof json !== 'object' || json === null) return json
  const fields = Object.entries(json)
  const isThing = fields.some(([name, value]) => isName(name) && String(value) === id)
  return Object.fromEntries(
    fields.map(([name, value]) => {
      if (!isThing) return [name, deformed(value, id)]
      return [name, isName(name) ? value : true]
    }),
  )
}

const isName = (field: string): boolean => field === 'id' || field === 'number'

function parseFault(json: Record<string, unknown>): Fault {
  const fault: Fault = { ...json }
  const numbers = [fault.every, fault.times, fault.delayMs, fault.status]
  if (numbers.some((value) => value !== undefined && typeof value !== 'number')) {
    throw new Error('every, times, delayMs and status are numbers')
  }
  const { status, delayMs, drop, deforms } = fault
  if (status === undefined && delayMs === undefined && drop !== true && deforms === undefined) {
    throw new Error('a fault needs status, delayMs, drop or deforms')
  }
  return fault
}
