import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { FreshLookup } from '../store/fresh-lookup.ts'
import { chooseDevice, type DeviceOnRoster, type DeviceProblem, type DeviceWish } from './choose-device.ts'
import { readRosters } from './roster-statement.ts'

interface RosterNeeds {
  readonly database: Database
  readonly clock: Clock
  /** Recipients that may wait for one device. */
  readonly queueLimit: number
}

export type ReservationOrProblem =
  | { readonly ok: true; readonly reservation: Reservation }
  | { readonly ok: false; readonly problem: DeviceProblem }

/** Room in the queue of a device, until the message is stored or refused. */
export interface Reservation {
  readonly deviceId: string
  stored(): void
  refused(): void
}

/** Accounts whose devices are kept at hand. */
const ACCOUNTS = 10_000

/**
 * Chooses devices from memory, without a query for each message.
 *
 * The devices of an account are read at most once a second, and between two readings queues are counted on: by each
 * reservation, and by what was reserved and not yet stored when they were read. So the limit of a queue is exact within
 * this process, and other processes are seen a second later. Nobody is refused on old knowledge: whoever would be, has the
 * devices read again first.
 */
export class DeviceRoster {
  readonly #needs: RosterNeeds
  readonly #accounts: FreshLookup<Roster>
  /** By device: recipients reserved and not yet stored. */
  readonly #reserved = new Map<string, number>()

  constructor(needs: RosterNeeds) {
    this.#needs = needs
    this.#accounts = new FreshLookup({
      load: (accountIds) => this.#read(accountIds),
      nowMs: () => needs.clock.now().getTime(),
      size: ACCOUNTS,
    })
  }

  async reserve(
    accountId: string,
    wish: Omit<DeviceWish, 'queueLimit'>,
    recipients: number,
  ): Promise<ReservationOrProblem> {
    const reserved = this.#tryReserve(await this.#accounts.get(accountId), wish, recipients)
    if (reserved.ok) return reserved
    this.forget(accountId)
    return this.#tryReserve(await this.#accounts.get(accountId), wish, recipients)
  }

  /** What is known of the account's devices has proved wrong. */
  forget(accountId: string): void {
    this.#accounts.forget((_, id) => id === accountId)
  }

  #tryReserve(
    { devices }: Roster = { devices: [] },
    wish: Omit<DeviceWish, 'queueLimit'>,
    recipients: number,
  ): ReservationOrProblem {
    const { clock, queueLimit } = this.#needs
    const choice = chooseDevice(devices, { ...wish, queueLimit }, clock.now())
    if (!choice.ok) return choice
    const { device } = choice
    device.waiting += recipients
    this.#count(device.id, recipients)
    const reservation = {
      deviceId: device.id,
      stored: () => this.#count(device.id, -recipients),
      refused: () => {
        device.waiting -= recipients
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
    const { database, queueLimit } = this.#needs
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
