import path from 'node:path'
import { TextDecoder } from 'node:util'
import { Parser } from 'htmlparser2'
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { refuseOldOffice } from './old-office.ts'
import { messageOf } from '../../kernel/thrown-errors.ts'

const MIB = 1024 * 1024
/** Limit on all inflated parts: ten times the download limit of a file. */
const MOST_INFLATED_BYTES = 256 * MIB
const MOST_PARTS = 20_000

/** Handles the XML events of one part. Names come without namespace prefixes. */
export interface PartReader {
  open(name: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(name: string): void
  /** True once the reader has enough; the rest of the part is then not inflated. */
  isDone?(): boolean
}

/** A link from one part to another, such as from a workbook to a sheet. */
export interface Relationship {
  id: string
  /** The last segment of the type's URI, which both dialects of the format share: `worksheet`, `slide`. */
  kind: string
  /** The target part's name. */
  target: string
}

export interface OfficePackage {
  /** The package's main part; throws if there is none. */
  mainPart(): Promise<string>
  relationshipsOf(part: string): Promise<Relationship[]>
  /** Reads a part until its end or until the reader is done. A missing part counts as empty. */
  read(part: string, reader: PartReader): Promise<void>
}

/** Opens an Office file (a ZIP of XML parts). Parses parts as streams, at most 256 MiB in all. @throws if it is none */
export async function openOfficePackage(bytes: Uint8Array): Promise<OfficePackage> {
  refuseOldOffice(bytes)
  const { zip, entries } = await openZip(bytes)
  let inflated = 0

  async function read(part: string, reader: PartReader): Promise<void> {
    const entry = entries.get(part.toLowerCase())
    if (!entry) return
    if (entry.isEncrypted()) throw new Error('it is protected with a password')
    const parser = parserFor(reader)
    let decoder: TextDecoder | null = null
    for await (const chunk of inflate(zip, entry)) {
      inflated += chunk.length
      if (inflated > MOST_INFLATED_BYTES) {
        throw new Error(`it unpacks to more than ${MOST_INFLATED_BYTES / MIB} MB`)
      }
      decoder ??= new TextDecoder(encodingOf(chunk))
      parser.write(decoder.decode(chunk, { stream: true }))
      if (reader.isDone?.()) return
    }
    parser.end()
  }

  const relationshipsOf = (part: string) => readRelationships(read, part)
  return {
    read,
    relationshipsOf,
    mainPart: async () => {
      const main = (await relationshipsOf('')).find(({ kind }) => kind === 'officeDocument')
      if (!main) throw new Error('it is not an Office file')
      return main.target
    },
  }
}

async function openZip(bytes: Uint8Array): Promise<{ zip: ZipFile; entries: Map<string, Entry> }> {
  const entries = new Map<string, Entry>()
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const zip = await fromBufferPromise(buffer, { autoClose: false })
    if (zip.entryCount > MOST_PARTS) throw new Error(`more than ${MOST_PARTS} parts`)
    // Part names are case-insensitive (ECMA-376 part 2, 6.2.2.3).
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry)
    return { zip, entries }
  } catch (error) {
    throw brokenOfficeFile(error)
  }
}

async function* inflate(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  try {
    const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry)
    yield* stream
  } catch (error) {
    throw brokenOfficeFile(error)
  }
}

/** Explains an unreadable archive to the file's owner; errors of ZIP and deflate say little. */
export function brokenOfficeFile(cause: unknown): Error {
  const words = messageOf(cause)
  return new Error(`it is not an Office file, or it is damaged (${words})`, { cause })
}

function parserFor(reader: PartReader): Parser {
  return new Parser(
    {
      onopentag: (name, attributes) => reader.open(withoutPrefix(name), attributes),
      ontext: (text) => reader.text?.(text),
      onclosetag: (name) => reader.close?.(withoutPrefix(name)),
    },
    { xmlMode: true, decodeEntities: true },
  )
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1)

/** The value of a prefixed attribute such as `r:id`, whatever the prefix. */
export function prefixedAttribute(attributes: Record<string, string>, name: string): string | null {
  const found = Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))
  return found ? found[1] : null
}

// XML parts are UTF-8 or UTF-16, which starts with a mark or a recognizable first character.
function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff || (start[0] === 0x3c && start[1] === 0)) return 'utf-16le'
  if (start[0] === 0xfe || (start[0] === 0 && start[1] === 0x3c)) return 'utf-16be'
  return 'utf-8'
}

async function readRelationships(read: OfficePackage['read'], part: string): Promise<Relationship[]> {
  const folder = path.posix.dirname(part)
  const found: Relationship[] = []
  await read(path.posix.join(folder, '_rels', `${path.posix.basename(part)}.rels`), {
    open(name, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) {
      if (name !== 'Relationship' || mode === 'External') return
      const absolute = path.posix.resolve('/', folder, target)
      found.push({ id, kind: type.slice(type.lastIndexOf('/') + 1), target: absolute.slice(1) })
    },
  })
  return found
}
