import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

/** The file differs from what was written. */
export class NotWhole extends Error {
  constructor(reason: string) {
    super(`the file is damaged: ${reason}`)
    this.name = 'NotWhole'
  }
}

/**
 * Each piece starts with its length and its CRC-32 (ISO 3309, as in gzip), 32 bits each. Length 0 ends the
 * file.
 */
const HEAD_BYTES = 8
/** Bounds the memory that a damaged length can request. */
const PIECE_BYTES_MAX = 16 * 2 ** 20

/**
 * Writes pieces with their checksums, then the end mark.
 * @throws file errors, and the reason of `signal`
 */
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
 * Reads a file's pieces one at a time; each is valid until the next is requested.
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
