import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { walkFolder } from './walk-folder.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'walk-'))
  for (const folder of ['b/deep', '.hidden', '.git', 'node_modules/x'])
    await mkdir(path.join(root, folder), { recursive: true })
  for (const file of [
    'z.md',
    'a.TXT',
    'b/deep/c.pdf',
    'b/x.docx',
    '.secret.md',
    '.hidden/h.md',
    '.git/g.md',
    'node_modules/x/n.md',
    'photo.gif',
  ]) {
    await writeFile(path.join(root, file), 'x')
  }
})
afterEach(() => rm(root, { recursive: true }))

const pathsOf = async (includeHidden = false): Promise<string[]> =>
  (await walkFolder(root, includeHidden)).files.map((file) => file.relativePath)

describe('walkFolder', () => {
  it('finds documents in name order, without hidden ones and packages', async () => {
    expect(await pathsOf()).toEqual(['a.TXT', 'b/deep/c.pdf', 'b/x.docx', 'z.md'])
  })

  it('finds hidden ones on request, but nothing in .git or node_modules', async () => {
    expect(await pathsOf(true)).toEqual([
      '.hidden/h.md',
      '.secret.md',
      'a.TXT',
      'b/deep/c.pdf',
      'b/x.docx',
      'z.md',
    ])
  })

  it('follows symbolic links and ends on cycles', async () => {
    await symlink(root, path.join(root, 'b', 'loop'))
    await symlink(path.join(root, 'z.md'), path.join(root, 'linked.md'))
    expect(await pathsOf()).toEqual(['a.TXT', 'b/deep/c.pdf', 'b/x.docx', 'linked.md', 'z.md'])
  })

  it('counts skipped files by type', async () => {
    await writeFile(path.join(root, '~$x.docx'), 'x')
    await writeFile(path.join(root, 'b', 'LICENSE'), 'x')
    await writeFile(path.join(root, 'b', 'two.GIF'), 'x')
    const { passedOver } = await walkFolder(root, false)
    expect(Object.fromEntries(passedOver)).toEqual({
      '.gif': 2,
      '.git': 1,
      node_modules: 1,
      hidden: 2,
      'Office lock files': 1,
      'without an extension': 1,
    })
  })

  it('reports broken and circular links in plain words', async () => {
    await symlink('gone.md', path.join(root, 'broken.md'))
    await symlink('round.md', path.join(root, 'round.md'))
    const walk = await walkFolder(root, false)
    expect(walk.failures).toEqual([
      { path: 'broken.md', reason: 'it is a link to gone.md, which does not exist' },
      { path: 'round.md', reason: 'it is a symbolic link loop' },
    ])
    expect(walk.files).toHaveLength(4)
  })

  it('reports a broken link and continues', async () => {
    await symlink(path.join(root, 'gone.md'), path.join(root, 'broken.md'))
    const walk = await walkFolder(root, false)
    expect(walk.failures.map((failure) => failure.path)).toEqual(['broken.md'])
    expect(walk.files).toHaveLength(4)
  })
})
