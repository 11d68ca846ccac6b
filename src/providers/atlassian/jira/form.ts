import { z } from 'zod'
import { formField } from '../../form.ts'
import { keyList, loginFields } from '../shared/form.ts'

const projects = keyList(
  /^[A-Za-z]\w{0,254}$/,
  'must contain only keys such as HR, as in the key HR-12 of an issue',
)

export const jiraForm = z.strictObject({
  ...loginFields('Jira', 'issues'),
  projects: formField(projects, {
    label: 'Projects',
    help: 'Keys such as HR, one per line. By default, all that the account can read.',
    multiline: true,
  }),
})

/** What the account of a source stores, and each run needs. */
export const JiraChoice = z.object({
  /** The site's origin. */
  site: z.string(),
  accountId: z.string(),
  projects: z.array(z.string()),
})
