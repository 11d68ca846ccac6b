import { z } from 'zod'
import { formField } from '../../../../src/providers/form.ts'

export const exampleForm = z.strictObject({
  token: formField(z.string().trim().min(1).max(500), {
    label: 'Access token',
    help: 'Create it in Example under Settings, with the right to read notes.',
    secret: true,
  }),
})
