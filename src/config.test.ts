import { describe, expect, it } from 'vitest'
import { readSettings } from './config.ts'

describe('the settings', () => {
  it('are all optional', () => {
    expect(readSettings({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 8787,
      DATA_DIR: './data',
      EMBEDDING_PROVIDER: 'builtin',
      API_RATE_LIMIT_PER_MIN: 60,
    })
  })

  it('treat an empty variable as unset', () => {
    expect(readSettings({ PORT: '', DATABASE_URL: '' })).toMatchObject({ PORT: 8787 })
  })

  it('are refused with every fault at once, each by its name', () => {
    const settings = {
      PORT: '99999',
      DATABASE_URL: 'mysql://x',
      BOOTSTRAP_ADMIN_KEY: 'short',
      LOG_LEVEL: 'loud',
      ANSWER_TIMEOUT_MS: '-1',
    }
    expect(() => readSettings(settings)).toThrow(
      /PORT[^]*DATABASE_URL[^]*BOOTSTRAP_ADMIN_KEY[^]*ANSWER_TIMEOUT_MS[^]*LOG_LEVEL/,
    )
  })

  it('are refused with what they miss, even if another is malformed', () => {
    const settings = {
      PORT: 'abc',
      DATABASE_URL: 'mysql://x',
      SLACK_CLIENT_ID: 'x',
      SMTP_URL: 'x',
      OIDC_ISSUER: 'x',
    }
    expect(() => readSettings(settings)).toThrow(
      /PORT must[^]*DATABASE_URL must[^]*OIDC_ISSUER must[^]*SMTP_URL must[^]*OIDC_AUDIENCE is required[^]*SLACK_CLIENT_SECRET is required[^]*MAIL_FROM is required/,
    )
    const connected = { DATABASE_URL: 'mysql://x', SLACK_CLIENT_ID: 'x', SLACK_CLIENT_SECRET: 'y' }
    expect(() => readSettings(connected)).toThrow(/DATABASE_URL must[^]*ENCRYPTION_KEY is required/)
  })

  it.each([
    'https://ada:x@memory.example',
    'https://memory.example/?a=b',
    'https://memory.example#a',
    'memory',
  ])('are refused with a PUBLIC_URL that no path can follow: %s', (url) => {
    expect(() => readSettings({ PUBLIC_URL: url })).toThrow(/PUBLIC_URL must be a/)
    expect(readSettings({ PUBLIC_URL: 'https://example.com/memory/' }).PUBLIC_URL).toBe(
      'https://example.com/memory',
    )
  })

  it('are refused when two of them contradict each other', () => {
    expect(() => readSettings({ OIDC_ISSUER: 'https://id.example', LLM_PROVIDER: 'openai' })).toThrow(
      /LLM_API_KEY[^]*OIDC_AUDIENCE/,
    )
  })

  it.each([
    [{ EMBEDDING_PROVIDER: 'openai' }, /EMBEDDING_API_KEY is required with EMBEDDING_PROVIDER=openai/],
    [{ LLM_PROVIDER: 'anthropic' }, /LLM_API_KEY is required with LLM_PROVIDER=anthropic/],
  ])('of a model are refused without its key or server: %j', (environment, named) => {
    expect(() => readSettings(environment)).toThrow(named)
  })

  it('of the payment processor are required together, and each missing one is named', () => {
    const [key, secret] = [{ STRIPE_SECRET_KEY: 'sk_1' }, { STRIPE_WEBHOOK_SECRET: 'whsec_1' }]
    expect(() => readSettings(key)).toThrow(/STRIPE_WEBHOOK_SECRET is required with STRIPE_SECRET_KEY/)
    expect(() => readSettings(secret)).toThrow(/STRIPE_SECRET_KEY is required with STRIPE_WEBHOOK_SECRET/)
    expect(() => readSettings({ STRIPE_API_URL: 'http://127.0.0.1:1' })).toThrow(
      /STRIPE_SECRET_KEY is required[^]*STRIPE_WEBHOOK_SECRET is required/,
    )
    expect(() => readSettings({ ...key, ...secret, STRIPE_API_URL: 'http://127.0.0.1:1/v1' })).toThrow(
      /STRIPE_API_URL/,
    )
    expect(readSettings({ ...key, ...secret, STRIPE_API_URL: 'http://127.0.0.1:1/' })).toMatchObject(key)
  })

  it('of the mail server are required together', () => {
    const [url, from] = [{ SMTP_URL: 'smtp://127.0.0.1:25' }, { MAIL_FROM: 'Memory <memory@example.com>' }]
    expect(() => readSettings(url)).toThrow(/MAIL_FROM is required with SMTP_URL/)
    expect(() => readSettings(from)).toThrow(/SMTP_URL is required with MAIL_FROM/)
    expect(readSettings({ ...url, ...from })).toMatchObject({ ...url, ...from })
  })

  it.each([
    'mail.example.com:25',
    'http://mail.example.com',
    'smtp://hunter2@mail.example.com',
    'smtp://u:%zz@mail.example.com',
    'smtp://u:hunter2@mail.example.com/?tls=no',
  ])('refuse the mail server %s without showing it', (url) => {
    const read = () => readSettings({ SMTP_URL: url, MAIL_FROM: 'memory@example.com' })
    expect(read).toThrow(/^(?![^]*hunter2)[^]*SMTP_URL must be/)
  })

  it.each(['nobody', 'a@b.example, c@d.example', 'A, B <a@b.example>', 'a@b.example\r\nBcc: c@d.example'])(
    'refuse the sender %j',
    (from) => {
      const read = () => readSettings({ SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: from })
      expect(read).toThrow(/MAIL_FROM must be/)
    },
  )

  it('parse export headers by name, percent-decoded, and refuse one without a name without showing it', () => {
    const read = (list: string) =>
      readSettings({ OTEL_EXPORTER_OTLP_HEADERS: list }).OTEL_EXPORTER_OTLP_HEADERS
    expect(read('authorization=Basic%20YWI=, x-team=a%')).toEqual({
      authorization: 'Basic YWI=',
      'x-team': 'a%',
    })
    expect(() => read('hunter2')).toThrow(/^(?![^]*hunter2)[^]*OTEL_EXPORTER_OTLP_HEADERS/)
  })

  it('never show the value of an invalid secret', () => {
    expect(() => readSettings({ BOOTSTRAP_ADMIN_KEY: 'svc_hunter2', OPERATOR_TOKEN: 'hunter2' })).toThrow(
      /^(?![^]*hunter2)/,
    )
  })
})
