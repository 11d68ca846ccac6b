import { parentPort } from 'node:worker_threads'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'

// The package holds its 4 MB script as a string in a module; loading it would block the event loop.
const server = Fastify()
await server.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const { statusCode, rawPayload } = await server.inject('/docs/js/scalar.js')
if (statusCode !== 200) throw new Error(`the reference's script answered ${statusCode}`)
parentPort?.postMessage(new Uint8Array(rawPayload), [])
