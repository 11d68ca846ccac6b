import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { textFormatOf } from '../../../../src/file-text/text-format.ts'
import { refusalOf } from './file-check.ts'

const LISTS = ['console/src/pages/sources/file-check.ts', 'src/file-text/text-format.ts']

it('accepts the file extensions that the service reads, and no others', async () => {
  const texts = await Promise.all(LISTS.map((path) => readFile(path, 'utf8')))
  // Every word of the two files, so that an extension on only one list is found.
  const names = [...new Set(texts.join(' ').match(/[a-z0-9]{1,10}/g))].map((word) => `file.${word}`)
  const accepted = names.filter((name) => refusalOf({ name, file: { size: 1, type: '' } }) === null)
  expect(accepted).toEqual(names.filter((name) => textFormatOf('', name) !== null))
  expect(accepted).toContain('file.pdf')
})
