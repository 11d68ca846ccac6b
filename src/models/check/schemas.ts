import { z } from 'zod'
import { count, text, textOrNull } from '../../kernel/schemas.ts'

export const ModelSetting = z
  .object({
    model: textOrNull('The model; null: none.', 'openai:gpt-4.1-mini'),
    setBy: z.enum(['environment', 'default']).meta({
      description: "What selected it: the service's environment variables, or nothing (`default`).",
      example: 'environment',
    }),
    variables: z
      .array(
        z.object({
          name: text("The variable's name.", 'LLM_PROVIDER'),
          value: textOrNull(
            "The variable's value; null for addresses and secrets, which are never shown.",
            'openai',
          ),
        }),
      )
      .describe("The model's environment variables that are set."),
  })
  .meta({ id: 'ModelSetting', description: 'A model of this deployment and where it is set.' })
export type ModelSetting = z.output<typeof ModelSetting>

export const ModelTest = z
  .object({
    ok: z.boolean().meta({ description: 'Whether the model answered.', example: true }),
    milliseconds: count('How long the call took.', 412),
    problem: textOrNull('What failed and what to do; null: nothing failed.'),
    detail: textOrNull("Status and error code of the server's response, if there was one."),
  })
  .meta({ id: 'ModelTest', description: 'The result of one call to a model.' })
export type ModelTest = z.output<typeof ModelTest>
