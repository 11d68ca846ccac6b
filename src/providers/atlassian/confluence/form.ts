import { z } from 'zod'
import { formField } from '../../form.ts'
import { keyList, loginFields } from '../shared/form.ts'

const spaces = keyList(/^~?[\w.-]{1,255}$/, 'must contain only keys such as HR, as in the address of a space')

export const confluenceForm = z.strictObject({
  ...loginFields('Confluence', 'pages'),
  spaces: formField(spaces, {
    label: 'Spaces',
    help: 'Keys such as HR, one per line. By default, all that the account can read, except personal spaces.',
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
