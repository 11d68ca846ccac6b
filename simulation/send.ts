import type { Reply } from './fleet.ts'
import { newTally, type Tally } from './oracle.ts'
import type { SimulatedOrganization } from './organizations.ts'
import type { World } from './world.ts'

const CLIENT_DELAY_MS = 3_000

export interface Sent {
  /** Null: the outcome is unknown. */
  reply: Reply | null
  sentAt: number
  answeredAt: number
}

/** Sends a request as a client with an unreliable connection. */
export async function send(world: World, request: Parameters<World['fleet']['call']>[0]): Promise<Sent> {
  const { time, faults, fleet } = world
  const operation = `${request.method} ${request.path.split('?')[0]?.replaceAll(/[0-9a-f-]{36}/g, '*') ?? ''}`
  const fault = faults.next('client', operation)
  if (fault === 'delay') await time.sleep(Math.ceil(faults.size(operation) * CLIENT_DELAY_MS))
  const sentAt = time.now()
  const reply = await fleet.call(request)
  const answeredAt = time.now()
  if (reply && reply.status >= 500 && reply.status !== 503)
    world.violate(`${operation} answered ${reply.status}: ${JSON.stringify(reply.body)}`)
  return { reply: fault === 'lost answer' ? null : reply, sentAt, answeredAt }
}

/** What a client knows after a response to a change. */
export function outcomeOf(reply: Reply | null): 'done' | 'refused' | 'unknown' {
  if (reply === null || reply.status >= 500) return 'unknown'
  return reply.status < 300 ? 'done' : 'refused'
}

function tallyOf(organization: SimulatedOrganization, action: string): Tally {
  const found = organization.mutations.get(action) ?? newTally()
  organization.mutations.set(action, found)
  return found
}

/** Records a change for comparison with the audit trail. */
export function audit(
  organization: SimulatedOrganization,
  action: string,
  reply: Reply | null,
  target?: unknown,
): void {
  const outcome = outcomeOf(reply)
  const tally = tallyOf(organization, action)
  if (outcome === 'unknown') tally.unknown += 1
  if (outcome !== 'done') return
  tally.acknowledged += 1
  if (typeof target === 'string') organization.audited.push({ action, target })
}
