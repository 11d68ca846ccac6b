import { z } from 'zod'
import { formField } from '../form.ts'

const NAMED_MAX = 100
/** `owner/name` or `owner/*`. A part of only dots would escape the request's path. */
const NAME = /^[A-Za-z0-9_-]{1,100}\/(?:\*|(?!\.{1,2}$)[\w.-]{1,100})$/

const repositories = z
  .string()
  .max(20_000)
  .optional()
  .transform((text = '') => [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))])
  .refine((names) => names.length <= NAMED_MAX, `must have at most ${NAMED_MAX} names`)
  .refine(
    (names) => names.every((name) => NAME.test(name)),
    'must contain only names such as acme/handbook, or acme/* for all of an owner',
  )

export const githubForm = z.strictObject({
  token: formField(
    z
      .string()
      .trim()
      .max(500)
      .regex(/^[\x21-\x7e]+$/, 'must not contain spaces'),
    {
      label: 'Access token',
      help: 'A personal access token with read access to contents, discussions, issues, pull requests and metadata of the repositories.',
      secret: true,
    },
  ),
  repositories: formField(repositories, {
    label: 'Repositories',
    help: 'Names such as acme/handbook, or acme/* for all of an owner, one per line. Without any, all that the token reads.',
    multiline: true,
  }),
})

/** What the account of a source stores, and each run needs. */
export const GitHubChoice = z.object({ repositories: z.array(z.string()) })
