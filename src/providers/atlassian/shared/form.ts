import { z } from 'zod'
import { formField } from '../../form.ts'

const NAMED_MAX = 100

const site = z
  .string()
  .trim()
  .max(500)
  .transform((text, context) => {
    const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`)
    if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
      context.addIssue({ code: 'custom', message: 'must be an address such as https://acme.atlassian.net' })
      return z.NEVER
    }
    return url.origin
  })

/** The fields of a login. `product` has `items`, such as Confluence pages. */
export const loginFields = (product: string, items: string) => ({
  site: formField(site, {
    label: 'Site',
    help: `The address of your ${product} Cloud, such as https://acme.atlassian.net.`,
  }),
  email: formField(z.email().max(320), {
    label: 'Email',
    help: `The address of the Atlassian account whose ${items} are read.`,
  }),
  token: formField(
    z
      .string()
      .trim()
      .max(1_000)
      .regex(/^[\x21-\x7e]+$/, 'must not contain spaces'),
    {
      label: 'API token',
      help: 'Create it in the Atlassian account under Security, API tokens, without scopes.',
      secret: true,
    },
  ),
})

/** A list of keys, which may be left out. */
export const keyList = (key: RegExp, message: string) =>
  z
    .string()
    .max(30_000)
    .optional()
    .transform((text = '') => [...new Set(text.split(/[\s,]+/).filter((one) => one !== ''))])
    .refine((keys) => keys.length <= NAMED_MAX, `must have at most ${NAMED_MAX} keys`)
    .refine((keys) => keys.every((one) => key.test(one)), message)
