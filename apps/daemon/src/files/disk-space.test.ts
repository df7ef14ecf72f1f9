import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeDiskOf, describeDiskSpace, readDiskSpace } from './disk-space.ts'

test('names the folder, its disk and the free space', () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-disk-'))
  try {
    expect(readDiskSpace(folder)).toMatchObject({ path: folder, hasInodes: true, freeBytes: expect.any(Number) })
    const mounted = process.platform === 'linux' ? / \(\S+ mounted at \/.*\)$/ : /free$/
    expect(describeDiskOf(folder)).toMatch(new RegExp(`^${folder} has \\d+ MB free${mounted.source}`))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.runIf(process.platform === 'linux')('returns the innermost of nested mounts', () => {
  expect(describeDiskOf('/proc/self')).toContain('mounted at /proc')
})

test('does not show free space for a disk without free inodes', () => {
  const space = { path: '/data', disk: '/dev/sda1 mounted at /', freeBytes: 9_000_000_000, hasInodes: false }
  expect(describeDiskSpace(space)).toBe(
    '/data has 9000 MB free, but no free inodes: delete files (/dev/sda1 mounted at /)',
  )
})

test('a folder that does not exist has no disk', () => {
  expect(readDiskSpace('/no/such/folder')).toBeUndefined()
  expect(describeDiskOf('/no/such/folder')).toBe('/no/such/folder')
})
