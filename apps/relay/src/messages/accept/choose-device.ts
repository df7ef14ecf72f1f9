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
  /** The number of unfinished recipients. */
  readonly waiting: number
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
  devices: readonly Device[],
  criteria: DeviceCriteria,
  now: Date,
): DeviceChoice<Device> {
  if (devices.length === 0) return refused(criteria.deviceId === undefined ? 'none' : 'unknown')
  const known = criteria.deviceId === undefined ? devices : devices.filter(({ id }) => id === criteria.deviceId)
  if (known.length === 0) return refused('unknown')
  const permitted = known.flatMap((device) => candidatesOf(device, criteria))
  if (permitted.length === 0) return refused('sim-not-allowed')
  const equipped = permitted.filter(canHave)
  // A request without a SIM fails here only if the key is limited to SIMs that the devices do not have.
  if (equipped.length === 0) return refused(criteria.simNumber === undefined ? 'sim-not-allowed' : 'no-such-sim')
  const hasReal = !criteria.mayMixEmulated && devices.some(hasRealSlot)
  const allowed = hasReal ? equipped.filter(({ device, simNumber }) => !isEmulated(device, simNumber)) : equipped
  if (allowed.length === 0) return refused('emulated')
  let able = allowed
  for (const capability of criteria.capabilities) {
    able = able.filter(({ device }) => supports(device, capability))
    if (able.length === 0) return refused(missing(capability))
  }
  const active = criteria.deviceId === undefined ? able.filter(({ device }) => isActive(device, criteria, now)) : able
  if (active.length === 0) return refused('not-active')
  const free = active.filter(({ device }) => device.waiting < criteria.queueLimit)
  if (free.length === 0) return refused('queue-full')
  return { ok: true, ...free.reduce((best, one) => (compare(one, best, now) < 0 ? one : best)) }
}

/** A device, and the SIM that the message requires. `simNumber` is undefined if any SIM of the device may be used. */
interface Candidate<Device extends DeviceOnRoster = DeviceOnRoster> {
  readonly device: Device
  readonly simNumber: number | undefined
}

/**
 * Returns the SIMs of a device that the message may use: one candidate for each allowed SIM, or a single candidate that
 * stands for any SIM.
 */
function candidatesOf<Device extends DeviceOnRoster>(
  device: Device,
  { simNumber, allowedSims }: DeviceCriteria,
): Candidate<Device>[] {
  if (allowedSims === undefined) return [{ device, simNumber }]
  const ofDevice = allowedSims.filter(({ deviceId }) => deviceId === device.id)
  if (ofDevice.some((allowed) => allowed.simNumber === undefined)) return [{ device, simNumber }]
  const numbers = ofDevice.flatMap((allowed) => allowed.simNumber ?? [])
  return numbers
    .filter((number) => simNumber === undefined || number === simNumber)
    .map((number) => ({ device, simNumber: number }))
}

/**
 * Prefers online devices, then a working SIM, then a possible SIM, then the shortest queue. Among offline devices, the
 * device that was seen last is preferred.
 */
function compare(one: Candidate, other: Candidate, now: Date): number {
  const online = Number(isOnline(other.device, now)) - Number(isOnline(one.device, now))
  if (online !== 0) return online
  if (!isOnline(one.device, now)) return seenMs(other.device) - seenMs(one.device)
  const ready = readiness(other.device, other.simNumber) - readiness(one.device, one.simNumber)
  return ready || one.device.waiting - other.device.waiting
}

function isOnline({ leaseUntil }: DeviceOnRoster, now: Date): boolean {
  return isLeased(leaseUntil, now)
}

/**
 * Returns true for a device that has not reported its slots, because it may have the SIM. If it does not have the SIM,
 * the message fails at the device.
 */
function canHave({ device: { slots }, simNumber }: Candidate): boolean {
  return simNumber === undefined || slots.length === 0 || slots.includes(simNumber)
}

function hasRealSlot({ slots, emulatedSlots }: DeviceOnRoster): boolean {
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
    activeWithinHours === 0 || isOnline(device, now) || seenMs(device) >= now.getTime() - activeWithinHours * 3_600_000
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
