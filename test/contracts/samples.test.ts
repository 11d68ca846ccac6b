import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { generatedOpenApi } from '../../scripts/generate.ts'
import { readSettings } from '../../src/config.ts'
import { type CodeBlock, codeBlocks, docPages, readPage } from '../support/doc-pages.ts'

/** Why a block cannot be run here. */
const REASONS = new Set([
  'needs Docker',
  'needs Kubernetes',
  'needs PostgreSQL',
  'needs Citus',
  'needs Ollama',
  'needs llama.cpp',
  'needs Claude Code',
  'needs an account',
  'needs an OpenTelemetry receiver',
  'needs the new connector',
  'needs the package registry',
  'downloads a model',
])
/** Settings in front of `npm start`. */
const START = /^((?:[A-Z_]+=\S+ )+)npm start$/gm
/** A setting whose value the reader has to know, as the pages show it. */
const UNKNOWN: Record<string, string> = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
}

interface Sample {
  file: string
  block: CodeBlock
}

let samples: Sample[]
beforeAll(async () => {
  const pages = await docPages()
  samples = pages.flatMap(({ file, text }) => codeBlocks(text).map((block) => ({ file, block })))
})

const beginning = ({ file, block }: Sample): string => `${file}: ${block.code.slice(0, 60)}`

describe('a block of the documentation', () => {
  it('is run or compared by a test, valid by a schema, or says why it cannot be run', () => {
    const unmarked = samples.filter(
      ({ block: { test, schema, notRun } }) => (test ?? schema ?? notRun) === undefined,
    )
    expect(unmarked.map(beginning)).toEqual([])
    const others = samples.filter(({ block: { notRun } }) => notRun !== undefined && !REASONS.has(notRun))
    expect(others.map(beginning)).toEqual([])
  })

  it('is named by a test if it is marked as tested', async () => {
    const folders = ['test/contracts', 'test/journeys', 'client/test', 'scripts']
    const names = await Promise.all(
      folders.map(async (folder) =>
        (await readdir(new URL(`../../${folder}/`, import.meta.url)))
          .filter((name) => name.endsWith('.test.ts'))
          .map((name) => `${folder}/${name}`),
      ),
    )
    const sources = (await Promise.all(names.flat().map(readPage))).join('')
    const missing = samples.filter(
      ({ block: { test } }) => test !== undefined && !sources.includes(`'${test}'`),
    )
    expect(missing.map(beginning)).toEqual([])
  })

  it('has a name that no other block has, unless it is the same', () => {
    const tested = samples.filter(({ block }) => block.test !== undefined)
    const named = Map.groupBy(tested, ({ block }) => block.test)
    const different = [...named.values()].filter(
      (same) => new Set(same.map(({ block }) => block.code)).size > 1,
    )
    expect(different.flat().map(beginning)).toEqual([])
  })

  it('is valid by its schema', () => {
    const schemas = documentedSchemas()
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, verbose: true })
    const invalid = samples.flatMap((sample) => {
      const { schema: name, code } = sample.block
      if (name === undefined) return []
      const schema = schemas.get(name)
      if (schema === undefined) return [`${beginning(sample)} no schema is named ${name}`]
      const validate = ajv.compile(schema)
      validate(JSON.parse(code))
      // A page shortens IDs and secrets.
      const faults = (validate.errors ?? []).filter(
        ({ keyword, data }) => keyword !== 'pattern' || !String(data).includes('…'),
      )
      return faults.map((fault) => `${beginning(sample)} ${ajv.errorsText([fault])}`)
    })
    expect(invalid).toEqual([])
  })

  it('starts the service with settings that it accepts', () => {
    const refused = samples.flatMap((sample) =>
      [...sample.block.code.matchAll(START)].flatMap(([, given = '']) => {
        const pairs = given
          .trim()
          .split(' ')
          .map((pair) => pair.split('='))
        const settings = Object.fromEntries(
          pairs.map(([name = '', value = '']) => [
            name,
            value.includes('…') ? (UNKNOWN[name] ?? 'x') : value,
          ]),
        )
        // `PROVIDERS` names the connector that its page writes first.
        if ('PROVIDERS' in settings) return []
        try {
          readSettings(settings)
          return []
        } catch (error) {
          return [`${beginning(sample)} ${String(error)}`]
        }
      }),
    )
    expect(refused).toEqual([])
  })

  it('can be parsed by bash', () => {
    const broken = samples
      .filter(({ block }) => block.language === 'sh')
      .filter(({ block }) => spawnSync('bash', ['-n'], { input: block.code }).status !== 0)
    expect(broken.map(beginning)).toEqual([])
  })
})

/** The schemas of the OpenAPI document: its own names, answers by the operation's ID, events by their type. */
function documentedSchemas(): Map<string, object> {
  const Body = z.object({
    content: z.object({ 'application/json': z.object({ schema: z.looseObject({}) }) }),
  })
  const Operation = z.object({ operationId: z.string(), responses: z.record(z.string(), z.unknown()) })
  const { components, paths, webhooks } = z
    .object({
      components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }),
      paths: z.record(z.string(), z.record(z.string(), z.unknown())),
      webhooks: z.record(z.string(), z.object({ post: z.object({ requestBody: Body }) })),
    })
    .parse(JSON.parse(generatedOpenApi()))
  const answers = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap((operation) => {
      const { data } = Operation.safeParse(operation)
      const [, success] =
        Object.entries(data?.responses ?? {}).find(([status]) => status.startsWith('2')) ?? []
      const { data: body } = Body.safeParse(success)
      return data === undefined || body === undefined
        ? []
        : [[data.operationId, body.content['application/json'].schema] as const]
    })
  const events = Object.entries(webhooks).map(
    ([type, { post }]) => [type, post.requestBody.content['application/json'].schema] as const,
  )
  const named = [...Object.entries(components.schemas), ...answers, ...events]
  return new Map(named.map(([name, schema]) => [name, { ...schema, components }]))
}
