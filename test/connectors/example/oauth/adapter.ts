import { createOAuth } from '../../../../src/providers/oauth.ts'
import type { OAuthAdapter } from '../../../../src/providers/adapter.ts'
import { parseAnswer } from '../../../../src/providers/rest.ts'
import { createNoteReader, Me, type NoteOptions } from '../notes.ts'

export interface ExampleAdapterOptions extends NoteOptions {
  clientId: string
  clientSecret: string
  now: () => Date
}

/** Reads the notes of an account that is connected by OAuth. */
export function createExampleAdapter(options: ExampleAdapterOptions): OAuthAdapter {
  const { apiUrl } = options
  return {
    ...createNoteReader(options),
    ...createOAuth({
      ...options,
      name: 'Example',
      authorizeUrl: `${apiUrl}/authorize`,
      tokenUrl: `${apiUrl}/token`,
      revokeUrl: `${apiUrl}/revoke`,
      scopes: ['notes:read'],
      async identify(get) {
        const { id, name } = parseAnswer(await get(`${apiUrl}/v1/me`), Me, 'Example')
        return { externalAccountId: id, displayName: name }
      },
    }),
  }
}
