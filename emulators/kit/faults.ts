/** Something that goes wrong on demand, for the requests it matches. */
export interface Fault {
  /** HTTP method; any when left out. */
  method?: string
  /** What the path contains; any when left out. */
  path?: string
  /** What query or body contain (an id, say); any when left out. */
  contains?: string
  /** Only every n-th matching request meets the fault; 1 (each) when left out. */
  every?: number
  /** How many requests meet it; without end when left out. */
  times?: number
  /** Wait before going on, milliseconds. */
  delayMs?: number
  /** Cut the connection without an answer. */
  drop?: boolean
  /** Serve the request first: what it does is done, and only its answer meets the fault. */
  afterEffect?: boolean
  /** Answer this instead; left out, the request is served after the delay. */
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

/** What of a request a fault is matched against. */
export interface FaultTarget {
  method: string
  path: string
  query: URLSearchParams
  body: string
}

export interface Faults {
  add(fault: Fault): void
  /** The same from a control route's JSON; throws on what is no fault. */
  addFromJson(json: Record<string, unknown>): void
  clear(): void
  /** The fault this request meets, counted as met. */
  take(request: FaultTarget): Fault | null
}

/** The list of faults an emulator has been asked for; the oldest that matches wins. */
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

function parseFault(json: Record<string, unknown>): Fault {
  const fault: Fault = { ...json }
  const numbers = [fault.every, fault.times, fault.delayMs, fault.status]
  if (numbers.some((value) => value !== undefined && typeof value !== 'number')) {
    throw new Error('every, times, delayMs and status are numbers')
  }
  if (fault.status === undefined && fault.delayMs === undefined && fault.drop !== true) {
    throw new Error('a fault needs status, delayMs or drop')
  }
  return fault
}
