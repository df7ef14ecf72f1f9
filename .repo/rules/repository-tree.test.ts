import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { treeOfWorkingCopy } from './repository-tree.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'smsgw-tree-'))
  write('README.md', 'read me')
  write('libs/sms/src/segment.ts')
  write('libs/sms/node_modules/zod/index.js')
  write('.cache/x.json')
  write('data/modem0')
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

test('lists the files of an unpacked archive without git, but only source files', () => {
  expect(treeOfWorkingCopy(root).files).toEqual(['README.md', 'libs/sms/src/segment.ts'])
  expect(treeOfWorkingCopy(root).read('README.md')).toBe('read me')
})

test('lists an unpacked archive inside another repository', () => {
  init(root)
  write('inner/README.md')
  write('inner/dist/main.js')
  expect(treeOfWorkingCopy(join(root, 'inner')).files).toEqual(['README.md'])
})

test('lists the files that git tracks in a repository', () => {
  init(root)
  write('.gitignore', 'node_modules/\n.cache/\n/data/\nsegment.ts\n')
  expect(treeOfWorkingCopy(root).files).toEqual(['.gitignore', 'README.md'])
})

function write(file: string, text = ''): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

function init(folder: string): void {
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
}
