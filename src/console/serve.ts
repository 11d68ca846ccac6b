import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { SiteBuild } from './build.ts'
import { VERSION } from '../kernel/version.ts'
import type { ProviderDescription } from '../providers/index.ts'
import type { ConsoleSignIn } from './page-config.ts'
import { addSignInRoutes, type BackendSignIn } from './sign-in-routes.ts'
import { CONSOLE, KEPT_A_YEAR, sendWaitingPage, STATIC_OPTIONS } from './waiting-page.ts'

export const CONSOLE_PATH = '/console'
/** Vite adds a hash of their content to these names. */
const HASHED = /^assets\/[\w.-]+$/
/** Files beside the page that keep their names. */
const NAMED = /^[\w-]+\.(js|svg|png|ico)$/

/** Serves the console below `/console/`. */
export async function addConsole(
  server: FastifyInstance,
  options: {
    build: SiteBuild
    signIn: () => ConsoleSignIn
    /** Whether a language model is configured, which thorough answers need. */
    hasLanguageModel: boolean
    /** What the page shows about each provider. */
    providers: readonly ProviderDescription[]
    /** Set when the service exchanges the code of a sign-in, because the client has a secret. */
    backendSignIn: BackendSignIn | null
  },
): Promise<void> {
  const { build, signIn } = options
  await server.register(fastifyStatic, { root: build.folder, ...STATIC_OPTIONS })
  const sendApp = async (reply: FastifyReply): Promise<unknown> => {
    const state = build.state()
    if (state.is === 'ready') {
      reply.headers({
        'Content-Security-Policy': consolePolicy(signIn()),
        'Cache-Control': 'no-cache',
      })
      return reply.sendFile('index.html')
    }
    return sendWaitingPage(reply, server, CONSOLE, state)
  }
  server.get(CONSOLE_PATH, async (request, reply) => {
    const [path = '', query] = request.url.split('?', 2)
    if (path.endsWith('/')) return await sendApp(reply)
    return reply.redirect(`${CONSOLE_PATH}/${query === undefined ? '' : `?${query}`}`, 302)
  })
  server.get(`${CONSOLE_PATH}/config.json`, async (_request, reply) =>
    reply.header('Cache-Control', 'no-store').send({
      publicUrl: server.publicUrl(),
      version: VERSION,
      signIn: signIn(),
      hasLanguageModel: options.hasLanguageModel,
      providers: options.providers,
    }),
  )
  if (options.backendSignIn) addSignInRoutes(server, options.backendSignIn)
  server.get<{ Params: { '*': string } }>(`${CONSOLE_PATH}/*`, async (request, reply) => {
    const file = request.params['*']
    if (!HASHED.test(file) && !NAMED.test(file)) return await sendApp(reply)
    if (build.state().is !== 'ready') return reply.callNotFound()
    if (HASHED.test(file)) return reply.sendFile(file, KEPT_A_YEAR)
    return reply.header('Cache-Control', 'no-cache').sendFile(file)
  })
}

/** The other origin that the page contacts; none when this service contacts the issuer for it. */
function issuerOrigin(signIn: ConsoleSignIn): string | null {
  if (signIn.by === 'nobody' || signIn.metadataUrl !== null) return null
  return new URL(signIn.issuer).origin
}

/** The console's content security policy. The interface library sets variables as inline styles. */
function consolePolicy(signIn: ConsoleSignIn): string {
  const issuer = issuerOrigin(signIn)
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self'",
    "font-src 'self'",
    issuer === null ? "connect-src 'self'" : `connect-src 'self' ${issuer}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
