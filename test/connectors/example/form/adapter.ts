import { createFormConnection, formFault } from '../../../../src/providers/form.ts'
import { type FormAdapter, ProviderError } from '../../../../src/providers/adapter.ts'
import { parseAnswer, type RestAnswer, sendRequest, withToken } from '../../../../src/providers/rest.ts'
import { createNoteReader, Me, type NoteOptions, REST } from '../notes.ts'
import { exampleForm } from './form.ts'

/** A user waits. */
const LIMITS = { timeoutMs: 10_000, bytesMax: 1024 * 1024 }

export interface ExampleAdapterOptions extends NoteOptions {
  now: () => Date
}

/** Reads the notes of an account that is connected by a token. */
export function createExampleAdapter(options: ExampleAdapterOptions): FormAdapter {
  const { apiUrl, now } = options

  async function get(path: string, token: string, signal: AbortSignal): Promise<RestAnswer> {
    try {
      const request = withToken({ url: `${apiUrl}/v1/${path}` }, token, REST)
      return await sendRequest(request, REST, { ...LIMITS, signal, now: now() })
    } catch (error) {
      if (error instanceof ProviderError && error.kind === 'auth')
        throw formFault([{ path: 'token', message: 'Example refuses the token' }])
      throw error
    }
  }

  return {
    ...createNoteReader(options),
    ...createFormConnection(exampleForm, async ({ token }, signal) => {
      const { id, name } = parseAnswer(await get('me', token, signal), Me, 'Example')
      const credentials = { accessToken: token, refreshToken: null, expiresAt: null, scopes: [] }
      return { externalAccountId: id, displayName: name, credentials }
    }),
  }
}
