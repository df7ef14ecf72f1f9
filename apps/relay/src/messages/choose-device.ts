/** A device of the account, as far as the choice goes. */
export interface DeviceOnRoster {
  readonly id: string
  readonly lastSeen: Date | null
  /** A relay holds its socket, and may be believed until then. */
  readonly leaseUntil: Date | null
  /** Slots that it has reported, empty ones included; none: it never told. */
  readonly slots: readonly number[]
  /** Those of them with a SIM that is in the network. */
  readonly readySlots: readonly number[]
  /** Recipients that it has not finished with. */
  readonly waiting: number
}

export interface DeviceWish {
  readonly deviceId: string | undefined
  readonly simNumber: number | undefined
  /** Seen within so many hours; 0: no matter when. */
  readonly activeWithinHours: number
  readonly queueLimit: number
}

export type DeviceChoice<Device extends DeviceOnRoster> =
  | { readonly ok: true; readonly device: Device }
  | { readonly ok: false; readonly problem: DeviceProblem }

export type DeviceProblem = 'none' | 'unknown' | 'no-such-sim' | 'not-active' | 'queue-full'

/** Who sends it: the one that was asked for, else the one that will probably send it first. */
export function chooseDevice<Device extends DeviceOnRoster>(
  devices: readonly Device[],
  wish: DeviceWish,
  now: Date,
): DeviceChoice<Device> {
  if (devices.length === 0) return refused(wish.deviceId === undefined ? 'none' : 'unknown')
  const known = wish.deviceId === undefined ? devices : devices.filter(({ id }) => id === wish.deviceId)
  if (known.length === 0) return refused('unknown')
  const able = known.filter((device) => canHave(device, wish.simNumber))
  if (able.length === 0) return refused('no-such-sim')
  const active = wish.deviceId === undefined ? able.filter((device) => isActive(device, wish, now)) : able
  if (active.length === 0) return refused('not-active')
  const free = active.filter(({ waiting }) => waiting < wish.queueLimit)
  if (free.length === 0) return refused('queue-full')
  return { ok: true, device: free.reduce((best, one) => (compare(one, best, wish, now) < 0 ? one : best)) }
}

/** Online, then with a working SIM, then one that may have it, then the shortest queue. Among those offline the one that was seen last. */
function compare(one: DeviceOnRoster, other: DeviceOnRoster, { simNumber }: DeviceWish, now: Date): number {
  const online = Number(isOnline(other, now)) - Number(isOnline(one, now))
  if (online !== 0) return online
  if (!isOnline(one, now)) return seenMs(other) - seenMs(one)
  return readiness(other, simNumber) - readiness(one, simNumber) || one.waiting - other.waiting
}

function isOnline({ leaseUntil }: DeviceOnRoster, now: Date): boolean {
  return leaseUntil !== null && leaseUntil > now
}

/** Unknown counts as able: the device will say so if it has none. */
function canHave({ slots }: DeviceOnRoster, simNumber: number | undefined): boolean {
  return simNumber === undefined || slots.length === 0 || slots.includes(simNumber)
}

/** 2: it has a working SIM. 1: it told of none, and may find one. 0: it has told, and has none. */
function readiness({ slots, readySlots }: DeviceOnRoster, simNumber: number | undefined): number {
  if (slots.length === 0) return 1
  const isReady = simNumber === undefined ? readySlots.length > 0 : readySlots.includes(simNumber)
  return isReady ? 2 : 0
}

function isActive(device: DeviceOnRoster, { activeWithinHours }: DeviceWish, now: Date): boolean {
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
