import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { devices, FakeMachine } from '../../testing/fake-machine.ts'
import { checkModeSwitch } from './check-mode-switch.ts'

let fake: FakeMachine

beforeEach(() => {
  fake = new FakeMachine()
})

afterEach(() => fake.remove())

const check = (program: string) => checkModeSwitch(fake.machine.sysfs, [program])

test('reports that usb_modeswitch is missing', async () => {
  fake.plug(devices.e3372Disk, '1-1.2')
  expect(await check('/nowhere/usb_modeswitch')).toEqual([
    {
      level: 'fail',
      subject: 'storage mode of 12d1:1f01 at 1-1.2',
      text: 'usb_modeswitch is not installed',
      advice:
        'sudo apt-get install usb-modeswitch && ' +
        'sudo udevadm trigger --action=add --subsystem-match=usb --parent-match=/sys/bus/usb/devices/1-1.2',
      fix: {
        about: 'install usb-modeswitch and switch 12d1:1f01 at 1-1.2 to modem mode',
        commands: [
          ['apt-get', 'install', '--yes', 'usb-modeswitch'],
          ['udevadm', 'trigger', '--action=add', '--subsystem-match=usb', '--parent-match=/sys/bus/usb/devices/1-1.2'],
        ],
      },
      meaning: { code: 'switch.missing', values: { device: expect.stringContaining('12d1:1f01 at 1-1.2') } },
    },
  ])
})

test('reports that usb_modeswitch is installed but did not switch the modem', async () => {
  const program = join(fake.folder, 'usb_modeswitch')
  writeFileSync(program, '')
  fake.plug(devices.e3372Disk, '1-1.2')
  expect(await check(program)).toMatchObject([{ text: 'usb_modeswitch is installed, but has not switched the modem' }])
})

test('switches a stick that usb_modeswitch does not know with the command for this stick', async () => {
  const program = join(fake.folder, 'usb_modeswitch')
  writeFileSync(program, '')
  fake.plug({ ...devices.e3372Disk, id: '3566:2001' }, '1-1.2')
  const commands = [['usb_modeswitch', '-v', '3566', '-p', '2001', '-X']]
  expect(await check(program)).toMatchObject([{ subject: 'storage mode of 3566:2001 at 1-1.2', fix: { commands } }])
})

test('ignores modems in modem mode, network cards and other devices', async () => {
  fake.plug(devices.ec25, '1-1.1')
  fake.plug(devices.e3372HiLink, '1-1.2')
  fake.plug(devices.keyboard, '1-1.3')
  expect(await check('/nowhere/usb_modeswitch')).toEqual([])
})
