import { access, constants, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { classifyDevice, nameOf } from '../../modems/discovery/classify-device.ts'
import {
  type DeviceFolders,
  findPlaces,
  type ModemSite,
  thisMachine,
  type Wanted,
} from '../../modems/discovery/find-places.ts'
import { ignoreModemsCommand } from '../../modems/discovery/udev-rules.ts'
import { readUsbBus } from '../../modems/discovery/usb-bus.ts'
import { describeForbidden, grantAccess, type PortAccess, readPortAccess } from '../../ports/port-access.ts'
import { describeHolders, type Holders, readHolders } from '../../ports/port-holders.ts'
import type { ShownModem } from '../../status/agent-status.ts'
import { type CodedFinding, failFinding, okFinding, warnFinding } from '../finding.ts'
import { readText } from './check-machine.ts'
import { checkModeSwitch } from './check-mode-switch.ts'
import { checkModemManager, modemManagerFix } from './check-modem-manager.ts'
import { checkSerialPort } from './check-serial.ts'

interface RunningAgent {
  readonly pid: number
  readonly modems: readonly Pick<ShownModem, 'port' | 'state'>[]
}

/**
 * Checks modems without opening them: their USB mode, the permissions of their ports, and the programs that use the
 * ports. A running agent may have the ports open.
 */
export async function checkPorts(
  wanted: Wanted,
  agent: RunningAgent | undefined,
  machine: DeviceFolders = thisMachine,
): Promise<readonly CodedFinding[]> {
  const real = withoutVirtual(wanted)
  const { places: listed, unusable } = await findPlaces(real, machine)
  const places = listed.length > 0 ? listed : await placesInUse(agent, machine)
  const findings = [
    ...(await checkUnusable(unusable, machine)),
    ...(real.auto ? await checkModeSwitch(machine.sysfs) : []),
  ]
  const isVirtual =
    real.addresses.length < wanted.addresses.length || agent?.modems.some(({ port }) => port === virtual)
  if (isVirtual) findings.push(okFinding('modems', 'virtual modem, part of the gateway', { code: 'modems.virtual' }))
  else if (places.length === 0) findings.push(noModem)
  if (places.length === 0) findings.push(...(await listUsbDevices(machine)))
  for (const place of places) {
    const held = await checkPlace(place, agent?.pid, machine)
    const fix = held.some(({ meaning }) => meaning.code === 'port.manager')
      ? await modemManagerFix(places, machine)
      : undefined
    findings.push(...(fix === undefined ? held : held.map((finding) => ({ ...finding, fix }))))
    findings.push(...secondPort(place), ...checkSleep(place, machine))
  }
  findings.push(...real.addresses.flatMap((address) => checkSerialPort(address)))
  return [...findings, ...(await checkModemManager(places, machine))]
}

/** Finds the modems of a running agent, which may have another setting MODEMS than this process. */
async function placesInUse(agent: RunningAgent | undefined, machine: DeviceFolders): Promise<readonly ModemSite[]> {
  const ready = agent?.modems.filter(({ state }) => state === 'ready' || state === 'degraded') ?? []
  const addresses = ready.flatMap(({ port }) => (port === undefined || port === virtual ? [] : [port]))
  return addresses.length === 0 ? [] : (await findPlaces({ auto: false, addresses }, machine)).places
}

/** Removes the virtual modem, which is part of the gateway and has no port. */
export function withoutVirtual({ auto, addresses }: Wanted): Wanted {
  return { auto, addresses: addresses.filter((address) => address !== virtual) }
}

const virtual = 'virtual'

const noModem = failFinding(
  'modems',
  'no USB modem found',
  'plug one in; for a modem behind a serial adapter or the network, set MODEMS=/dev/ttyUSB0 or tcp://host:port',
  { code: 'modems.none' },
)

/** Explains the devices that look like modems and cannot be used. */
async function checkUnusable(problems: readonly string[], { sysfs }: DeviceFolders): Promise<readonly CodedFinding[]> {
  if (problems.length === 0) return []
  const bus = (await readUsbBus(sysfs)).map((device) => ({ device: nameOf(device), found: classifyDevice(device) }))
  return problems.map((problem) => {
    const known = bus.find(({ found }) => found.kind === 'unusable' && found.problem === problem)
    return warnFinding(
      'USB',
      problem,
      'the agent does not use the device until this is solved',
      known?.found.kind === 'unusable'
        ? { code: `usb.${known.found.reason}`, values: { device: known.device } }
        : { code: 'usb.other', values: { problem } },
    )
  })
}

/** Names the connected USB devices, so that a person can see whether the modem is among them. Hubs are left out. */
async function listUsbDevices({ sysfs }: DeviceFolders): Promise<readonly CodedFinding[]> {
  const devices = (await readUsbBus(sysfs)).filter((device) => !isHub(device))
  if (devices.length === 0) return [okFinding('USB', 'no devices are connected', { code: 'usb.nothing' })]
  const names = devices.map(({ id, product }) => (product === undefined ? id : `${product.slice(0, 40)} (${id})`))
  const text = names.join(', ')
  return [okFinding('USB', `connected: ${text}`, { code: 'usb.seen', values: { devices: text } })]
}

const isHub = ({ interfaces }: { readonly interfaces: readonly { readonly class: string }[] }): boolean =>
  interfaces.length > 0 && interfaces.every((each) => each.class.startsWith('09/'))

async function checkPlace(
  place: ModemSite,
  agentPid: number | undefined,
  { proc }: DeviceFolders,
): Promise<readonly CodedFinding[]> {
  const [port = ''] = place.ports
  const subject = `port ${port}`
  if (place.isHidden) {
    return [
      okFinding(subject, 'not checked: the modem must be opened first', { code: 'port.hidden', values: { port } }),
    ]
  }
  if (!place.isPresent) {
    return [
      failFinding(
        subject,
        'not found',
        'check that the modem is plugged in; if its port has changed, MODEMS=auto finds it',
        {
          code: 'port.missing',
          values: { port },
        },
      ),
    ]
  }
  const mayUse = await access(port, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!mayUse) {
    const known = await readPortAccess(port)
    if (known === undefined) return []
    const command = grantAccess(known)
    const finding = failFinding(subject, 'no access', describeForbidden(known), forbiddenMeaning(known))
    if (command === undefined) return [finding]
    return [
      { ...finding, fix: { about: `let ${known.user} use ${port}, from the next login on`, commands: [command] } },
    ]
  }
  const isDevice = (await stat(await realpath(port))).isCharacterDevice()
  if (!isDevice) {
    return [
      failFinding(subject, 'not a serial port', 'set MODEMS to a device such as /dev/ttyUSB2', {
        code: 'port.not-serial',
        values: { port },
      }),
    ]
  }
  const holders = await readHolders(port, proc)
  // The process that created a pseudo-terminal also keeps it open.
  const isPseudo = holders.device.startsWith('/dev/pts/')
  const others = holders.programs.filter(({ pid }) => pid !== agentPid && !isPseudo)
  if (others.length > 0) {
    const found = { ...holders, programs: others }
    return [failFinding(subject, 'in use', describeHolders(found), heldMeaning(found))]
  }
  return [okFinding(subject, 'accessible', { code: 'port.ok', values: { port } })]
}

/** Returns the code of the finding that {@link describeForbidden} describes. */
function forbiddenMeaning({ path, user, isSuperuser, group, groupMayUse, isMember }: PortAccess) {
  if (isSuperuser) return { code: 'port.container', values: { port: path } } as const
  if (!groupMayUse) {
    return { code: 'port.owner-only', values: { port: path }, commands: [`sudo chmod g+rw ${path}`] } as const
  }
  const values = { port: path, user, group }
  return { code: isMember ? ('port.login-again' as const) : ('port.forbidden' as const), values }
}

/** Returns the code of the finding that {@link describeHolders} describes. */
function heldMeaning({ device, programs }: Holders) {
  const values = { port: device }
  if (programs.some(({ name }) => name === 'ModemManager')) {
    return { code: 'port.manager', values, commands: [ignoreModemsCommand()] } as const
  }
  return {
    code: 'port.in-use',
    values: { ...values, programs: programs.map(({ name, pid }) => `${name} (${pid})`).join(', ') },
  } as const
}

/**
 * Describes the second port of a modem, which the agent uses while the first port waits for an answer. A shared modem
 * has only one port.
 */
function secondPort({ ports: [port = ''], commandPorts = [], isShared }: ModemSite): readonly CodedFinding[] {
  const second = commandPorts.find((each) => each !== port)
  if (second === undefined || isShared) return []
  const text = `its modem has a second command port, ${second}, which the agent uses as well`
  return [okFinding(`port ${port}`, text, { code: 'port.second', values: { port, second } })]
}

/** Checks that the USB device is not suspended. A suspended modem does not announce messages. */
function checkSleep({ usb }: ModemSite, { sysfs }: DeviceFolders): readonly CodedFinding[] {
  if (usb === undefined) return []
  const file = join(sysfs, 'bus/usb/devices', usb.path, 'power/control')
  if (readText(file) !== 'auto') return []
  return [
    warnFinding(
      `USB device ${usb.id}`,
      'may be suspended to save power',
      `${ignoreModemsCommand()}, then plug it in again; or: echo on | sudo tee ${file}`,
      { code: 'usb.suspends', values: { device: usb.id }, commands: [ignoreModemsCommand()] },
    ),
  ]
}
