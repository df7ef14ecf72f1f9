import type { DeviceFolders, ModemSite, PlaceOnUsb } from '../../modems/discovery/find-places.ts'
import {
  ignoreModemsCommand,
  shareModemsCommand,
  udevRecord,
  withoutQuestion,
} from '../../modems/discovery/udev-rules.ts'
import { readHolders } from '../../ports/port-holders.ts'
import { type CodedFinding, type Fix, okFinding, warnFinding } from '../finding.ts'
import { readText } from './check-machine.ts'

type Machine = Pick<DeviceFolders, 'proc' | 'udev'>

/** Checks that ModemManager ignores each modem, because otherwise it would write its own commands to the modem. */
export async function checkModemManager(
  places: readonly ModemSite[],
  machine: Machine,
): Promise<readonly CodedFinding[]> {
  const { runsModemManager } = await readHolders('/dev/null', machine.proc)
  if (!runsModemManager) return []
  const shared = places.filter(({ isShared }) => isShared)
  const sharing = shared.map(({ ports }) =>
    okFinding('ModemManager', `running; ignores ${ports.join(' and ')}, and may use the other ports of the modem`, {
      code: 'manager.shares',
      values: { ports: ports.join(', ') },
    }),
  )
  const others = places.filter(({ isShared }) => !isShared)
  if (others.every(({ usb }) => usb === undefined)) return sharing
  const disturbed = others.filter((place) => isDisturbed(place, machine)).flatMap(({ usb }) => usb ?? [])
  if (disturbed.length === 0) {
    return [...sharing, okFinding('ModemManager', 'running; ignores these modems', { code: 'manager.ignores' })]
  }
  const fix = fixFor(places, machine)
  const finding = warnFinding(
    'ModemManager',
    `running, and may take over ${disturbed.map(nameOf).join(' and ')}`,
    `${ignoreModemsCommand()}, then plug the modem in again; ` +
      `${others.some(canShare) ? `to share the modem and keep the data connection of ModemManager: ${shareModemsCommand()}; ` : ''}` +
      'or: sudo systemctl disable --now ModemManager',
    {
      code: 'manager.takes',
      values: { devices: disturbed.map(({ id }) => id).join(', ') },
      commands: [ignoreModemsCommand()],
    },
  )
  return [...sharing, fix === undefined ? finding : { ...finding, fix }]
}

/** Returns the fix for a port that ModemManager holds. */
export async function modemManagerFix(places: readonly ModemSite[], machine: Machine): Promise<Fix | undefined> {
  const { runsModemManager } = await readHolders('/dev/null', machine.proc)
  return runsModemManager ? fixFor(places, machine) : undefined
}

/**
 * Each command replaces the rules for all modems. Therefore the fix is to share the modems only if every modem can be
 * shared and no modem is ignored yet. Otherwise the fix is to ignore the modems, but only if no modem is shared yet.
 */
function fixFor(places: readonly ModemSite[], machine: Machine): Fix | undefined {
  const modems = places.filter(({ usb }) => usb !== undefined)
  const disturbed = modems.filter((place) => !place.isShared && isDisturbed(place, machine))
  if (disturbed.length === 0) return undefined
  const names = disturbed.flatMap(({ usb }) => usb ?? []).map(nameOf)
  if (modems.every((place) => place.isShared || (disturbed.includes(place) && canShare(place)))) {
    const about = `share ${names.join(' and ')} with ModemManager, so that the gateway has one command port of each modem for itself`
    return { about: `${about}; then plug the modem in again`, commands: [withoutQuestion(shareModemsCommand())] }
  }
  if (modems.some(({ isShared }) => isShared)) return undefined
  const about = `make ModemManager ignore ${names.join(' and ')}; then plug the modem in again`
  return { about, commands: [withoutQuestion(ignoreModemsCommand())] }
}

/**
 * False if MODEMS names a port of the modem. The gateway keeps that port, but the rules would reserve another port for
 * the gateway.
 */
function canShare({ commandPorts = [], position }: ModemSite): boolean {
  return commandPorts.length > 1 && position === undefined
}

/** True if no udev rule keeps ModemManager away from the modem. */
function isDisturbed({ usb }: ModemSite, { udev }: Machine): boolean {
  return usb !== undefined && !/^E:ID_MM_\w+_IGNORE=1$/m.test(readText(udevRecord(usb, udev)) ?? '')
}

const nameOf = ({ id, path }: PlaceOnUsb): string => `${id} at ${path}`
