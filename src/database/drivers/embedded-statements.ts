import { parse, type PGlite, protocol } from '@electric-sql/pglite'
import { isPanic, sentError } from './embedded-errors.ts'
import type { EmbeddedResult } from './embedded-messages.ts'

const { serialize } = protocol

type Messages = Awaited<ReturnType<PGlite['execProtocolStream']>>

interface Known {
  parameterTypes: readonly number[]
  /** Describes the columns. A prepared statement gets it once; any other gets it before the rows of each run. */
  description: Messages
}

/** The files are the operating system's (`openDurableFiles`), so there is nothing to sync to them. */
const OPTIONS = { syncToFs: false }

/** Runs statements over the wire protocol in two turns of PGlite's loop instead of six, and prepares named ones. */
export class EmbeddedStatements {
  readonly #pglite: PGlite
  readonly #known = new Map<string, Known>()
  /** The error that the database broke down with: another statement would keep its loop running forever. */
  #panic: Error | undefined

  constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  /** Runs a statement. Only the current holder of the session calls it. @throws the database's error */
  async run(text: string, values: readonly unknown[] = [], name = ''): Promise<EmbeddedResult> {
    return await this.#pglite.runExclusive(async () => {
      const { parameterTypes, description } = this.#known.get(name) ?? (await this.#parse(name, text))
      const messages = await this.#send([
        serialize.bind({
          statement: name,
          values: values.map((value, at) => this.#serialize(value, parameterTypes[at])),
        }),
        serialize.execute(),
        serialize.sync(),
      ])
      const [result] = parse.parseResults([...description, ...messages], this.#pglite.parsers)
      if (!result) throw new Error('the embedded database sent no result for a statement')
      return { rows: result.rows, affectedRows: result.affectedRows ?? 0 }
    })
  }

  async #parse(name: string, text: string): Promise<Known> {
    const messages = await this.#send([
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
      serialize.sync(),
    ])
    const known = {
      parameterTypes: parse.parseDescribeStatementResults(messages),
      description: messages.filter((message) => message.name === 'rowDescription'),
    }
    if (name !== '') this.#known.set(name, known)
    return known
  }

  /** Sends the messages in one turn of the database's loop. @throws the database's first error; it skips the rest */
  async #send(messages: readonly Uint8Array[]): Promise<Messages> {
    if (this.#panic) throw this.#panic
    try {
      return await this.#pglite.execProtocolStream(Buffer.concat(messages), OPTIONS)
    } catch (error) {
      if (error instanceof Error && isPanic(sentError(error))) this.#panic = error
      throw error
    }
  }

  #serialize(value: unknown, type = 0): string | Uint8Array | null {
    if (value === null || value === undefined) return null
    return this.#pglite.serializers[type]?.(value) ?? String(value)
  }
}
