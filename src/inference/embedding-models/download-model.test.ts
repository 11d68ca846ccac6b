import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ModelHub, startModelHub } from '../../../test/support/model-hub.ts'
import { writeTinyOnnxModel } from '../../../test/support/tiny-onnx-model.ts'
import { until } from '../../../test/support/until.ts'
import { downloadModel, type DownloadOptions, isModelThere } from './download-model.ts'
import { KNOWN_MODELS } from './known-models.ts'

const [model] = KNOWN_MODELS
if (!model) throw new Error('no model is known')
const WEIGHTS = 'onnx/model_quantized.onnx'

let parent: string
let modelsDir: string
let hub: ModelHub

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'download-'))
  modelsDir = join(parent, 'models')
  await writeTinyOnnxModel(join(parent, 'tiny'), { north: [2, 0], east: [0, 2] })
  hub = await startModelHub(model, join(parent, 'tiny'))
})
afterEach(async () => {
  await hub.close()
  await rm(parent, { recursive: true })
})

const download = (options: Partial<DownloadOptions> = {}): Promise<void> =>
  downloadModel(model, {
    fetch,
    modelsDir,
    mirrorUrl: hub.url,
    onProgress: () => {},
    signal: new AbortController().signal,
    ...options,
  })

describe('downloading a known model', () => {
  it('stores all files, reports progress, and sends no request once they are there', async () => {
    const progress: [number, number][] = []
    await download({ onProgress: (done, total) => progress.push([done, total]) })
    expect(isModelThere(modelsDir, model)).toBe(true)
    expect(await readFile(join(modelsDir, model.name, WEIGHTS))).toEqual(
      await readFile(join(parent, 'tiny', 'onnx', 'model.onnx')),
    )
    const [, total] = progress[0] ?? []
    expect(progress.at(-1)).toEqual([total, total])
    expect(progress.map(([done]) => done)).toEqual(progress.map(([done]) => done).toSorted((a, b) => a - b))
    hub.asked.length = 0
    await download()
    expect(hub.asked).toEqual([])
    expect(await readdir(modelsDir)).toEqual([model.name])
  })

  it.each([
    ['changed', "does not match the hub's checksum"],
    ['longer', 'is longer than'],
    ['missing', 'failed with status 404'],
    ['cut', /onnx.model_quantized.onnx was interrupted: \w+/],
  ] as const)('refuses a file that is %s and resumes once it is right', async (fault, words) => {
    hub.faults.set(WEIGHTS, fault)
    await expect(download()).rejects.toThrow(words)
    expect(isModelThere(modelsDir, model)).toBe(false)
    expect(existsSync(join(modelsDir, `.${model.name}.partial`, WEIGHTS))).toBe(false)
    hub.faults.clear()
    hub.asked.length = 0
    await download()
    expect(hub.asked).toEqual([WEIGHTS])
  })

  it('stops when aborted, and is unusable until a later run completes it', async () => {
    hub.faults.set(WEIGHTS, 'stalled')
    const stop = new AbortController()
    const stopped = download({ signal: stop.signal })
    await until('the weights on their way', () => hub.asked.includes(WEIGHTS), Boolean)
    stop.abort(new Error('the service stops'))
    await expect(stopped).rejects.toThrow('the service stops')
    expect(isModelThere(modelsDir, model)).toBe(false)
  })

  it('does not start if the disk has no room', async () => {
    const full = download({ freeBytes: () => Promise.resolve(1_000_000) })
    await expect(full).rejects.toThrow(/the disk has 1 MB free, and \d+ MB are needed\. Free some space/)
    expect(hub.asked).toEqual([])
  })

  it('explains without a network how to add the files by hand, and accepts them', async () => {
    const away = hub.url
    await hub.close()
    const failed: Error = await download().then(
      () => new Error('it did not fail'),
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    )
    expect(failed).toMatchObject({ code: 'upstream_error' })
    for (const words of [away, '--mirror', join(modelsDir, model.name), model.repository, ...model.files])
      expect(failed.message).toContain(words)
    await writeTinyOnnxModel(join(modelsDir, model.name), { north: [2, 0], east: [0, 2] })
    await download()
    expect(isModelThere(modelsDir, model)).toBe(true)
    hub = await startModelHub(model, join(parent, 'tiny'))
  })

  it('refuses a server that is not a model hub', async () => {
    const strange = download({ fetch: () => Promise.resolve(Response.json({ ok: true })) })
    await expect(strange).rejects.toThrow('the server is not a model hub')
    const page = download({ fetch: () => Promise.resolve(new Response('<html>a page</html>')) })
    await expect(page).rejects.toThrow('the server is not a model hub')
  })
})
