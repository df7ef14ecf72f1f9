import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPortAccess, wordsOfForbidden } from './port-access.ts'

test('the group of the device is told by its name, and whether we are in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-access-'))
  const [device, groups] = [join(folder, 'ttyUSB2'), join(folder, 'group')]
  writeFileSync(device, '')
  chmodSync(device, 0o660)
  writeFileSync(groups, `root:x:99999:\ndialout:x:${userInfo().gid}:somebody,${userInfo().username}\n`)
  expect(await readPortAccess(device, groups)).toMatchObject({ group: 'dialout', groupMayUse: true, isMember: true })
  chmodSync(device, 0o600)
  utimesSync(device, 0, 0)
  // It has just been changed: udev is at work.
  expect(await readPortAccess(device, groups)).toMatchObject({ groupMayUse: false, isFresh: true })
  rmSync(folder, { recursive: true })
  expect(await readPortAccess(device, groups)).toBeUndefined()
})

describe('in a line that says what to do', () => {
  const access = {
    path: '/dev/ttyUSB2',
    user: 'smsgw',
    isSuperuser: false,
    group: 'dialout',
    groupMayUse: true,
    isMember: false,
    isFresh: false,
  }
  test.each([
    [{}, 'it belongs to the group "dialout"; "sudo usermod -aG dialout smsgw", then log in again'],
    [{ isMember: true }, '"smsgw" is in the group "dialout" since the last login; log in again'],
    [{ groupMayUse: false }, 'only its owner may use it'],
    [{ isSuperuser: true }, 'a container has to be given the device (--device=/dev/ttyUSB2)'],
  ])('%j', (more, words) => expect(wordsOfForbidden({ ...access, ...more })).toContain(words))
})
