import { access, constants, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type DeviceFolders,
  findPlaces,
  type Place,
  thisMachine,
  type Wanted,
} from '../modems/discovery/find-places.ts'
import { ignoreModemsCommand, shareModemsCommand, udevRecord } from '../modems/discovery/udev-rules.ts'
import { describeForbidden, grantAccess, readPortAccess } from '../ports/port-access.ts'
import { describeHolders, readHolders } from '../ports/port-holders.ts'
import type { AgentStatus } from '../status/agent-status.ts'
import { readText } from './check-machine.ts'
import { checkModeSwitch } from './check-mode-switch.ts'
import { checkSerialPort } from './check-serial.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/**
 * Checks what is known about modems without opening them: their USB mode, the permissions of their ports, and the
 * programs that use the ports. A running agent may have the ports open.
 */
export async function checkPorts(
  wanted: Wanted,
  agent: Pick<AgentStatus, 'pid' | 'modems'> | undefined,
  machine: DeviceFolders = thisMachine,
): Promise<readonly Finding[]> {
  const real = withoutVirtual(wanted)
  const { places, unusable } = await findPlaces(real, machine)
  const findings = [
    ...unusable.map((problem) => warn('USB', problem, 'the agent does not use it until then')),
    ...(real.auto ? await checkModeSwitch(machine.sysfs) : []),
  ]
  const isVirtual =
    real.addresses.length < wanted.addresses.length || agent?.modems.some(({ port }) => port === virtual)
  if (isVirtual) findings.push(ok('modems', 'virtual modem, part of the gateway'))
  else if (places.length === 0) findings.push(noModem)
  for (const place of places) {
    findings.push(...(await checkPlace(place, agent?.pid)), ...checkSleep(place, machine))
  }
  findings.push(...real.addresses.flatMap((address) => checkSerialPort(address)))
  return [...findings, ...(await checkModemManager(places))]
}

/** The virtual modem is part of the gateway and has no port. */
export function withoutVirtual({ auto, addresses }: Wanted): Wanted {
  return { auto, addresses: addresses.filter((address) => address !== virtual) }
}

const virtual = 'virtual'

const noModem = fail(
  'modems',
  'no USB modem found',
  'plug one in; for a modem behind a serial adapter or the network, set MODEMS=/dev/ttyUSB0 or tcp://host:port',
)

async function checkPlace(place: Place, agentPid: number | undefined): Promise<readonly Finding[]> {
  const [port = ''] = place.ports
  const subject = `port ${port}`
  if (place.isHidden) return [ok(subject, 'checked when the modem is opened')]
  if (!place.isPresent) {
    return [
      fail(subject, 'not found', 'check that the modem is plugged in; if its port has changed, MODEMS=auto finds it'),
    ]
  }
  const mayUse = await access(port, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!mayUse) {
    const known = await readPortAccess(port)
    if (known === undefined) return []
    const finding = fail(subject, 'no access', describeForbidden(known))
    const command = grantAccess(known)
    if (command === undefined) return [finding]
    return [
      { ...finding, fix: { about: `let ${known.user} use ${port}, from the next login on`, commands: [command] } },
    ]
  }
  const isDevice = (await stat(await realpath(port))).isCharacterDevice()
  if (!isDevice) return [fail(subject, 'not a serial port', 'set MODEMS to a device such as /dev/ttyUSB2')]
  const holders = await readHolders(port)
  // A pseudo-terminal is also held open by the process that created it.
  const isPseudo = holders.device.startsWith('/dev/pts/')
  const others = holders.programs.filter(({ pid }) => pid !== agentPid && !isPseudo)
  if (others.length > 0) {
    return [fail(subject, 'in use', describeHolders({ ...holders, programs: others }))]
  }
  return [ok(subject, 'accessible')]
}

/** A suspended modem does not announce messages. */
function checkSleep({ usb }: Place, { sysfs }: DeviceFolders): readonly Finding[] {
  if (usb === undefined) return []
  const file = join(sysfs, 'bus/usb/devices', usb.path, 'power/control')
  if (readText(file) !== 'auto') return []
  return [
    warn(
      `USB device ${usb.id}`,
      'may be suspended to save power',
      `${ignoreModemsCommand()}, then plug it in again; or: echo on | sudo tee ${file}`,
    ),
  ]
}

/** Checks that ModemManager ignores each modem, because otherwise it would write its own commands to the modem. */
async function checkModemManager(places: readonly Place[]): Promise<readonly Finding[]> {
  const { runsModemManager } = await readHolders('/dev/null')
  if (!runsModemManager) return []
  const shared = places.filter(({ isShared }) => isShared)
  const sharing = shared.map(({ ports }) =>
    ok('ModemManager', `running; it ignores ${ports.join(' and ')}, and may use the other ports of the modem`),
  )
  const others = places.filter(({ isShared }) => !isShared)
  const modems = others.flatMap(({ usb }) => usb ?? [])
  const disturbed = modems.filter((usb) => !/^E:ID_MM_\w+_IGNORE=1$/m.test(readText(udevRecord(usb)) ?? ''))
  if (modems.length === 0) return sharing
  if (disturbed.length === 0) return [...sharing, ok('ModemManager', 'running; it ignores these modems')]
  const canShare = others.some(({ commandPorts = [] }) => commandPorts.length > 1)
  return [
    ...sharing,
    warn(
      'ModemManager',
      `running, and may take over ${disturbed.map(({ id, path }) => `${id} at ${path}`).join(' and ')}`,
      `${ignoreModemsCommand()}, then plug the modem in again; ` +
        `${canShare ? `to keep its data connection instead: ${shareModemsCommand()}; ` : ''}` +
        'or: sudo systemctl disable --now ModemManager',
    ),
  ]
}
