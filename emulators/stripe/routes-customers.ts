import { z } from 'zod'
import { found } from './account.ts'
import { pageOf } from './answers.ts'
import { pathId, type ApiRoute } from './api.ts'
import { addCustomer } from './customers.ts'
import { expand, ignored, mergedMetadata, metadata, page, readInput, text } from './inputs.ts'

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
  'GET /v1/customers/:id': (call) => {
    const id = pathId(call)
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
}
