import type { FastifyInstance } from 'fastify'
import { billingPage } from '../billing/index.ts'
import { connectedPage } from '../connections/index.ts'
import {
  addConsole,
  addGuide,
  type BackendSignIn,
  type ConsoleSignIn,
  type SiteBuild,
} from '../console/index.ts'
import { describeProviders } from '../providers/index.ts'
import { sendPage } from '../http/page.ts'

/** Where OAuth callbacks and the payment processor's pages redirect to. */
const OUTCOMES = { '/console/sources': connectedPage, '/console/billing': billingPage }

/** Serves the console and the guide. Without a console, plain pages stand where others redirect people to. */
export async function addConsolePages(
  server: FastifyInstance,
  {
    build,
    guide,
    signIn,
    backendSignIn,
    hasLanguageModel,
  }: {
    build: SiteBuild | undefined
    guide: SiteBuild | undefined
    signIn: () => ConsoleSignIn
    backendSignIn: BackendSignIn | null
    hasLanguageModel: boolean
  },
): Promise<void> {
  if (build) {
    const providers = describeProviders()
    await addConsole(server, {
      build,
      signIn,
      backendSignIn,
      hasLanguageModel,
      providers,
      outcomes: OUTCOMES,
    })
    if (guide) await addGuide(server, guide)
    return
  }
  for (const [path, outcome] of Object.entries(OUTCOMES))
    server.get<{ Querystring: Record<string, unknown> }>(path, async (request, reply) =>
      sendPage(reply, 200, outcome(request.query)),
    )
}
