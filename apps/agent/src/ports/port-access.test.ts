import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeForbidden, grantAccess, readPortAccess } from './port-access.ts'

test('reads the group of a device, and whether the user is in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-access-'))
  const [device, groups] = [join(folder, 'ttyUSB2'), join(folder, 'group')]
  writeFileSync(device, '')
  chmodSync(device, 0o660)
  writeFileSync(groups, `root:x:99999:\ndialout:x:${userInfo().gid}:somebody,${userInfo().username}\n`)
  expect(await readPortAccess(device, groups)).toMatchObject({ group: 'dialout', groupMayUse: true, isMember: true })
  chmodSync(device, 0o600)
  utimesSync(device, 0, 0)
  // The device has just changed, so udev may still set its permissions.
  expect(await readPortAccess(device, groups)).toMatchObject({ groupMayUse: false, isFresh: true })
  rmSync(folder, { recursive: true })
  expect(await readPortAccess(device, groups)).toBeUndefined()
})

describe('describes the solution in one line', () => {
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
    [{}, 'the port belongs to the group "dialout". Run "sudo usermod -aG dialout smsgw", then log in again'],
    [{ isMember: true }, '"smsgw" was added to the group "dialout" after this login. Log in again'],
    [{ groupMayUse: false }, 'only the owner of the port may use it'],
    [{ isSuperuser: true }, 'pass the device to the container (--device=/dev/ttyUSB2)'],
  ])('%j', (more, text) => expect(describeForbidden({ ...access, ...more })).toContain(text))

  test('names a command only if the user is not yet in the group', () => {
    expect(grantAccess(access)).toEqual(['usermod', '-aG', 'dialout', 'smsgw'])
    for (const more of [{ isMember: true }, { groupMayUse: false }, { isSuperuser: true }]) {
      expect(grantAccess({ ...access, ...more })).toBeUndefined()
    }
  })
})
