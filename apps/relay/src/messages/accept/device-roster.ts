import type { Clock } from '../../clock.ts'
import type { Database } from '../../store/database.ts'
import { FreshLookup } from '../../store/fresh-lookup.ts'
import { storableText } from '../../store/storable.ts'
import {
  chooseDevice,
  type DeviceCriteria,
  type DeviceOnRoster,
  type DeviceProblem,
  hasRealSlot,
  type Roster,
} from './choose-device.ts'
import { type DeviceQueue, DeviceQueues } from './device-queues.ts'
import { readNamedDevices } from './read-named-devices-statement.ts'
import { readRosters, type StoredDevice } from './read-rosters-statement.ts'

interface RosterDeps {
  readonly database: Database
  readonly clock: Clock
  /** The largest number of unfinished recipients per device. */
  readonly queueLimit: number
  /** True if virtual modems may be used even in accounts with a real modem. */
  readonly mayMixEmulated?: boolean | undefined
}

/** The criteria that differ for each message. The other criteria are the same for all messages. */
type Requirements = Omit<DeviceCriteria, 'queueLimit' | 'mayMixEmulated'>

export type ReservationOrProblem =
  | { readonly ok: true; readonly reservation: Reservation }
  | { readonly ok: false; readonly problem: DeviceProblem }

/** A slot in the queue of a device, reserved until the message is stored or refused. */
export interface Reservation {
  readonly deviceId: string
  /** The SIM that the request names, or that the limits of the API key require. */
  readonly simNumber: number | undefined
  end(isStored: boolean): void
}

/** The number of accounts whose devices are cached. */
const ACCOUNTS = 10_000
/** The number of single devices that are cached. */
const DEVICES = 10_000

/**
 * Chooses devices from memory, without a query per message.
 *
 * A request that names its device reads only this device, because an account may have thousands. A request with a key
 * that is limited to some SIMs reads only the devices of these SIMs. Any other request needs all devices of the
 * account. Devices are read at most once a second.
 *
 * Each reservation adds to the queue length in memory. If its message is not yet stored when the device is read again,
 * the reservation is still counted. So this process adds no message to a queue that its own messages have filled.
 * Messages of other processes are counted with a delay of at most one second. Before a message is refused, its devices
 * are read again.
 */
export class DeviceRoster {
  readonly #deps: RosterDeps
  readonly #accounts: FreshLookup<CachedRoster>
  readonly #devices: FreshLookup<CachedRoster>
  readonly #queues = new DeviceQueues()

  constructor(deps: RosterDeps) {
    this.#deps = deps
    const nowMs = () => this.#nowMs()
    this.#accounts = new FreshLookup({ load: (ids) => this.#readAccounts(ids), nowMs, size: ACCOUNTS })
    this.#devices = new FreshLookup({ load: (ids) => this.#readDevices(ids), nowMs, size: DEVICES })
  }

  async reserve(accountId: string, criteria: Requirements, recipients: number): Promise<ReservationOrProblem> {
    const reserved = this.#tryReserve(await this.#find(accountId, criteria), criteria, recipients)
    if (reserved.ok) return reserved
    this.#forgetFound(accountId, criteria)
    return this.#tryReserve(await this.#find(accountId, criteria), criteria, recipients)
  }

  /** Drops the cached devices of an account. */
  forget(accountId: string): void {
    this.#accounts.forgetOne(accountId)
    this.#devices.forget((_, id) => namedOf(id).accountId === accountId)
  }

  /** Returns the devices that the message may be sent with, and perhaps other devices of the account. */
  async #find(accountId: string, criteria: Requirements): Promise<CachedRoster | undefined> {
    const named = namedDevices(criteria)
    if (named === undefined) return await this.#accounts.get(accountId)
    const found = await Promise.all(named.map((deviceId) => this.#devices.get(idOf(accountId, deviceId))))
    const rosters = found.filter((roster) => roster !== undefined)
    if (rosters.length > 0)
      return {
        devices: rosters.flatMap(({ devices }) => devices),
        hasRealModem: rosters.some(({ hasRealModem }) => hasRealModem),
      }
    // A key may be limited to SIMs of deleted devices. The refusal depends on whether the account has other devices.
    return criteria.deviceId === undefined ? await this.#accounts.get(accountId) : undefined
  }

  #forgetFound(accountId: string, criteria: Requirements): void {
    const named = namedDevices(criteria)
    if (named === undefined) this.#accounts.forgetOne(accountId)
    else for (const deviceId of named) this.#devices.forgetOne(idOf(accountId, deviceId))
  }

  #tryReserve(
    roster: CachedRoster = { devices: [], hasRealModem: false },
    criteria: Requirements,
    recipients: number,
  ): ReservationOrProblem {
    const { clock, queueLimit, mayMixEmulated = false } = this.#deps
    const choice = chooseDevice(roster, { ...criteria, queueLimit, mayMixEmulated }, clock.now())
    if (!choice.ok) return choice
    const { device, simNumber } = choice
    const end = this.#queues.reserve(device.queue, recipients)
    return { ok: true, reservation: { deviceId: device.id, simNumber, end } }
  }

  #readAccounts(accountIds: readonly string[]): Promise<Map<string, CachedRoster>> {
    const { database, queueLimit } = this.#deps
    return this.#read(async (cached) => {
      const rosters = await readRosters(database, accountIds, queueLimit)
      return new Map(
        [...rosters].map(([accountId, devices]) => [
          accountId,
          { devices: devices.map(cached), hasRealModem: devices.some(hasRealSlot) },
        ]),
      )
    })
  }

  #readDevices(ids: readonly string[]): Promise<Map<string, CachedRoster>> {
    const { database, queueLimit } = this.#deps
    return this.#read(async (cached) => {
      const devices = await readNamedDevices(database, ids.map(namedOf), queueLimit)
      return new Map(
        devices.map((device) => [
          idOf(device.accountId, device.id),
          { devices: [cached(device)], hasRealModem: device.hasRealModem },
        ]),
      )
    })
  }

  async #read(work: (cached: (device: StoredDevice) => CachedDevice) => Promise<Map<string, CachedRoster>>) {
    const read = this.#queues.beginRead()
    try {
      return await work(({ accountId: _, waiting, ...device }) => {
        return { ...device, queue: this.#queues.queueOf(device.id, waiting, read, this.#nowMs()) }
      })
    } finally {
      this.#queues.endRead(read, this.#nowMs())
    }
  }

  #nowMs(): number {
    return this.#deps.clock.now().getTime()
  }
}

type CachedDevice = DeviceOnRoster & { readonly queue: DeviceQueue }
type CachedRoster = Roster<CachedDevice>

/** Returns the ids of the only devices that may be used; undefined if any device of the account may be used. */
function namedDevices({ deviceId, allowedSims }: Requirements): readonly string[] | undefined {
  // Another text could fail the query, also for other requests.
  if (deviceId !== undefined) return [storableText(deviceId)]
  return allowedSims && [...new Set(allowedSims.map((sim) => sim.deviceId))]
}

/** Ids of accounts contain no space. */
function idOf(accountId: string, deviceId: string): string {
  return `${accountId} ${deviceId}`
}

function namedOf(id: string) {
  const space = id.indexOf(' ')
  return { accountId: id.slice(0, space), deviceId: id.slice(space + 1) }
}
