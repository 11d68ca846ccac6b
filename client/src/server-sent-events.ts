export interface ServerSentEvent {
  event: string
  data: string
}

/** The limit of one event, which no stream of the service reaches. */
const EVENT_CHARACTERS_MAX = 16 * 1024 * 1024

/**
 * The events of a `text/event-stream` whose text arrives in pieces (WHATWG HTML, 9.2.6), without IDs and retry times. As in
 * the standard, an unfinished last event is dropped.
 * @throws RangeError for an event without end
 */
export async function* readEvents(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<ServerSentEvent> {
  let event = ''
  let data: string[] = []
  let size = 0
  for await (const line of linesOf(pieces)) {
    size += line.length
    if (size > EVENT_CHARACTERS_MAX) throw new RangeError('An event of the stream has no end')
    if (line === '') {
      if (data.length > 0) yield { event: event || 'message', data: data.join('\n') }
      event = ''
      data = []
      size = 0
      continue
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') event = value
    else if (field === 'data') data.push(value)
  }
}

/** Lines that end with CR, LF or both, without an unfinished last line. */
async function* linesOf(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  // The pieces of an unfinished line, which are joined once.
  let parts: string[] = []
  let held = 0
  let endedWithReturn = false
  for await (const piece of pieces) {
    if (piece === '') continue
    // The LF of a CR LF that was split.
    const rest = endedWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece
    endedWithReturn = piece.endsWith('\r')
    const lines = rest.split(/\r\n|\r|\n/)
    for (const [index, line] of lines.entries()) {
      if (index > 0) {
        yield parts.join('')
        parts = []
        held = 0
      }
      held += line.length
      if (held > EVENT_CHARACTERS_MAX) throw new RangeError('A line of the stream has no end')
      if (line !== '') parts.push(line)
    }
  }
}
