import { existsSync } from 'node:fs'
import { modeSwitchCommand } from '@smsgw/modem/profiles/mode-switches'
import { isInStorageMode, nameOf } from '../../modems/discovery/classify-device.ts'
import { thisMachine } from '../../modems/discovery/find-places.ts'
import { readUsbBus } from '../../modems/discovery/usb-bus.ts'
import { type CodedFinding, failFinding } from '../finding.ts'

/**
 * Checks why a modem stays in storage mode. Debian's usb-modeswitch has rules that switch a modem when it is plugged
 * in, and again when udev repeats the events of the device. Modems that these rules do not know are switched directly.
 */
export async function checkModeSwitch(
  sysfs = thisMachine.sysfs,
  programs: readonly string[] = ['/usr/sbin/usb_modeswitch', '/sbin/usb_modeswitch', '/usr/bin/usb_modeswitch'],
): Promise<readonly CodedFinding[]> {
  const disks = (await readUsbBus(sysfs)).filter(isInStorageMode)
  const isInstalled = programs.some((program) => existsSync(program))
  return disks.map((disk) => {
    const { id, path } = disk
    const subject = `storage mode of ${id} at ${path}`
    const values = { device: nameOf(disk) }
    const command = modeSwitchCommand(id) ?? repeatedEvents(path)
    if (isInstalled) {
      const advice = `switch the modem: sudo ${command.join(' ')}; if the modem stays in storage mode, plug it in again, or use another modem`
      const fix = { about: `switch ${id} at ${path} to modem mode`, commands: [command] }
      const text = 'usb_modeswitch is installed, but has not switched the modem'
      return { ...failFinding(subject, text, advice, { code: 'switch.failed', values }), fix }
    }
    const install = ['apt-get', 'install', '--yes', 'usb-modeswitch']
    const advice = `sudo apt-get install usb-modeswitch && sudo ${command.join(' ')}`
    const fix = {
      about: `install usb-modeswitch and switch ${id} at ${path} to modem mode`,
      commands: [install, command],
    }
    return {
      ...failFinding(subject, 'usb_modeswitch is not installed', advice, { code: 'switch.missing', values }),
      fix,
    }
  })
}

/**
 * Repeats the udev events of the device and of its interfaces, because the rule for Huawei sticks matches the first
 * interface, and most other rules match the device. The events of its disk are not repeated.
 */
function repeatedEvents(path: string): readonly string[] {
  const device = `--parent-match=/sys/bus/usb/devices/${path}`
  return ['udevadm', 'trigger', '--action=add', '--subsystem-match=usb', device]
}
