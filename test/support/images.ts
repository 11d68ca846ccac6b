import { crc32, deflateSync, inflateSync } from 'node:zlib'

export interface GrayImage {
  width: number
  height: number
  /** A byte per pixel; 255: white. */
  gray: Uint8Array
}

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** An 8-bit gray PNG (RFC 2083) without filters. */
export function pngOf({ width, height, gray }: GrayImage): Buffer {
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1) rows.set(gray.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  return pngFile(width, height, deflateSync(rows, { level: 9 }))
}

/** A PNG of these dimensions, with any data. */
export function pngFile(width: number, height: number, data: Uint8Array): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/** The pixels of a PNG from `pngOf`. */
export function grayOf(png: Buffer): GrayImage {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const at = png.indexOf('IDAT')
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
  const gray = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1)
    gray.set(rows.subarray(y * (width + 1) + 1, (y + 1) * (width + 1)), y * width)
  return { width, height, gray }
}
