import { access, constants, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findPlaces, type Machine, type Place, thisMachine, type Wanted } from '../modems/find-places.ts'
import { readPortAccess, wordsOfForbidden } from '../ports/port-access.ts'
import { readHolders, wordsOfHolders } from '../ports/port-holders.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { readText } from './read-text.ts'

/**
 * Everything that can be said about modems without speaking with them: in which USB mode they are, who may use their
 * ports, and which programs do. `agentPid`: who is allowed to.
 */
export async function checkPorts(
  wanted: Wanted,
  agentPid: number | undefined,
  machine: Machine = thisMachine,
): Promise<readonly Finding[]> {
  const { places, unusable } = await findPlaces(wanted, machine)
  const findings = unusable.map((words) => warn('USB', words, 'until then it is left alone'))
  if (places.length === 0) findings.push(nothingThere)
  for (const place of places) {
    findings.push(...(await checkPlace(place, agentPid)), ...checkSleep(place, machine))
  }
  return [...findings, ...(await checkModemManager())]
}

const nothingThere = fail(
  'modems',
  'nothing on the USB of this machine looks like a modem',
  'plug one in; a modem behind a serial adapter or the network has to be named: MODEMS=/dev/ttyUSB0 or tcp://host:port',
)

async function checkPlace(place: Place, agentPid: number | undefined): Promise<readonly Finding[]> {
  const [port = ''] = place.ports
  const subject = `port ${port}`
  if (place.isHidden) return [ok(subject, 'is tried when the modem is asked')]
  if (!place.isPresent) {
    return [fail(subject, 'is not there', 'is the modem plugged in, and is this still its port? MODEMS=auto finds it')]
  }
  const mayUse = await access(port, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!mayUse) {
    const known = await readPortAccess(port)
    return known === undefined ? [] : [fail(subject, 'may not be used', wordsOfForbidden(known))]
  }
  const isDevice = (await stat(await realpath(port))).isCharacterDevice()
  if (!isDevice) return [fail(subject, 'is not a serial port', 'name a device such as /dev/ttyUSB2')]
  const holders = await readHolders(port)
  // The other end of a pseudo-terminal has this one open, too.
  const isPseudo = holders.device.startsWith('/dev/pts/')
  const others = holders.programs.filter(({ pid }) => pid !== agentPid && !isPseudo)
  if (others.length > 0) {
    return [fail(subject, 'is in use', wordsOfHolders({ ...holders, programs: others }))]
  }
  return [ok(subject, 'may be used')]
}

/** A modem that is put to sleep tells of no message. */
function checkSleep({ usb }: Place, { sysfs }: Machine): readonly Finding[] {
  if (usb === undefined) return []
  const file = join(sysfs, 'bus/usb/devices', usb.path, 'power/control')
  if (readText(file) !== 'auto') return []
  return [
    warn(
      `USB device ${usb.id}`,
      'may be put to sleep to save power',
      `install the udev rule, or: echo on | sudo tee ${file}`,
    ),
  ]
}

async function checkModemManager(): Promise<readonly Finding[]> {
  const { runsModemManager } = await readHolders('/dev/null')
  if (!runsModemManager) return []
  if (ruleFiles.some((file) => readText(file)?.includes('ID_MM_DEVICE_IGNORE'))) {
    return [ok('ModemManager', 'runs, and the udev rule tells it to leave modems alone')]
  }
  return [
    warn(
      'ModemManager',
      'runs, and takes modems for itself at times',
      'sudo cp apps/agent/system/70-smsgw.rules /etc/udev/rules.d/ and plug the modem in anew, ' +
        'or: sudo systemctl disable --now ModemManager',
    ),
  ]
}

const ruleFiles = ['/etc/udev/rules.d/70-smsgw.rules', '/usr/lib/udev/rules.d/70-smsgw.rules']
