import { PIXELS_MAX } from '../limits.ts'

export interface ImageHeader {
  width: number
  height: number
  /** As EXIF numbers orientations; 1: upright. */
  orientation: number
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const EXIF = Buffer.from('Exif\0\0', 'latin1')
const ORIENTATION_TAG = 0x0112

/** Reads an image's header, so that nothing too large is decoded. @throws Error with what is wrong */
export function checkImage(bytes: Uint8Array): ImageHeader {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const header = pngHeader(data) ?? jpegHeader(data)
  if (header === null) throw new Error('it is neither a PNG nor a JPEG image, or it is damaged')
  const { width, height } = header
  if (width * height <= PIXELS_MAX) return header
  throw new Error(`it has ${width} × ${height} pixels; the limit is ${PIXELS_MAX / 1_000_000} million`)
}

function pngHeader(data: Buffer): ImageHeader | null {
  if (data.length < 24 || !data.subarray(0, 8).equals(PNG) || data.toString('latin1', 12, 16) !== 'IHDR')
    return null
  return { width: data.readUInt32BE(16), height: data.readUInt32BE(20), orientation: 1 }
}

/** Walks the segments (ITU T.81, B.1.1) up to the frame header, past thumbnails within segments. */
function jpegHeader(data: Buffer): ImageHeader | null {
  if (data.length < 4 || data.readUInt16BE(0) !== 0xff_d8) return null
  let orientation = 1
  for (let at = 2; at + 9 <= data.length && data[at] === 0xff;) {
    const marker = data.readUInt8(at + 1)
    // A fill byte.
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (isFrame(marker))
      return { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7), orientation }
    const end = at + 2 + data.readUInt16BE(at + 2)
    if (marker === 0xe1) orientation = orientationIn(data.subarray(at + 4, end)) ?? orientation
    at = end
  }
  return null
}

/** SOF0 to SOF15, without the tables DHT, JPG and DAC among them. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** The orientation in the first directory of EXIF, which is a TIFF file. */
function orientationIn(segment: Buffer): number | null {
  if (!segment.subarray(0, 6).equals(EXIF)) return null
  const tiff = segment.subarray(6)
  if (tiff.length < 8) return null
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const word = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (directory + 2 > tiff.length) return null
  const entries = Math.min(word(directory), Math.floor((tiff.length - directory - 2) / 12))
  for (let at = directory + 2; at < directory + 2 + 12 * entries; at += 12) {
    const value = word(at + 8)
    if (word(at) === ORIENTATION_TAG) return value >= 1 && value <= 8 ? value : null
  }
  return null
}
