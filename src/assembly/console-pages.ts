import type { FastifyInstance } from 'fastify'
import { addConsole, addGuide, type SiteBuild } from '../console/index.ts'
import { describeProviders } from '../providers/index.ts'
import type { ConsoleIdentity } from './console-identity.ts'

export async function addConsolePages(
  server: FastifyInstance,
  options: {
    build: SiteBuild | undefined
    guide: SiteBuild | undefined
    hasLanguageModel: boolean
  } & Pick<ConsoleIdentity, 'signIn' | 'backendSignIn'>,
): Promise<void> {
  const { build, guide, ...given } = options
  if (build) await addConsole(server, { ...given, build, providers: describeProviders() })
  if (build && guide) await addGuide(server, guide)
}
