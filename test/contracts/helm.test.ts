// Manifests are read into and compared, whatever shape they have.
// oxlint-disable typescript/no-explicit-any
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { renderChart } from '../../deploy/check/helm-template.ts'
import { validateManifest } from '../../deploy/check/manifests.ts'
import { settingsSchema } from '../../src/config.ts'

const run = promisify(execFile)
const ROOT = new URL('../../', import.meta.url)
const CHART = new URL('deploy/helm/memory/', ROOT)
const read = (name: string): Promise<string> => readFile(new URL(name, CHART), 'utf8')

async function rendered(overrides: Record<string, unknown> = {}): Promise<any[]> {
  const names = await readdir(new URL('templates/', CHART))
  const templates = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await read(`templates/${name}`)])),
  )
  const { appVersion, name } = parse(await read('Chart.yaml'))
  const output = renderChart(templates, {
    Values: { ...parse(await read('values.yaml')), ...overrides },
    Release: { Name: 'acme', Service: 'Helm' },
    Chart: { AppVersion: appVersion, Name: name },
  })
  return [...output.values()]
    .flatMap((text) => parseAllDocuments(text))
    .flatMap((document) => {
      expect(document.errors).toEqual([])
      const manifest = document.toJS()
      return manifest === null ? [] : [manifest]
    })
}

const kustomized = async (file: string): Promise<any[]> =>
  parseAllDocuments(await readFile(new URL(`deploy/kubernetes/${file}`, ROOT), 'utf8')).map((document) =>
    document.toJS(),
  )
const ofKind = (manifests: any[], kind: string): any[] => manifests.filter((one) => one.kind === kind)

/** A manifest without the names and labels of its release. */
function comparable(manifest: any): any {
  const { containers, serviceAccountName: _name, ...pod } = manifest.spec.template.spec
  const [{ image: _image, imagePullPolicy: _policy, envFrom: _from, ...container }] = containers
  const { topologySpreadConstraints: _spread, ...rest } = pod
  return { rest, container, strategy: manifest.spec.strategy }
}

describe('the Helm chart', () => {
  it('renders manifests that match their schemas', async () => {
    const manifests = await rendered()
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual([
      'ConfigMap',
      'Deployment',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ])
    for (const manifest of manifests)
      expect(() => validateManifest(manifest), `${manifest.kind} ${manifest.metadata.name}`).not.toThrow()
  })

  it('runs the same pods as the plain manifests', async () => {
    const deployments = ofKind(await rendered(), 'Deployment')
    for (const role of ['api', 'worker']) {
      const [plain] = ofKind(await kustomized(`${role}.yaml`), 'Deployment')
      const ours = deployments.find(({ metadata }) => metadata.name === `acme-${role}`)
      expect(comparable(ours)).toEqual(comparable(plain))
    }
  })

  it('has the same routes as the plain Ingress', async () => {
    const paths = ([{ spec }]: any[]): string[] =>
      spec.rules[0].http.paths.map(({ path }: { path: string }) => path).toSorted()
    const [ours, plain] = [ofKind(await rendered(), 'Ingress'), await kustomized('ingress.yaml')]
    expect(paths(ours)).toEqual(paths(plain))
    expect(ours[0].metadata.annotations).toEqual(plain[0].metadata.annotations)
  })

  it('selects only the pods of its own release, and no pod twice', async () => {
    const manifests = await rendered()
    const pods = ofKind(manifests, 'Deployment').map(({ spec }) => spec.template.metadata.labels)
    for (const { kind, metadata, spec } of manifests) {
      const selector =
        kind === 'Service' ? spec.selector : (spec?.selector?.matchLabels ?? spec?.podSelector?.matchLabels)
      if (selector === undefined) continue
      expect(selector['app.kubernetes.io/instance'], `${kind} ${metadata.name}`).toBe('acme')
      const chosen = pods.filter((labels) =>
        Object.entries(selector).every(([name, value]) => labels[name] === value),
      )
      expect(chosen.length, `${kind} ${metadata.name}`).toBe(kind === 'NetworkPolicy' ? 2 : 1)
    }
  })

  it('sets known settings, and reads secrets from an existing Secret', async () => {
    const manifests = await rendered()
    const [{ data }] = ofKind(manifests, 'ConfigMap')
    expect(Object.keys(data).filter((name) => !(name in settingsSchema.shape))).toEqual([])
    expect(Object.keys(data)).toEqual(
      expect.arrayContaining(['PUBLIC_URL', 'OIDC_ISSUER', 'OIDC_AUDIENCE', 'OIDC_CLIENT_ID']),
    )
    expect(JSON.stringify(ofKind(manifests, 'Deployment'))).toContain('"secretRef":{"name":"memory"}')
    expect(ofKind(manifests, 'Secret')).toEqual([])
  })

  it('omits disabled parts', async () => {
    const kinds = (await rendered({ ingress: { enabled: false }, networkPolicy: { enabled: false } })).map(
      ({ kind }) => kind,
    )
    expect(kinds).not.toContain('Ingress')
    expect(kinds).not.toContain('NetworkPolicy')
  })

  it("passes Helm's own lint", async (context) => {
    const isInstalled = await run('helm', ['version']).then(
      () => true,
      () => false,
    )
    if (!isInstalled) return context.skip('helm is not installed')
    const { stdout } = await run('helm', ['lint', '--strict', fileURLToPath(CHART)])
    expect(stdout).toContain('0 chart(s) failed')
  })
})
