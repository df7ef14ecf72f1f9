import type { Clock } from '../../clock.ts'
import type { Database } from '../../store/database.ts'
import { FreshLookup } from '../../store/fresh-lookup.ts'
import { chooseDevice, type DeviceCriteria, type DeviceOnRoster, type DeviceProblem } from './choose-device.ts'
import { readRosters } from './read-rosters-statement.ts'

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

/**
 * Chooses devices from memory, without a query per message.
 *
 * The devices of an account are read at most once a second. Each reservation adds to the queue length in memory. If its
 * message is not yet stored when the devices are read again, the reservation is still counted. So the queue limit is
 * exact within this process. Messages of other processes are counted with a delay of at most one second. Before a
 * message is refused, the devices are read again.
 */
export class DeviceRoster {
  readonly #deps: RosterDeps
  readonly #accounts: FreshLookup<Roster>
  /** The number of reserved recipients that have not been stored, by device. */
  readonly #reserved = new Map<string, number>()

  constructor(deps: RosterDeps) {
    this.#deps = deps
    this.#accounts = new FreshLookup({
      load: (accountIds) => this.#read(accountIds),
      nowMs: () => deps.clock.now().getTime(),
      size: ACCOUNTS,
    })
  }

  async reserve(accountId: string, criteria: Requirements, recipients: number): Promise<ReservationOrProblem> {
    const reserved = this.#tryReserve(await this.#accounts.get(accountId), criteria, recipients)
    if (reserved.ok) return reserved
    this.forget(accountId)
    return this.#tryReserve(await this.#accounts.get(accountId), criteria, recipients)
  }

  /** Drops the cached devices of an account. */
  forget(accountId: string): void {
    this.#accounts.forget((_, id) => id === accountId)
  }

  #tryReserve({ devices }: Roster = { devices: [] }, criteria: Requirements, recipients: number): ReservationOrProblem {
    const { clock, queueLimit, mayMixEmulated = false } = this.#deps
    const choice = chooseDevice(devices, { ...criteria, queueLimit, mayMixEmulated }, clock.now())
    if (!choice.ok) return choice
    const { device, simNumber } = choice
    device.waiting += recipients
    this.#count(device.id, recipients)
    const reservation = {
      deviceId: device.id,
      simNumber,
      end: (isStored: boolean) => {
        if (!isStored) device.waiting -= recipients
        this.#count(device.id, -recipients)
      },
    }
    return { ok: true, reservation }
  }

  #count(deviceId: string, recipients: number): void {
    const reserved = (this.#reserved.get(deviceId) ?? 0) + recipients
    if (reserved === 0) this.#reserved.delete(deviceId)
    else this.#reserved.set(deviceId, reserved)
  }

  async #read(accountIds: readonly string[]): Promise<Map<string, Roster>> {
    const { database, queueLimit } = this.#deps
    const rosters = await readRosters(database, accountIds, queueLimit)
    return new Map([...rosters].map(([accountId, devices]) => [accountId, { devices: devices.map(this.#counted) }]))
  }

  readonly #counted = (device: DeviceOnRoster): Counted => ({
    ...device,
    waiting: device.waiting + (this.#reserved.get(device.id) ?? 0),
  })
}

interface Roster {
  readonly devices: readonly Counted[]
}

type Counted = { -readonly [Member in keyof DeviceOnRoster]: DeviceOnRoster[Member] }
