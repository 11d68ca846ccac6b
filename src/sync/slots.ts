import type { ProviderId } from '../kernel/provider-id.ts'

/** Slots for runs. No provider may take more than half, so that a hanging one cannot stop the others. */
export interface Slots {
  hasRoom(provider: ProviderId): boolean
  enter(provider: ProviderId): void
  leave(provider: ProviderId): void
}

/** `count` slots. A provider may always have two, so that one source does not block the others of its provider. */
export function createSlots(count: number): Slots {
  const share = Math.max(2, Math.ceil(count / 2))
  const taken = new Map<ProviderId, number>()
  const takenBy = (provider: ProviderId): number => taken.get(provider) ?? 0
  let total = 0
  const add = (provider: ProviderId, change: 1 | -1): void => {
    total += change
    taken.set(provider, takenBy(provider) + change)
  }
  return {
    hasRoom: (provider) => total < count && takenBy(provider) < share,
    enter: (provider) => add(provider, 1),
    leave: (provider) => add(provider, -1),
  }
}
