import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import type { TokenExchange } from './token-exchange.ts'

export interface IssuerEndpoints {
  issuer: string
  authorization_endpoint: string
  end_session_endpoint?: string | undefined
  scopes_supported?: string[] | undefined
}

export interface BackendSignIn {
  endpoints: () => Promise<IssuerEndpoints>
  exchange: TokenExchange
}

const FORM_BYTES_MAX = 32 * 1024
export const METADATA_PATH = '/console/openid-configuration'
const TOKEN_PATH = '/console/token'
const CALLBACK_PATH = '/console/callback'

/** The issuer's discovery document with this service's token endpoint, for a confidential client. */
export function addSignInRoutes(server: FastifyInstance, { endpoints, exchange }: BackendSignIn): void {
  server.get(METADATA_PATH, async (_request, reply) =>
    reply
      .header('Cache-Control', 'no-store')
      .send({ ...(await endpoints()), token_endpoint: server.publicUrl() + TOKEN_PATH }),
  )
  server.post(TOKEN_PATH, { bodyLimit: FORM_BYTES_MAX }, async (request, reply) => {
    reply.header('Cache-Control', 'no-store')
    refuseOtherOrigins(request.headers.origin, server.publicUrl())
    const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : '')
    const { status, body } = await exchange.redeem(form, server.publicUrl() + CALLBACK_PATH)
    return await reply.code(status).send(body)
  })
}

/** Browsers send the origin with every POST; no other page may use this client. */
function refuseOtherOrigins(origin: string | undefined, publicUrl: string): void {
  if (origin === new URL(publicUrl).origin) return
  throw new AppError('origin_not_allowed', 'Only this console can exchange codes for tokens')
}
