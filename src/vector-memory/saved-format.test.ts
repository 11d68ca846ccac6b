import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { UNIT_BYTES } from '../vector-scan/block-layout.ts'
import { KEY_BYTES, rowBytesOf, writeRows } from '../vector-scan/write-rows.ts'
import { ItemFields } from './item-fields.ts'
import { FORMAT } from './snapshot-file.ts'

it('keeps the file format of saved vectors unless its version is raised', () => {
  const memory = new WebAssembly.Memory({ initial: 2, maximum: 2, shared: true })
  const page = new Uint8Array(3 * rowBytesOf(200))
  // Half-precision numbers between -2 and 2.
  for (let row = 0; row < 3; row++)
    for (let at = 0; at < 200; at++)
      page[row * rowBytesOf(200) + KEY_BYTES + 4 + 2 * at] = (at % 2) * 128 + 0x30 + ((at * 7 + row) % 16)
  writeRows([memory], { dimensions: 200, page, rows: [0, 1, 70], units: Uint32Array.of(0, UNIT_BYTES) })
  const fields = new ItemFields()
  const item = {
    provider: 'slack',
    source_kind: 'message',
    source_id: 's',
    author_name: null,
    policy_id: 1,
    updated_at: 1.5,
  }
  fields.remove(fields.put({ ...item, id: 'gone', metadata: null }))
  fields.put({ ...item, id: 'a', metadata: { n: 1, text: 'x', list: [1] } })
  fields.put({ ...item, id: 'b', author_name: 'Ada', metadata: null })
  const hash = createHash('sha256')
    .update(new Uint8Array(memory.buffer.slice(0, 2 * UNIT_BYTES)))
    .update(JSON.stringify(fields.saved(0, fields.numbers)))
  expect({ format: FORMAT, holds: hash.digest('hex').slice(0, 16) }).toEqual({
    format: 6,
    holds: '6b8261937c392689',
  })
})
