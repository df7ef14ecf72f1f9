import { setTimeout as sleep } from 'node:timers/promises'
import { type CellFleet, routerIds } from './cell-fleet.ts'

/** A move must end within this time, although it is interrupted by other faults. */
const LIMIT_MS = 600_000

/** Moves accounts to other cells, one after the other, as an administrator does. */
export class AccountMover {
  /** The pauses in milliseconds, as `cells move` reports them. */
  readonly pauses: number[] = []
  /** Attempts that failed or were killed, so that the command had to be repeated. */
  repeated = 0
  readonly #fleet: CellFleet
  readonly #random: () => number
  #isMoving = false

  constructor(fleet: CellFleet, random: () => number) {
    this.#fleet = fleet
    this.#random = random
  }

  /** Moves a random account to another cell. Returns its name, or undefined if a move is in progress. */
  async move(): Promise<string | undefined> {
    if (this.#isMoving) return undefined
    this.#isMoving = true
    try {
      return await this.#move()
    } finally {
      this.#isMoving = false
    }
  }

  async #move(): Promise<string> {
    const { accounts, cells } = this.#fleet
    const { username } = accounts[Math.floor(this.#random() * accounts.length)] as { username: string }
    const cellOf = async () =>
      (await this.#read(`SELECT cell FROM accounts WHERE username = '${username}'`))[0]?.['cell']
    const source = await cellOf()
    const others = cells.filter(({ name }) => name !== source)
    const target = others[Math.floor(this.#random() * others.length)]?.name ?? ''
    const isInterrupted = this.#random() < 0.3
    const killAfterMs = this.#random() * 4_000
    const deadRouters = new Set<string>()
    const limit = performance.now() + LIMIT_MS
    for (let attempt = 0; ; attempt += 1) {
      const without = deadRouters.size === 0 ? [] : [`--without-router=${[...deadRouters].join()}`]
      const command = this.#fleet.command(['move', username, target, ...without])
      const timer =
        attempt === 0 && isInterrupted ? setTimeout(() => command.signal('SIGKILL'), killAfterMs) : undefined
      const code = await command.ended()
      clearTimeout(timer)
      const pause = /pause: (\d+\.\d) s$/.exec(command.lines.at(-1) ?? '')?.[1]
      if (code === 0 && pause !== undefined) this.pauses.push(Number(pause) * 1_000)
      const open = `SELECT FROM moves WHERE username = '${username}' AND finished_at IS NULL`
      if ((await cellOf()) === target && (await this.#read(open)).length === 0) return username
      this.repeated += 1
      if (performance.now() > limit)
        throw new Error(`${username} could not be moved to ${target}: ${command.complaints}`)
      // The administrator makes sure that the router has ended before it is left out.
      const [, silent] = /router (\S+) has not confirmed/.exec(command.complaints) ?? []
      if (silent !== undefined && !routerIds(this.#fleet.routers).includes(silent)) deadRouters.add(silent)
      await sleep(1_000)
    }
  }

  /** Reads the directory again and again, because its database may be failing over. */
  async #read(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const limit = performance.now() + LIMIT_MS
    for (;;) {
      try {
        return await this.#fleet.directory(sql)
      } catch (error) {
        if (performance.now() > limit) throw error
        await sleep(500)
      }
    }
  }
}
