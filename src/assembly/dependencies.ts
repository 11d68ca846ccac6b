import type { SiteBuild } from '../console/index.ts'
import type { ServerOptions } from '../http/create-server.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import type { LanguageModel } from '../inference/language-model.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import type { Tracing } from '../tracing/index.ts'
import type { Logger } from 'pino'
import type { Sleep } from './connector-engine.ts'
import type { Foundation } from './foundation.ts'

/** Everything that the service takes from outside. */
export interface AppDependencies extends Foundation {
  logger: Logger
  embeddingModel: EmbeddingModel
  languageModel: LanguageModel | null
  /** How words are tokenized and weighted when sentences are compared with a question. */
  termWeights: TermWeights
  fetch: typeof fetch
  /** Where traces and metrics are sent; absent, nothing is traced. */
  tracing?: Pick<Tracing, 'tracer' | 'exportMetrics'> | undefined
  operatorToken: string | undefined
  /** The console's files; absent, there is no console. */
  consoleBuild?: SiteBuild
  /** The documentation's files, served beside the console. */
  guideBuild?: SiteBuild
  /** The base URL in links, without a trailing slash. Called only once the server listens. */
  publicUrl: () => string
  /** How long clients can take to send a request; for tests. */
  timeouts?: ServerOptions<unknown>['timeouts']
  /** How sync runs wait before they retry; for tests. */
  sleep?: Sleep
}
