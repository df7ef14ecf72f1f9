import type { KeyLimits } from '@smsgw/contract/access/api-key'
import type { Capability } from '@smsgw/contract/link/frame'
import type { SendMessageRequest } from '@smsgw/contract/messages/message'
import { ApiError } from '../../http/errors/api-error.ts'
import { fieldError } from '../../http/errors/validation-error.ts'
import { isLeased } from '../../link/claim/lease.ts'

/** A device of the account with the facts that the choice depends on. */
export interface DeviceOnRoster {
  readonly id: string
  readonly lastSeen: Date | null
  /** The device counts as connected until this time. The relay that has the connection extends this time. */
  readonly leaseUntil: Date | null
  /** The capabilities that the agent reported; null if it has never connected. */
  readonly capabilities: readonly string[] | null
  /** The slots that the device reported, including slots without a SIM. Empty until the device reports. */
  readonly slots: readonly number[]
  /** The slots whose SIM is registered on a network. */
  readonly readySlots: readonly number[]
  /** The slots of virtual modems. */
  readonly emulatedSlots: readonly number[]
  /** Shared by all cached rows of the device. */
  readonly queue: {
    /** The number of unfinished recipients. */
    readonly waiting: number
  }
}

/** The devices of an account that a message may be sent with. */
export interface Roster<Device extends DeviceOnRoster = DeviceOnRoster> {
  readonly devices: readonly Device[]
  /** True if any device of the account has a real modem. Not used for devices without a virtual modem. */
  readonly hasRealModem: boolean
}

export interface DeviceCriteria {
  readonly deviceId: string | undefined
  readonly simNumber: number | undefined
  /** If set, only these SIMs may be used. An entry without a SIM number allows all SIMs of its device. */
  readonly allowedSims?: KeyLimits['sims'] | undefined
  /** The capabilities that the agent must have. */
  readonly capabilities: readonly Capability[]
  /** Only devices that were connected within this time are chosen; 0 means any time. */
  readonly activeWithinHours: number
  readonly queueLimit: number
  /** True if virtual modems may be used even if the account has a real modem. */
  readonly mayMixEmulated: boolean
}

export type DeviceChoice<Device extends DeviceOnRoster> =
  | { readonly ok: true; readonly device: Device; readonly simNumber: number | undefined }
  | { readonly ok: false; readonly problem: DeviceProblem }

export type DeviceProblem =
  | 'none'
  | 'unknown'
  | 'sim-not-allowed'
  | 'no-such-sim'
  | 'emulated'
  | 'too-old'
  | 'no-key'
  | 'no-mms'
  | 'no-aliases'
  | 'not-active'
  | 'queue-full'

/**
 * Chooses the device that sends a message: the requested device, or otherwise the device that will probably send the
 * message first. While the account has a real modem, even if it is disconnected, no virtual modem is chosen, because
 * its messages would not reach a phone.
 */
export function chooseDevice<Device extends DeviceOnRoster>(
  { devices, hasRealModem }: Roster<Device>,
  criteria: DeviceCriteria,
  now: Date,
): DeviceChoice<Device> {
  if (devices.length === 0) return refused(criteria.deviceId === undefined ? 'none' : 'unknown')
  const checks = checksOf(criteria, hasRealModem, now)
  let isKnown = false
  let best: Candidate<Device> | undefined
  let mostPassed = -1
  for (const device of devices) {
    if (criteria.deviceId !== undefined && device.id !== criteria.deviceId) continue
    isKnown = true
    for (const simNumber of permittedSims(device, criteria)) {
      const passed = countPassed(checks, device, simNumber)
      if (passed > mostPassed) mostPassed = passed
      if (passed < checks.length) continue
      const isOnline = isLeased(device.leaseUntil, now)
      if (best === undefined || compare(device, simNumber, isOnline, best) < 0) best = { device, simNumber, isOnline }
    }
  }
  if (best !== undefined) return { ok: true, device: best.device, simNumber: best.simNumber }
  if (!isKnown) return refused('unknown')
  return refused(checks[mostPassed]?.problem ?? 'sim-not-allowed')
}

