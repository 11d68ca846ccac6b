import type { Db } from '../database/database.ts'
import { findSumOrder, type SumOrder } from './sum-order.ts'

/** Knows the order in which the database adds up. */
export interface Summing {
  /** The same object for as long as it is believed; null: none that is known. @throws what the database throws */
  order(): Promise<SumOrder | null>
  /** The database has told another sum than this order makes: it is another server by now, perhaps. */
  doubt(order: SumOrder | null): void
}

/** Where the database adds up in ever other orders, none is believed. */
const DOUBTS_MAX = 3

/** Finds out when it is first asked. */
export function createSumming(db: Db): Summing {
  let doubts = 0
  let finding: Promise<SumOrder | null> | null = null
  let believed: SumOrder | null = null
  const find = async (): Promise<SumOrder | null> => {
    try {
      const order = await findSumOrder(db)
      return (believed = order && { ...order })
    } catch (error) {
      finding = null
      throw error
    }
  }
  return {
    order: () => (finding ??= find()),
    doubt(order) {
      // Searches that run together are told of the same server.
      if (order === null || order !== believed) return
      believed = null
      doubts += 1
      finding = doubts < DOUBTS_MAX ? null : Promise.resolve(null)
    },
  }
}
