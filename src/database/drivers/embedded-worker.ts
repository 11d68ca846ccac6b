import { parentPort, workerData } from 'node:worker_threads'
import { isPanic, receivedError, sentError } from './embedded-errors.ts'
import type { EmbeddedAnswer, EmbeddedMessage, EmbeddedPlace } from './embedded-messages.ts'
import { createPGlite } from './embedded-pglite.ts'
import { EmbeddedSession } from './embedded-session.ts'

// The embedded database's thread: opens the database that `workerData` names, then answers requests until it ends.
const place: EmbeddedPlace = workerData
try {
  const session = new EmbeddedSession(await createPGlite(place))
  parentPort?.on('message', (message: EmbeddedMessage) => {
    if (message.kind === 'begin') session.begin(message)
    else void answer(session, message)
  })
  send({ isOpen: true })
} catch (error) {
  send({ isOpen: false, error: sentError(error) })
}

async function answer(
  session: EmbeddedSession,
  request: Exclude<EmbeddedMessage, { kind: 'begin' }>,
): Promise<void> {
  const outcome = await session.answer(request)
  try {
    send({ id: request.id, ...outcome })
  } catch (error) {
    send({ id: request.id, error: sentError(error) })
  }
  // Uncaught, it ends this thread.
  if ('error' in outcome && isPanic(outcome.error)) throw receivedError(outcome.error)
}

function send(answerOrNews: EmbeddedAnswer): void {
  parentPort?.postMessage(answerOrNews, [])
}
