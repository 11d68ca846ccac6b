import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { beforeAbort } from './before-abort.ts'

const reason = new Error('stopping')

it('returns what the promise resolves to', async () => {
  expect(await beforeAbort(Promise.resolve(7), new AbortController().signal)).toBe(7)
})

it('rejects with the reason as soon as the signal aborts', async () => {
  const controller = new AbortController()
  const waiting = beforeAbort(new Promise(() => {}), controller.signal)
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
})

it('prefers the reason of a signal that aborted before', async () => {
  await expect(beforeAbort(Promise.resolve(7), AbortSignal.abort(reason))).rejects.toBe(reason)
})

it('handles a promise that rejects after the signal aborted', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  const late = Promise.withResolvers<never>()
  await expect(beforeAbort(late.promise, AbortSignal.abort(reason))).rejects.toBe(reason)
  late.reject(reason)
  await setImmediate()
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
