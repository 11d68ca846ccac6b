import { createFormConnection, formFault } from '../../../../src/providers/form.ts'
import { type FormAdapter, ProviderError } from '../../../../src/providers/adapter.ts'
import { parseAnswer, type RestAnswer, sendWithToken } from '../../../../src/providers/rest.ts'
import { createNoteReader, Me, type NoteOptions, REST } from '../notes.ts'
import { exampleForm } from './form.ts'

export interface ExampleAdapterOptions extends NoteOptions {
  now: () => Date
}

/** Reads the notes of an account that is connected by a token. */
export function createExampleAdapter(options: ExampleAdapterOptions): FormAdapter {
  const { apiUrl, now } = options

  async function get(path: string, token: string, signal: AbortSignal): Promise<RestAnswer> {
    try {
      return await sendWithToken({ url: `${apiUrl}/v1/${path}` }, token, REST, { signal, now: now() })
    } catch (error) {
      if (error instanceof ProviderError && error.kind === 'auth')
        throw formFault('token', 'Example refuses the token')
      throw error
    }
  }

  return {
    ...createNoteReader(options),
    ...createFormConnection(exampleForm, async ({ token }, signal) => {
      const { id, name } = parseAnswer(await get('me', token, signal), Me, 'Example')
      return { externalAccountId: id, displayName: name, accessToken: token }
    }),
  }
}