/** A device that can send the message, and the SIM that the message requires. */
interface Candidate<Device extends DeviceOnRoster = DeviceOnRoster> {
  readonly device: Device
  /** Undefined if any SIM of the device may be used. */
  readonly simNumber: number | undefined
  readonly isOnline: boolean
}

/** A check of a device with a SIM. If no device passes it that passed the checks before it, its problem is returned. */
interface Check {
  readonly problem: DeviceProblem
  passes(device: DeviceOnRoster, simNumber: number | undefined): boolean
}

function checksOf(criteria: DeviceCriteria, hasRealModem: boolean, now: Date): readonly Check[] {
  const { deviceId, queueLimit } = criteria
  const needsReal = hasRealModem && !criteria.mayMixEmulated
  return [
    // A request without a SIM fails here only if the key is limited to SIMs that the devices do not have.
    { problem: criteria.simNumber === undefined ? 'sim-not-allowed' : 'no-such-sim', passes: canHave },
    { problem: 'emulated', passes: (device, simNumber) => !needsReal || !isEmulated(device, simNumber) },
    ...criteria.capabilities.map((capability) => ({
      problem: missing(capability),
      passes: (device: DeviceOnRoster) => supports(device, capability),
    })),
    { problem: 'not-active', passes: (device) => deviceId !== undefined || isActive(device, criteria, now) },
    { problem: 'queue-full', passes: ({ queue }) => queue.waiting < queueLimit },
  ]
}

function countPassed(checks: readonly Check[], device: DeviceOnRoster, simNumber: number | undefined): number {
  let passed = 0
  for (const check of checks) {
    if (!check.passes(device, simNumber)) break
    passed += 1
  }
  return passed
}

/** Returns the SIMs of a device that the message may use. Undefined in the list stands for any SIM. */
function permittedSims(device: DeviceOnRoster, criteria: DeviceCriteria): readonly (number | undefined)[] {
  const { simNumber, allowedSims } = criteria
  if (allowedSims === undefined) return [simNumber]
  const ofDevice = allowedSims.filter(({ deviceId }) => deviceId === device.id)
  if (ofDevice.some((allowed) => allowed.simNumber === undefined)) return [simNumber]
  const numbers = ofDevice.flatMap((allowed) => allowed.simNumber ?? [])
  return simNumber === undefined ? numbers : numbers.filter((number) => number === simNumber)
}

/**
 * Prefers online devices, then a working SIM, then a possible SIM, then the shortest queue. Among offline devices, the
 * device that was seen last is preferred.
 */
function compare(device: DeviceOnRoster, simNumber: number | undefined, isOnline: boolean, best: Candidate): number {
  if (isOnline !== best.isOnline) return isOnline ? -1 : 1
  if (!isOnline) return seenMs(best.device) - seenMs(device)
  const ready = readiness(best.device, best.simNumber) - readiness(device, simNumber)
  return ready || device.queue.waiting - best.device.queue.waiting
}

/**
 * Returns true for a device that has not reported its slots, because it may have the SIM. If it does not have the SIM,
 * the message fails at the device.
 */
function canHave({ slots }: DeviceOnRoster, simNumber: number | undefined): boolean {
  return simNumber === undefined || slots.length === 0 || slots.includes(simNumber)
}

export function hasRealSlot({ slots, emulatedSlots }: Pick<DeviceOnRoster, 'slots' | 'emulatedSlots'>): boolean {
  return slots.some((slot) => !emulatedSlots.includes(slot))
}

/** Returns true if the requested SIM, or every SIM, is virtual. Slots that are not reported may be real. */
function isEmulated(device: DeviceOnRoster, simNumber: number | undefined): boolean {
  if (simNumber !== undefined) return device.emulatedSlots.includes(simNumber)
  return device.slots.length > 0 && !hasRealSlot(device)
}

