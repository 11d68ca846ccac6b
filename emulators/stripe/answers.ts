import type { Account } from './account.ts'
import { missing } from './stripe-error.ts'

/** A page of a list, newest first. */
export function pageOf<T extends { id: string }>(
  objects: readonly T[],
  page: { limit: number; starting_after?: string | undefined; ending_before?: string | undefined },
  url: string,
): { object: 'list'; data: T[]; has_more: boolean; url: string } {
  const newestFirst = objects.toReversed()
  const indexOf = (id: string, param: string): number => {
    const index = newestFirst.findIndex((object) => object.id === id)
    if (index < 0) throw missing('object', id, param)
    return index
  }
  if (page.ending_before !== undefined) {
    const end = indexOf(page.ending_before, 'ending_before')
    const start = Math.max(0, end - page.limit)
    return { object: 'list', data: newestFirst.slice(start, end), has_more: start > 0, url }
  }
  const start = page.starting_after === undefined ? 0 : indexOf(page.starting_after, 'starting_after') + 1
  const data = newestFirst.slice(start, start + page.limit)
  return { object: 'list', data, has_more: start + page.limit < newestFirst.length, url }
}

/** Expands the ids at `paths` to their objects, for example `data.items.data.price.product`. */
export function expanded(account: Account, answer: unknown, paths: readonly string[]): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(answer))
  for (const path of paths) expandPath(account, copy, path.split('.'))
  return copy
}

function expandPath(account: Account, node: unknown, [name, ...rest]: string[]): void {
  if (name === undefined || typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) {
    for (const each of node) expandPath(account, each, [name, ...rest])
    return
  }
  const value: unknown = Reflect.get(node, name)
  if (typeof value === 'string') {
    const object = objectById(account, value)
    if (object !== undefined) Reflect.set(node, name, JSON.parse(JSON.stringify(object)))
  }
  expandPath(account, Reflect.get(node, name), rest)
}

function objectById(account: Account, id: string): unknown {
  const stores = [
    account.customers,
    account.products,
    account.prices,
    account.paymentMethods,
    account.subscriptions,
    account.schedules,
    account.invoices,
  ]
  return stores.map((store): unknown => store.get(id)).find((object) => object !== undefined)
}
