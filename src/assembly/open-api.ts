import { type FixedContent, fixContent } from '../http/fixed-content.ts'
import { openApiDocument } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { VERSION } from '../kernel/version.ts'
import { describeProviders } from '../providers/index.ts'
import { webhookEvents } from './webhook-engine.ts'

/** Stands for the base URL, which is known only once the server listens. */
const PLACEHOLDER_URL = 'http://base-url.invalid'

/** By route table: tests start many services in one process. */
const templates = new WeakMap<object, string>()

/** The OpenAPI document as sent, built before the service listens, because that takes a tenth of a second. */
export function createOpenApi<S>(
  routes: readonly Route<S>[],
  publicUrl: () => string,
): () => Promise<FixedContent> {
  const template = templates.get(routes) ?? buildTemplate(routes)
  templates.set(routes, template)
  let content: Promise<FixedContent> | undefined
  return () => {
    const url = JSON.stringify(publicUrl()).slice(1, -1)
    content ??= fixContent(
      template.replaceAll(PLACEHOLDER_URL, () => url),
      'application/json; charset=utf-8',
    )
    return content
  }
}

function buildTemplate<S>(routes: readonly Route<S>[]): string {
  return JSON.stringify(describeApi(routes, PLACEHOLDER_URL))
}

export function describeApi<S>(routes: readonly Route<S>[], url: string): ReturnType<typeof openApiDocument> {
  const extensions = { 'x-providers': describeProviders() }
  return openApiDocument(routes, { version: VERSION, url, webhooks: webhookEvents, extensions })
}
