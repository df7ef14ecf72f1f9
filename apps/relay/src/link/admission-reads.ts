import type { CoreDeps } from '../core-deps.ts'
import { type AccountSettings, readSettingsOf } from '../settings/read-settings.ts'
import { inOneTrip } from '../store/raw-statements.ts'
import { storableText } from '../store/storable.ts'
import { type DeviceKey, readDeviceKeys } from './claim/read-device-keys-statement.ts'
import { findWaitingCommands, type WaitingDevice } from './dispatch/find-waiting-commands-statement.ts'

export interface AdmissionReadsDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  /** How many database connections the reads may use at the same time. */
  readonly atOnce: number
}

/**
 * Reads what agents need to be admitted. Agents that ask in the same 20 ms share the statements and the round trip,
 * because thousands of agents arrive when another relay stops. The reads take no locks, so an agent cannot delay
 * another agent. If a read fails, it fails for all agents that share it.
 *
 * A read fails if the database does not answer within five seconds. Then the agents have to reconnect.
 *
 * A read begins after it was requested, so its result is never older than the request. The callers limit the number of
 * requests that wait.
 */
export class AdmissionReads {
  readonly #deps: AdmissionReadsDeps
  #next: Turn | undefined
  #timer: NodeJS.Timeout | undefined
  #running = 0
  #startedMs = Number.NEGATIVE_INFINITY

  constructor(deps: AdmissionReadsDeps) {
    this.#deps = deps
  }

  /** Returns undefined if there was never such a device. */
  async deviceKey(deviceId: string): Promise<DeviceKey | undefined> {
    // An id that PostgreSQL cannot store would fail the statement for all agents.
    if (deviceId !== storableText(deviceId)) return undefined
    return (await this.#turn().keys.get(deviceId)).get(deviceId)
  }

  async settings(accountId: string): Promise<AccountSettings> {
    const found = (await this.#turn().settings.get(accountId)).get(accountId)
    if (found === undefined) throw new Error(`account ${accountId} does not exist`)
    return found
  }

  /** Returns false if the device has no commands, neither new ones nor commands to send again. */
  async mayHaveCommands(device: WaitingDevice): Promise<boolean> {
    return (await this.#turn().waiting.get(device)).has(device.deviceId)
  }

  /** Returns the reads that begin next. */
  #turn(): Turn {
    this.#next ??= { keys: new SharedRead(), settings: new SharedRead(), waiting: new SharedRead() }
    this.#schedule()
    return this.#next
  }

  #schedule(): void {
    if (this.#next === undefined || this.#timer !== undefined || this.#running >= this.#deps.atOnce) return
    const waitMs = Math.max(0, this.#startedMs + PAUSE_MS - performance.now())
    this.#timer = setTimeout(() => void this.#run(), waitMs)
  }

  async #run(): Promise<void> {
    const { database, clock } = this.#deps
    const turn = this.#next
    this.#next = undefined
    this.#timer = undefined
    this.#startedMs = performance.now()
    this.#running += 1
    const statements = inOneTrip(database)
    await Promise.all([
      turn?.keys.run((deviceIds) => readDeviceKeys(statements, deviceIds)),
      turn?.settings.run((accountIds) => readSettingsOf(statements, accountIds)),
      turn?.waiting.run((devices) => findWaitingCommands(statements, devices, clock.now())),
    ])
    this.#running -= 1
    this.#schedule()
  }
}

/** The reads of one round trip. */
interface Turn {
  readonly keys: SharedRead<string, ReadonlyMap<string, DeviceKey>>
  readonly settings: SharedRead<string, ReadonlyMap<string, AccountSettings>>
  readonly waiting: SharedRead<WaitingDevice, ReadonlySet<string>>
}

/** One statement for all who ask before it begins. */
class SharedRead<Key, Found> {
  readonly #keys = new Set<Key>()
  readonly #found = Promise.withResolvers<Found>()

  /** Adds a key and returns the result for all keys. */
  get(key: Key): Promise<Found> {
    this.#keys.add(key)
    return this.#found.promise
  }

  /** Never fails: those who asked get the error. */
  async run(read: (keys: Key[]) => Promise<Found>): Promise<void> {
    if (this.#keys.size === 0) return
    // A connection of the database that is dead without an error would otherwise stop all admissions.
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error(`the database did not answer within ${READ_LIMIT_MS / 1000} s`)),
      READ_LIMIT_MS,
    )
    try {
      this.#found.resolve(await Promise.race([read([...this.#keys]), late.promise]))
    } catch (error) {
      this.#found.reject(error)
    } finally {
      clearTimeout(timer)
    }
  }
}

const PAUSE_MS = 20
const READ_LIMIT_MS = 5_000
