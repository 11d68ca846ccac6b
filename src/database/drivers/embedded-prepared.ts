import type { parse, PGlite, protocol, Results } from '@electric-sql/pglite'

type Messages = Awaited<ReturnType<PGlite['execProtocolStream']>>

/** A statement as the session knows it. */
interface Known {
  parameterTypes: readonly number[]
  /** What says how its rows are read: told once here, and before the rows of each run of any other statement. */
  description: Messages
}

/** The files are the operating system's (`openDurableFiles`): there is nothing to bring over to them. */
const OPTIONS = { syncToFs: false }

/**
 * Statements that PGlite's one session keeps parsed and planned. A query of PGlite's own is planned anew and takes six messages,
 * each a turn of the database's loop.
 */
export class EmbeddedPrepared {
  readonly #pglite: PGlite
  readonly #modules: { parse: typeof parse; protocol: typeof protocol }
  readonly #known = new Map<string, Known>()

  constructor(pglite: PGlite, modules: { parse: typeof parse; protocol: typeof protocol }) {
    this.#pglite = pglite
    this.#modules = modules
  }

  /** Runs a statement. Called by whoever has the session. */
  async run<Row>(name: string, text: string, values: readonly unknown[]): Promise<Results<Row>> {
    const { serialize } = this.#modules.protocol
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
      const [result] = this.#modules.parse.parseResults([...description, ...messages], this.#pglite.parsers)
      if (!result) throw new Error('the embedded database did not say what came of a statement')
      // The rows are what the statement says, as with every query.
      return result as Results<Row>
    })
  }

  async #parse(name: string, text: string): Promise<Known> {
    const { serialize } = this.#modules.protocol
    const messages = await this.#send([
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
      serialize.sync(),
    ])
    const known = {
      parameterTypes: this.#modules.parse.parseDescribeStatementResults(messages),
      description: messages.filter((message) => message.name === 'rowDescription'),
    }
    this.#known.set(name, known)
    return known
  }

  /** In one turn of the database's loop. @throws what the database refuses one of them with; the rest is passed over */
  async #send(messages: readonly Uint8Array[]): Promise<Messages> {
    return await this.#pglite.execProtocolStream(Buffer.concat(messages), OPTIONS)
  }

  #serialize(value: unknown, type = 0): string | Uint8Array | null {
    if (value === null || value === undefined) return null
    return this.#pglite.serializers[type]?.(value) ?? String(value)
  }
}
