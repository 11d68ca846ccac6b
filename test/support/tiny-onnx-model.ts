import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes a model in Transformers.js' folder layout that maps each known word to its own vector: one Gather node from
 * `input_ids` to `last_hidden_state`. Unknown words share the first row.
 */
export async function writeTinyOnnxModel(
  folder: string,
  vectors: Record<string, readonly number[]>,
): Promise<void> {
  const words = Object.keys(vectors)
  const width = Object.values(vectors)[0]?.length ?? 0
  const unknown = Array.from({ length: width }, (_, i) => (i === width - 1 ? 1 : 0))
  const table = [unknown, ...Object.values(vectors)]
  await mkdir(join(folder, 'onnx'), { recursive: true })
  const json = (name: string, value: unknown): Promise<void> =>
    writeFile(join(folder, name), JSON.stringify(value))
  await json('config.json', { model_type: 'bert', architectures: ['BertModel'], hidden_size: width })
  await json('tokenizer_config.json', {
    tokenizer_class: 'PreTrainedTokenizerFast',
    model_max_length: 16,
    unk_token: '[UNK]',
    pad_token: '[UNK]',
  })
  await json('tokenizer.json', tokenizerJson(words))
  await writeFile(join(folder, 'onnx', 'model.onnx'), gatherModel(table, width))
}

/** A distinct vector of `width` numbers for each word and punctuation mark of the texts. */
export function wordVectors(texts: readonly string[], width: number): Record<string, number[]> {
  const words = new Set(texts.flatMap((text) => text.toLowerCase().match(/\w+|[^\w\s]+/g) ?? []))
  return Object.fromEntries(
    [...words].map((word, n) => [word, Array.from({ length: width }, (_, i) => (i === n ? 2 : 0))]),
  )
}

function tokenizerJson(words: readonly string[]): object {
  const vocab = Object.fromEntries(['[UNK]', ...words].map((word, id) => [word, id]))
  const special = { id: 0, content: '[UNK]', special: true, single_word: false, lstrip: false, rstrip: false }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [{ ...special, normalized: false }],
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
  }
}

// Hand-written Protocol Buffers; field numbers from onnx.proto
// (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) + 128)
  }
}
const integer = (field: number, value: number): Buffer => Buffer.concat([varint(field * 8), varint(value)])
const bytes = (field: number, value: Buffer | string): Buffer => {
  const data = Buffer.from(value)
  return Buffer.concat([varint(field * 8 + 2), varint(data.length), data])
}
const message = (field: number, ...parts: Buffer[]): Buffer => bytes(field, Buffer.concat(parts))

const FLOAT = 1
const INT64 = 7

/** ValueInfoProto of a tensor whose first two dimensions are free. */
function tensorInfo(field: number, name: string, type: number, lastWidth?: number): Buffer {
  const free = ['batch', 'sequence'].map((dimension) => message(1, bytes(2, dimension)))
  const shape = lastWidth === undefined ? free : [...free, message(1, integer(1, lastWidth))]
  return message(field, bytes(1, name), message(2, message(1, integer(1, type), message(2, ...shape))))
}

function gatherModel(table: readonly (readonly number[])[], width: number): Buffer {
  const raw = Buffer.from(Float32Array.from(table.flat()).buffer)
  const graph = message(
    7,
    message(1, bytes(1, 'table'), bytes(1, 'input_ids'), bytes(2, 'last_hidden_state'), bytes(4, 'Gather')),
    bytes(2, 'tiny'),
    message(
      5,
      integer(1, table.length),
      integer(1, width),
      integer(2, FLOAT),
      bytes(8, 'table'),
      bytes(9, raw),
    ),
    tensorInfo(11, 'input_ids', INT64),
    tensorInfo(12, 'last_hidden_state', FLOAT, width),
  )
  return Buffer.concat([integer(1, 8), graph, message(8, bytes(1, ''), integer(2, 13))])
}
