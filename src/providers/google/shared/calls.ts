import type { z } from 'zod'
import { VERSION } from '../../../kernel/version.ts'
import type { ProviderSession } from '../../adapter.ts'
import { followPages } from '../../pages.ts'
import { createRest } from '../../rest.ts'
import { GoogleError, googleErrorOf } from './error.ts'

export type Parameters = Readonly<Record<string, string | number | boolean>>

/** One of Google's APIs as an account sees it. Paths are below its base URL. */
export interface GoogleApi {
  /** @throws GoogleError, ProviderError */
  get<Schema extends z.ZodType>(
    path: string,
    parameters: Parameters,
    schema: Schema,
    bytesMax?: number,
  ): Promise<z.output<Schema>>
  /** The content of a file. @throws GoogleError, ProviderError; `too_large` above `bytesMax` */
  bytes(path: string, parameters: Parameters, bytesMax: number): Promise<Buffer>
}

/** The pages of a list; `from` is the position of the next one. */
export const pagesOf = <Page extends { nextPageToken?: string | null | undefined }>(
  read: (from: { pageToken?: string }) => Promise<Page>,
): AsyncGenerator<Page> =>
  followPages(
    (pageToken) => read(pageToken === null ? {} : { pageToken }),
    (page) => page.nextPageToken,
  )

/** The API for the runs of one adapter, which share what they know of accounts that must wait. */
export function createGoogleApis(name: string, base: string): (session: ProviderSession) => GoogleApi {
  const rest = createRest({
    name,
    // Google compresses answers only for such an agent: https://developers.google.com/workspace/drive/api/guides/performance
    headers: { 'user-agent': `RetrievalMemoryService/${VERSION} (gzip)` },
    refused: googleErrorOf,
    curedByNewToken: (error) => error instanceof GoogleError && error.status === 401,
  })
  const urlOf = (path: string, parameters: Parameters): string => {
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(parameters)) query.set(key, String(value))
    return `${base}/${path}?${query.toString()}`
  }
  return (session) => ({
    get: (path, parameters, schema, bytesMax) =>
      rest.json(
        session,
        { url: urlOf(path, parameters), ...(bytesMax !== undefined && { bytesMax }) },
        schema,
      ),
    async bytes(path, parameters, bytesMax) {
      const request = { url: urlOf(path, parameters), headers: { accept: '*/*' }, bytesMax }
      return (await rest.send(session, request)).bytes
    },
  })
}
