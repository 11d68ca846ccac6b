import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { fieldArgument, fillForm } from './connect-form.ts'

const field = (name: string, required: boolean) => ({
  name,
  label: name,
  help: 'What it is.',
  secret: false,
  required,
})
const form = [field('address', true), field('token', true), field('note', false)]

it('accepts fields as options, reads values from files, and asks for the others', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'connect-form-'))
  const file = path.join(folder, 'token')
  await writeFile(file, 'secret=1\n')
  const given = fieldArgument(`token=@${file}`, fieldArgument('address=https://a.example/?b=c'))
  const asked: string[] = []
  const values = await fillForm(form, given, async ({ name }) => void asked.push(name))
  expect(values).toEqual({ address: 'https://a.example/?b=c', token: 'secret=1' })
  expect(asked).toEqual(['note'])
  await rm(folder, { recursive: true })
})

it('names the required options when there is no terminal, and refuses unknown fields and missing files', async () => {
  await expect(fillForm(form, { address: 'a' }, null)).rejects.toThrow('add --field token=…')
  await expect(fillForm(form, { tokn: 'a' }, null)).rejects.toThrow('address, token, note')
  await expect(fillForm(form, { address: 'a', token: '@/no/such/file' }, null)).rejects.toThrow(
    'cannot be read',
  )
  expect(() => fieldArgument('token')).toThrow('NAME=VALUE')
  expect(await fillForm(form, { address: 'a', token: 'b' }, null)).toEqual({ address: 'a', token: 'b' })
})
