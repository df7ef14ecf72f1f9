/** The group ids that were already used, as plain JSON of limited size. With this data, no id is ever used twice. */
export interface UsedGroupIds {
  /** In the order in which they were last used. */
  readonly remembered: readonly RememberedId[]
  /**
   * The latest hour and the highest number among all forgotten ids. In that hour and in earlier hours, a new id must
   * have a higher number, because any other number may already have been used.
   */
  readonly forgotten: { readonly hour: number; readonly number: number }
}

interface RememberedId {
  readonly id: string
  readonly hour: number
  /** The number of times that the id was used. From the second time on, this number is appended to the id. */
  readonly number: number
}

export const noUsedGroupIds: UsedGroupIds = { remembered: [], forgotten: { hour: 0, number: 0 } }

/**
 * Allocates group ids within one step of a pure function. Receives the used ids of the state before the step, and
 * returns the used ids of the state after the step.
 *
 * The first message of a key and hour gets the id without a number; later messages get the id with a number. If there
 * are too many ids, the oldest ids are forgotten. After that, every new id whose hour is not later than the latest hour
 * of a forgotten id gets a number above the numbers of all forgotten ids. So a flood of ids does not affect the ids of
 * later hours.
 */
export class GroupIdAllocator {
  readonly #before: UsedGroupIds
  readonly #allocated = new Map<string, RememberedId>()
  readonly #replaced = new Set<RememberedId>()
  #index: Map<string, RememberedId> | undefined

  constructor(before: UsedGroupIds) {
    this.#before = before
  }

  /** @param key the same for two messages whose ids may differ only in the hour and the number */
  allocate(key: string, hour: number): string {
    const id = `${key}@${hour}`
    const { forgotten } = this.#before
    const last = this.#allocated.get(id) ?? this.#lastUseOf(id)
    const number = 1 + (last?.number ?? (hour <= forgotten.hour ? forgotten.number : 0))
    this.#allocated.delete(id)
    this.#allocated.set(id, { id, hour, number })
    return number === 1 ? id : `${id}#${number}`
  }

  usedIds(maxRemembered: number): UsedGroupIds {
    if (this.#allocated.size === 0) return this.#before
    const all = [...this.#before.remembered.filter((one) => !this.#replaced.has(one)), ...this.#allocated.values()]
    const excess = Math.max(0, all.length - maxRemembered)
    const forgotten = all.slice(0, excess).reduce(
      (highest, { hour, number }) => ({
        hour: Math.max(highest.hour, hour),
        number: Math.max(highest.number, number),
      }),
      this.#before.forgotten,
    )
    return { remembered: excess === 0 ? all : all.slice(excess), forgotten }
  }

  /**
   * Builds an index only for many ids. A tick may need thousands of ids, but most steps need at most one id, for which
   * an index takes longer than a search.
   */
  #lastUseOf(id: string): RememberedId | undefined {
    const { remembered } = this.#before
    if (this.#allocated.size > 0) this.#index ??= new Map(remembered.map((one) => [one.id, one]))
    const last = this.#index === undefined ? remembered.find((one) => one.id === id) : this.#index.get(id)
    if (last !== undefined) this.#replaced.add(last)
    return last
  }
}
