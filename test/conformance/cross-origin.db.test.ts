import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { pathOf } from '../support/route-calls.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

describe('a web page of another origin', () => {
  it.each([...Map.groupBy(routes, ({ path }) => path)])(
    "cannot call %s, and its browser's preflight is refused [SURF-8]",
    async (_path, known) => {
      for (const origin of ['https://evil.example', 'null', service.url]) {
        for (const route of known) {
          const preflight = await service.call('OPTIONS', pathOf(route), {
            headers: {
              Origin: origin,
              'Access-Control-Request-Method': route.method,
              'Access-Control-Request-Headers': 'authorization, content-type',
            },
          })
          expect(preflight).toMatchObject({
            status: 405,
            body: {
              code: 'method_not_allowed',
              error: expect.stringContaining('Web pages from other origins cannot call'),
            },
          })
          const asked = await service.call(route.method, pathOf(route), { headers: { Origin: origin } })
          for (const { headers } of [preflight, asked]) {
            const cors = [...headers.keys()].filter((name) => name.startsWith('access-control-'))
            expect(cors).toEqual([])
            expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
          }
        }
      }
    },
  )
})