/**
 * Returns true for a device that has never connected, because it may have the capability. If it does not, the message
 * fails at the device. The capabilities of a phone are known as soon as the device exists.
 */
function supports({ capabilities }: DeviceOnRoster, capability: Capability): boolean {
  return capabilities === null ? capability === 'encrypted-data' : capabilities.includes(capability)
}

function missing(capability: Capability): DeviceProblem {
  if (capability === 'mms') return 'no-mms'
  if (capability === 'number-alias') return 'no-aliases'
  return capability === 'public-key' ? 'no-key' : 'too-old'
}

/**
 * Returns 2 if the device has a working SIM, 1 if it has not reported its slots and so may have a working SIM, and 0 if
 * it has no working SIM.
 */
function readiness({ slots, readySlots }: DeviceOnRoster, simNumber: number | undefined): number {
  if (slots.length === 0) return 1
  const isReady = simNumber === undefined ? readySlots.length > 0 : readySlots.includes(simNumber)
  return isReady ? 2 : 0
}

function isActive(device: DeviceOnRoster, { activeWithinHours }: DeviceCriteria, now: Date): boolean {
  return (
    activeWithinHours === 0 ||
    isLeased(device.leaseUntil, now) ||
    seenMs(device) >= now.getTime() - activeWithinHours * 3_600_000
  )
}

function seenMs({ lastSeen }: DeviceOnRoster): number {
  return lastSeen?.getTime() ?? 0
}

function refused(problem: DeviceProblem) {
  return { ok: false, problem } as const
}

const RETRY_AFTER_SECONDS = 10

/** The API error when no device can take a message. */
export function deviceRefusal(
  problem: Exclude<DeviceProblem, 'sim-not-allowed'>,
  { deviceId, simNumber }: Pick<SendMessageRequest, 'deviceId' | 'simNumber'>,
): ApiError {
  switch (problem) {
    case 'none':
      return new ApiError(
        400,
        'The account has no device to send with: create a pairing code with POST /devices/codes and run `agent pair` with it',
        { reason: 'no_device' },
      )
    case 'unknown':
      return fieldError('deviceId', {
        reason: 'unknown_device',
        message: 'is not a device of this account: use an id from GET /devices',
      })
    case 'no-such-sim':
      return fieldError('simNumber', {
        reason: 'unknown_sim',
        values: { simNumber: simNumber ?? '' },
        message: `${simNumber} does not exist on the device: GET /devices lists its SIMs`,
      })
    case 'emulated':
      return fieldError(simNumber === undefined ? 'deviceId' : 'simNumber', {
        reason: 'emulated_modem',
        message:
          'is a virtual modem, but the account has a real modem: choose the real modem, delete the device of the real modem, or set MIX_EMULATED_MODEMS=1 on the relay',
      })
    case 'too-old':
      return fieldError('dataMessage', {
        message: 'cannot be sent encrypted, because the agent is too old: upgrade all relays, then the agents',
      })
    case 'no-key':
      return fieldError('deviceId', {
        message: 'has no public key, so it cannot decrypt the message: GET /devices shows the keys',
      })
    case 'no-aliases':
      return fieldError('deviceId', {
        message: 'cannot send to an alias: choose the device that reported the alias',
      })
    case 'no-mms':
      return fieldError('mmsMessage', {
        message:
          deviceId === undefined
            ? 'cannot be sent, because no device of the account can send MMS: register a phone with an app that sends MMS. Modems cannot send MMS'
            : 'cannot be sent by this device: choose a phone with an app that sends MMS. Modems cannot send MMS',
      })
    case 'not-active':
      return new ApiError(
        400,
        'No device was seen within the number of hours in "deviceActiveWithin": use a larger value, or leave it out',
      )
    case 'queue-full':
      return new ApiError(503, 'The queue of the device is full: try again later', {
        reason: 'queue_full',
        headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
      })
  }
}
