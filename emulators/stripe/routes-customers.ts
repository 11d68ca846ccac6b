import { z } from 'zod'
import { found } from './account.ts'
import { pageOf } from './answers.ts'
import { pathId, type ApiRoute } from './api.ts'
import { addCustomer } from './customers.ts'
import { expand, ignored, mergedMetadata, metadata, page, readInput, text } from './inputs.ts'
import { invalid } from './stripe-error.ts'

const Fields = {
  email: text.optional(),
  name: text.optional(),
  description: text.optional(),
  metadata: metadata.optional(),
  expand,
}
const Create = z.strictObject({ ...Fields, address: ignored, phone: ignored, preferred_locales: ignored })
const Update = z.strictObject({
  ...Fields,
  invoice_settings: z.strictObject({ default_payment_method: text.optional() }).optional(),
})
const List = z.strictObject({ ...page, email: text.optional(), created: ignored })
const Search = z.strictObject({ query: text, limit: page.limit, page: z.string().optional(), expand })

export const customerRoutes: Record<string, ApiRoute> = {
  'POST /v1/customers': ({ account, input }) => {
    const given = readInput(Create, input)
    return addCustomer(account, {
      email: given.email ?? null,
      name: given.name ?? null,
      description: given.description ?? null,
      metadata: mergedMetadata({}, given.metadata ?? {}),
    })
  },
  'GET /v1/customers': ({ account, input }) => {
    const given = readInput(List, input)
    const all = [...account.customers.values()]
    const meant = all.filter(({ email }) => given.email === undefined || given.email === email)
    return pageOf(meant, given, '/v1/customers')
  },
  'GET /v1/customers/search': ({ account, input }) => {
    const { query, limit, page: from } = readInput(Search, input)
    const meets = searchOf(query)
    const meant = [...account.customers.values()].toReversed().filter(meets)
    const start = Number(from ?? 0)
    const hasMore = start + limit < meant.length
    return {
      object: 'search_result',
      data: meant.slice(start, start + limit),
      has_more: hasMore,
      next_page: hasMore ? String(start + limit) : null,
      url: '/v1/customers/search',
    }
  },
  'GET /v1/customers/:id': (call) => {
    const id = pathId(call)
    if (call.account.deletedCustomers.has(id)) return { id, object: 'customer', deleted: true }
    return found(call.account.customers, 'customer', id)
  },
  'POST /v1/customers/:id': (call) => {
    const { account } = call
    const customer = found(account.customers, 'customer', pathId(call))
    const given = readInput(Update, call.input)
    const card = given.invoice_settings?.default_payment_method
    if (card !== undefined) found(account.paymentMethods, 'PaymentMethod', card)
    if (given.email !== undefined) customer.email = given.email === '' ? null : given.email
    if (given.name !== undefined) customer.name = given.name === '' ? null : given.name
    if (given.description !== undefined) customer.description = given.description
    if (given.metadata !== undefined) customer.metadata = mergedMetadata(customer.metadata, given.metadata)
    if (card !== undefined)
      customer.invoice_settings = { ...customer.invoice_settings, default_payment_method: card }
    account.emit('customer.updated', customer, {})
    return customer
  },
  'DELETE /v1/customers/:id': (call) => {
    const { account } = call
    const customer = found(account.customers, 'customer', pathId(call))
    account.customers.delete(customer.id)
    account.deletedCustomers.add(customer.id)
    account.emit('customer.deleted', customer)
    return { id: customer.id, object: 'customer', deleted: true }
  },
}

interface Searched {
  email: string | null
  metadata: Record<string, string>
}

/** The supported part of Stripe's search language: `email:'…'` and `metadata['…']:'…'`, joined by AND. */
function searchOf(query: string): (customer: Searched) => boolean {
  const clauses = query.split(/\s+AND\s+/).map((clause) => {
    const field = /^metadata\[["']([^"']+)["']\]:["']([^"']*)["']$/.exec(clause.trim())
    if (field) return ({ metadata: values }: Searched) => values[field[1] ?? ''] === field[2]
    const address = /^email:["']([^"']*)["']$/.exec(clause.trim())
    if (address) return ({ email }: Searched) => email === address[1]
    throw invalid(`The emulator cannot read the search query: ${clause}`, { param: 'query' })
  })
  return (customer) => clauses.every((meets) => meets(customer))
}
