import { existsSync } from 'node:fs'
import { isInStorageMode } from '../modems/discovery/classify-device.ts'
import { thisMachine } from '../modems/discovery/find-places.ts'
import { readUsbBus } from '../modems/discovery/usb-bus.ts'
import { type Finding, fail } from './finding.ts'

/**
 * Checks why a modem stays in storage mode. The rules of Debian's usb-modeswitch switch it when it is plugged in, and
 * again when udev repeats the event.
 */
export async function checkModeSwitch(
  sysfs = thisMachine.sysfs,
  programs: readonly string[] = ['/usr/sbin/usb_modeswitch', '/sbin/usb_modeswitch', '/usr/bin/usb_modeswitch'],
): Promise<readonly Finding[]> {
  const disks = (await readUsbBus(sysfs)).filter(isInStorageMode)
  const isInstalled = programs.some((program) => existsSync(program))
  return disks.map(({ id, path }) => {
    const subject = `storage mode of ${id} at ${path}`
    const [vendor, product] = id.split(':')
    const again = `sudo udevadm trigger --action=add --attr-match=idVendor=${vendor} --attr-match=idProduct=${product}`
    return isInstalled
      ? fail(
          subject,
          'usb_modeswitch is installed and has not switched it',
          `repeat the switch: ${again}; if that does not help, plug it in again, or use another modem`,
        )
      : fail(subject, 'usb_modeswitch is not installed', `sudo apt-get install usb-modeswitch && ${again}`)
  })
}
