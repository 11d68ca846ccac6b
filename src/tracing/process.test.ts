import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDataDir } from '../../test/support/data-dir.ts'
import { startOtlpReceiver } from '../../test/support/otlp-receiver.ts'
import { launchService, PROCESS_ADMIN_KEY, untilReady } from '../../test/support/service-process.ts'

/** Makes a process print the OpenTelemetry modules that it loads. */
const TELLING = `import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    const name = /@opentelemetry\\/[\\w-]+/.exec(url)?.[0]
    if (name) process.stderr.write('LOADED ' + name + '\\n')
    return next(url, context)
  },
})`

let dataDir: string
beforeAll(async () => void (dataDir = await makeDataDir('memory-tracing-')))
afterAll(() => rm(dataDir, { recursive: true, force: true }))

async function serveOnce(environment: Record<string, string>) {
  const service = await launchService({
    DATA_DIR: dataDir,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(TELLING)}`,
    ...environment,
  })
  await untilReady(service)
  const { status } = await fetch(`${service.url}/v1/search`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${PROCESS_ADMIN_KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: 'anything' }),
  })
  service.child.kill('SIGTERM')
  const exitCode = await service.ended()
  const loaded = new Set([...service.output().matchAll(/LOADED (\S+)/g)].map(([, name]) => name))
  return { status, exitCode, loaded, output: service.output() }
}

describe('the process', () => {
  it('loads no OpenTelemetry module without its setting, except what the metrics library needs', async () => {
    const { status, exitCode, loaded } = await serveOnce({})
    expect({ status, exitCode, loaded: [...loaded] }).toEqual({
      status: 200,
      exitCode: 0,
      loaded: ['@opentelemetry/api'],
    })
  })

  it('has sent its traces and metrics when SIGTERM ends it', async () => {
    const receiver = await startOtlpReceiver()
    try {
      const { status, exitCode, loaded } = await serveOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })
      expect({ status, exitCode }).toEqual({ status: 200, exitCode: 0 })
      expect(loaded).toContain('@opentelemetry/sdk-trace')
      expect(receiver.spans().map(({ name }) => name)).toContain('POST /v1/search')
      expect([...receiver.metrics().keys()]).toContain('http.server.request.duration')
    } finally {
      await receiver.close()
    }
  })

  it('sends protobuf with the configured attributes, and a unique instance ID per process', async () => {
    const receiver = await startOtlpReceiver()
    try {
      const settings = {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=memory-eu,deployment.environment.name=a%20test',
      }
      const outcomes = [await serveOnce(settings), await serveOnce(settings)]
      expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 0])
      const spans = receiver.received.filter(({ body }) => body.includes('POST /v1/search'))
      expect(spans).toHaveLength(2)
      for (const { headers, bytes, body } of spans) {
        expect(headers['content-type']).toBe('application/x-protobuf')
        // ExportTraceServiceRequest: field 1, ResourceSpans, with a varint length.
        expect(bytes[0]).toBe(0x0a)
        expect(body).toMatch(/service\.name[^]{1,8}memory-eu/)
        expect(body).toMatch(/deployment\.environment\.name[^]{1,8}a test/)
      }
      const instances = spans.map(
        ({ body }) => /service\.instance\.id[^]{1,8}?([\da-f-]{36})/.exec(body)?.[1],
      )
      expect(instances).toEqual([expect.any(String), expect.any(String)])
      expect(instances[0]).not.toBe(instances[1])
    } finally {
      await receiver.close()
    }
  })

  it('answers and stops as usual while the receiver fails, and logs the failure once', async () => {
    const receiver = await startOtlpReceiver(() => 500)
    try {
      const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }
      const { status, exitCode, output } = await serveOnce(settings)
      expect({ status, exitCode }).toEqual({ status: 200, exitCode: 0 })
      expect(output.match(/traces or metrics could not be sent|could not be sent in time/g)).toHaveLength(1)
    } finally {
      await receiver.close()
    }
  })
})
