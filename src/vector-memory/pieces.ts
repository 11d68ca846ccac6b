import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

/** A file is not as it was written. */
export class NotWhole extends Error {
  constructor(reason: string) {
    super(`the file is not whole: ${reason}`)
    this.name = 'NotWhole'
  }
}

/** Before each piece: its length and its CRC-32 (ISO 3309, as in gzip), 32 bits each. A length of 0 ends the file. */
const HEAD_BYTES = 8
/** No piece is longer, so that a damaged length asks for no memory. */
const PIECE_BYTES_MAX = 16 * 2 ** 20

/** Writes pieces, each with its checksum, and the end. @throws what the file throws, and the reason of `signal` */
export async function writePieces(
  file: FileHandle,
  pieces: Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for (const piece of pieces) {
    signal.throwIfAborted()
    await file.writeFile(headOf(piece))
    await file.writeFile(piece)
  }
  await file.writeFile(Buffer.alloc(HEAD_BYTES))
}

function headOf(piece: Uint8Array): Buffer {
  if (piece.length === 0 || piece.length > PIECE_BYTES_MAX) throw new Error('a piece is empty or too long')
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(piece.length, 0)
  head.writeUInt32LE(crc32(piece), 4)
  return head
}

/**
 * The pieces of a file from its beginning, one at a time; each is good until the next one is asked for.
 * @throws NotWhole
 */
export async function* readPieces(file: FileHandle): AsyncGenerator<Uint8Array, void> {
  const head = new Uint8Array(HEAD_BYTES)
  const view = new DataView(head.buffer)
  let room = new Uint8Array(0)
  for (;;) {
    await fill(file, head)
    const length = view.getUint32(0, true)
    if (length === 0) return
    if (length > PIECE_BYTES_MAX) throw new NotWhole('a piece is too long')
    if (room.length < length) room = new Uint8Array(length)
    const piece = room.subarray(0, length)
    await fill(file, piece)
    if (crc32(piece) !== view.getUint32(4, true)) throw new NotWhole('a checksum differs')
    yield piece
  }
}

async function fill(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at)
    if (bytesRead === 0) throw new NotWhole('it ends too soon')
    at += bytesRead
  }
}
