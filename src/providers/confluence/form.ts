import { z } from 'zod'
import { formField } from '../form.ts'

const NAMED_MAX = 100
const KEY = /^~?[\w.-]{1,255}$/

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

const spaces = z
  .string()
  .max(30_000)
  .optional()
  .transform((text = '') => [...new Set(text.split(/[\s,]+/).filter((key) => key !== ''))])
  .refine((keys) => keys.length <= NAMED_MAX, `must be at most ${NAMED_MAX} keys`)
  .refine(
    (keys) => keys.every((key) => KEY.test(key)),
    'must be keys such as HR, as in the address of a space',
  )

export const confluenceForm = z.strictObject({
  site: formField(site, {
    label: 'Site',
    help: 'The address of your Confluence Cloud, such as https://acme.atlassian.net.',
  }),
  email: formField(z.email().max(320), {
    label: 'Email',
    help: 'The address of the Atlassian account whose pages are read.',
  }),
  token: formField(
    z
      .string()
      .trim()
      .max(1_000)
      .regex(/^[\x21-\x7e]+$/, 'must not contain blanks'),
    {
      label: 'API token',
      help: 'Create it in the Atlassian account under Security, API tokens, without scopes.',
      secret: true,
    },
  ),
  spaces: formField(spaces, {
    label: 'Spaces',
    help: 'Keys such as HR, one per line. Without any, all that the account reads, except personal spaces.',
    multiline: true,
  }),
})

/** What the account of a source stores, and each run needs. */
export const ConfluenceChoice = z.object({
  /** The site's origin. */
  site: z.string(),
  accountId: z.string(),
  spaces: z.array(z.string()),
})
