import { describe, expect, it } from 'vitest'
import { hashEmbeddingModel } from '../../../test/support/hash-embedding-model.ts'
import { providerError } from '../../inference/provider-failure.ts'
import type { LanguageModel } from '../../inference/language-model.ts'
import { createModelCheck, type ModelCheckOptions } from './model-check.ts'
import type { ModelSetting } from './schemas.ts'

const UNSET: ModelSetting = { model: null, setBy: 'default', variables: [] }

function check(languageModel: LanguageModel | null, deadline?: ModelCheckOptions['deadline']) {
  return createModelCheck({
    settings: { language: UNSET, embedding: UNSET },
    languageModel,
    embeddingModel: hashEmbeddingModel(),
    ...(deadline && { deadline }),
  })
}

const failing = (error: unknown): LanguageModel => ({
  id: 'fails',
  // oxlint-disable-next-line require-yield -- it fails before it says anything
  async *stream() {
    throw error
  },
})

describe('the test of a model', () => {
  const signal = new AbortController().signal

  it('succeeds for an embedding model whose vectors can be searched', async () => {
    expect(await check(null).test('embedding', signal)).toEqual({
      ok: true,
      milliseconds: expect.any(Number),
      problem: null,
      detail: null,
    })
  })

  it('ends at the deadline even if the model ignores its signal, and says how long it waited', async () => {
    const silent: LanguageModel = {
      id: 'silent',
      // oxlint-disable-next-line require-yield -- it never says anything
      async *stream() {
        await new Promise(() => {})
      },
    }
    const deadline = new AbortController()
    const tested = check(silent, () => deadline.signal).test('language', signal)
    deadline.abort()
    const { ok, problem } = await tested
    expect({ ok, problem }).toEqual({
      ok: false,
      problem:
        'The language model did not answer within 15 seconds. Check that its server runs and has capacity.',
    })
  })

  it.each([
    ['auth', 'LLM_API_KEY'],
    ['rate_limited', 'in a minute'],
    ['unavailable', 'LLM_BASE_URL'],
    ['rejected', 'LLM_MODEL'],
  ] as const)('names what to do when the server answers %s', async (kind, expected) => {
    const error = providerError('The language model', {
      kind,
      status: 400,
      detail: { code: 'c', requestId: null },
    })
    const { ok, problem, detail } = await check(failing(error)).test('language', signal)
    expect(ok).toBe(false)
    expect(problem).toContain(expected)
    expect(detail).toBe('HTTP 400: code c')
  })

  it('throws other errors than failures of the model, and refuses a model that is not set', async () => {
    await expect(check(failing(new TypeError('a bug'))).test('language', signal)).rejects.toThrow('a bug')
    await expect(check(null).test('language', signal)).rejects.toMatchObject({ code: 'not_configured' })
  })
})
