import { z } from 'zod'
import { validationError } from '../kernel/errors.ts'
import { findIssues } from '../kernel/validate.ts'
import type { ConnectedAccount, FormAdapter, JsonObject } from './adapter.ts'

/** The form by which an account is connected: its schema, whose fields are made with {@link formField}. */
export type ConnectForm = z.ZodObject<Record<string, z.ZodType<unknown, string | undefined>>>

/** How a field is shown. */
export interface FormFieldWords {
  label: string
  /** One or two sentences: what to enter, and where to find it. */
  help: string
  /** Whether what is entered must not be shown. */
  secret?: boolean
  /** Whether the value may have several lines. */
  multiline?: boolean
}

/** A field as the console and the command line need it. */
export interface FormField extends Required<FormFieldWords> {
  name: string
  required: boolean
}

const words = z.registry<FormFieldWords>()

/** A field of a form. Its schema accepts the entered text, or undefined if the field is optional. */
export function formField<Schema extends z.ZodType<unknown, string | undefined>>(
  schema: Schema,
  field: FormFieldWords,
): Schema {
  words.add(schema, field)
  return schema
}

export function fieldsOf(form: ConnectForm): FormField[] {
  return Object.entries(form.shape).map(([name, schema]) => {
    const { label = name, help = '', secret = false, multiline = false } = words.get(schema) ?? {}
    return { name, label, help, secret, multiline, required: !schema.safeParse(undefined).success }
  })
}

/** The account that the values of a form belong to, and what runs need: a token, and further data. */
export interface FormAccount extends Omit<ConnectedAccount, 'credentials'> {
  accessToken?: string
  extra?: JsonObject
}

/** The connecting part of an adapter: checks what was entered by the form's schema before anything else. */
export function createFormConnection<Form extends ConnectForm>(
  form: Form,
  connect: (values: z.output<Form>, signal: AbortSignal) => Promise<FormAccount>,
): Pick<FormAdapter, 'connect'> {
  return {
    async connect(fields, signal) {
      // An empty field was left out.
      const entered = Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ''))
      const found = findIssues(form, entered, 'body')
      if (!('data' in found)) throw formFaults(found.issues, found.count)
      const { accessToken = '', extra = {}, ...account } = await connect(found.data, signal)
      return {
        ...account,
        credentials: { accessToken, refreshToken: null, expiresAt: null, scopes: [], extra },
      }
    },
  }
}

/** An error in the value of a field. */
export const formFault = (field: string, message: string) => formFaults([{ path: field, message }])

/** Errors in the entered values, with the fields' paths in the request. */
function formFaults(issues: readonly { path: string; message: string }[], count?: number) {
  return validationError(
    issues.map(({ path, message }) => ({ path: path === '' ? 'fields' : `fields.${path}`, message })),
    count,
  )
}
