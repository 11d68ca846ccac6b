import { describe, expect, it } from 'vitest'
import { readSettings } from '../config.ts'
import { isOperatedLocally, signInObstacle } from './console-identity.ts'

const PUBLIC = { PUBLIC_URL: 'https://memory.example.com' }
const ISSUER = { OIDC_ISSUER: 'https://id.example.com', OIDC_AUDIENCE: 'memory' }

describe('the obstacle to signing in at the console', () => {
  it.each([
    ['on loopback without an issuer', {}, null],
    ['with an issuer and a client', { ...PUBLIC, ...ISSUER, OIDC_CLIENT_ID: 'console' }, null],
    ['with an issuer and no client', { ...PUBLIC, ...ISSUER }, /^set OIDC_CLIENT_ID/],
    ['reached by others without an issuer', PUBLIC, /^set OIDC_ISSUER and OIDC_AUDIENCE/],
  ])('%s names the setting to set, if any', (_where, environment, expected) => {
    const obstacle = signInObstacle(readSettings(environment))
    if (expected === null) expect(obstacle).toBeNull()
    else expect(obstacle).toMatch(expected)
  })
})

describe('a deployment whose owner is its operator', () => {
  it.each([
    ['on loopback, embedded and without an issuer', {}, true],
    ['with a token for its operator', { OPERATOR_TOKEN: 'a'.repeat(32) }, false],
    ['with PostgreSQL', { DATABASE_URL: 'postgres://127.0.0.1/memory' }, false],
    ['with an issuer', ISSUER, false],
    ['reached by others', PUBLIC, false],
  ])('%s', (_where, environment, expected) => {
    expect(isOperatedLocally(readSettings(environment))).toBe(expected)
  })
})
