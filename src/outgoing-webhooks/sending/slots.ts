import type { DeliveryRef } from './attempt.ts'

/** A delivery that can be attempted now. */
export interface DueDelivery extends DeliveryRef {
  webhookId: string
  /** Whether the last attempt to the webhook failed. */
  isFailing: boolean
}

/** Concurrent attempts per process; failing webhooks get at most half. */
const SLOTS = 64
const SLOTS_OF_FAILING = 32
const SLOTS_OF_WORKSPACE = 16
const SLOTS_OF_WEBHOOK = 2

/** The webhooks and workspaces without a free slot. */
export interface TakenSlots {
  /** Workspaces at their limit. */
  organizationIds: string[]
  /** Webhooks at their limit. */
  webhookIds: string[]
  /** Deliveries in progress. */
  deliveryIds: string[]
}

export interface DeliverySlots {
  /** Takes a slot if one is free for it. */
  enter(due: DueDelivery): boolean
  leave(due: DueDelivery): void
  taken(): TakenSlots
}

/** The slots of running attempts: a slow receiver delays neither other workspaces nor other webhooks of its own. */
export function createDeliverySlots(): DeliverySlots {
  const inside = new Map<string, DueDelivery>()
  const countOf = (isOne: (due: DueDelivery) => boolean): number =>
    inside.values().filter(isOne).toArray().length
  const full = (keyOf: (due: DueDelivery) => string, most: number): string[] =>
    [...Map.groupBy(inside.values(), keyOf)].filter(([, list]) => list.length >= most).map(([key]) => key)
  return {
    enter(due) {
      const isFull =
        inside.size >= SLOTS ||
        inside.has(due.id) ||
        (due.isFailing && countOf(({ isFailing }) => isFailing) >= SLOTS_OF_FAILING) ||
        countOf(({ organizationId }) => organizationId === due.organizationId) >= SLOTS_OF_WORKSPACE ||
        countOf(({ webhookId }) => webhookId === due.webhookId) >= SLOTS_OF_WEBHOOK
      if (!isFull) inside.set(due.id, due)
      return !isFull
    },
    leave: ({ id }) => void inside.delete(id),
    taken: () => ({
      organizationIds: full(({ organizationId }) => organizationId, SLOTS_OF_WORKSPACE),
      webhookIds: full(({ webhookId }) => webhookId, SLOTS_OF_WEBHOOK),
      deliveryIds: [...inside.keys()],
    }),
  }
}
