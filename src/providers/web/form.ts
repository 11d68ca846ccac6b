import { z } from 'zod'
import { formField } from '../form.ts'

const START_MAX = 20
export const PAGES_MAX = 2_000
const PAGES_DEFAULT = 500

const startPages = z
  .string()
  .max(20_000)
  .transform((text) => text.split(/\s+/).filter((line) => line !== ''))
  .pipe(z.array(z.string()).min(1).max(START_MAX, `must have at most ${START_MAX} addresses`))
  .transform((lines, context) => {
    const urls = lines.flatMap((line) => URL.parse(line) ?? [])
    const isWeb = urls.every(
      ({ protocol, username, password }) => /^https?:$/.test(protocol) && username === '' && password === '',
    )
    if (urls.length < lines.length || !isWeb)
      context.addIssue({
        code: 'custom',
        message: 'must contain only addresses that begin with http:// or https://',
      })
    else if (new Set(urls.map(({ host }) => host)).size > 1)
      context.addIssue({
        code: 'custom',
        message: 'must contain addresses on one host only; connect each host separately',
      })
    return urls
  })

export const webForm = z.strictObject({
  start: formField(startPages, {
    label: 'Start pages',
    help: 'Addresses of one site, one per line. The connector follows their links and the sitemap of the site.',
    multiline: true,
  }),
  under: formField(
    z
      .string()
      .trim()
      .max(500)
      .regex(/^\/[^\s?#]*$/, 'must be a path, such as /docs/')
      // As in the addresses of pages, with other letters encoded.
      .transform((path) => new URL(`https://site.invalid${path}`).pathname)
      .optional(),
    { label: 'Only below', help: 'A path, such as /docs/. Without it, the whole site is read.' },
  ),
  pages: formField(
    z
      .string()
      .trim()
      .regex(/^[1-9]\d{0,3}$/, `must be a number from 1 to ${PAGES_MAX}`)
      .transform(Number)
      .refine((pages) => pages <= PAGES_MAX, `must be a number from 1 to ${PAGES_MAX}`)
      .optional()
      .transform((pages) => pages ?? PAGES_DEFAULT),
    {
      label: 'Pages',
      help: `Maximum number of pages to read, up to ${PAGES_MAX}; ${PAGES_DEFAULT} by default.`,
    },
  ),
})

/** What the account of a source stores, and each run needs. */
export const WebSite = z.object({
  /** Of every page, with its port. */
  origin: z.string(),
  start: z.array(z.string()),
  under: z.string(),
  pagesMax: z.number(),
})
export type WebSite = z.output<typeof WebSite>
