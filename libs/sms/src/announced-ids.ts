/** Which ids were given, as plain JSON of limited size, and yet all it takes to give none of them twice. */
export interface AnnouncedIds {
  /** In the order in which they were last given. */
  readonly known: readonly KnownId[]
  /** Of all that had to be forgotten the latest hour and the highest number: together they rule out every one of them. */
  readonly forgotten: { readonly hour: number; readonly number: number }
}

interface KnownId {
  readonly id: string
  readonly hour: number
  /** How often it was given: the number behind the last one. */
  readonly number: number
}

export const noAnnouncedIds: AnnouncedIds = { known: [], forgotten: { hour: 0, number: 0 } }

/**
 * Gives ids in one step of a pure function: reads what was given before once, and makes the next state of it at the end.
 *
 * The first message of a kind and hour gets the bare id, the ones that follow a number behind it. When too many ids are
 * known, the oldest are forgotten, and what is unknown from hours up to theirs is given a number above all of theirs. A
 * flood of ids so costs the messages of its own hour their bare ids; those of the next hour have them again.
 */
export class IdGiver {
  readonly #announced: AnnouncedIds
  readonly #given = new Map<string, KnownId>()
  readonly #outdated = new Set<KnownId>()
  #index: Map<string, KnownId> | undefined

  constructor(announced: AnnouncedIds) {
    this.#announced = announced
  }

  /** @param kind what messages have in common between which only the hour and the number tell */
  give(kind: string, hour: number): string {
    const id = `${kind}@${hour}`
    const { forgotten } = this.#announced
    const last = this.#given.get(id) ?? this.#lastOf(id)
    const number = 1 + (last?.number ?? (hour <= forgotten.hour ? forgotten.number : 0))
    this.#given.delete(id)
    this.#given.set(id, { id, hour, number })
    return number === 1 ? id : `${id}#${number}`
  }

  announced(maxKnownIds: number): AnnouncedIds {
    if (this.#given.size === 0) return this.#announced
    const known = [...this.#announced.known.filter((one) => !this.#outdated.has(one)), ...this.#given.values()]
    const tooMany = Math.max(0, known.length - maxKnownIds)
    const forgotten = known
      .slice(0, tooMany)
      .reduce(
        (all, { hour, number }) => ({ hour: Math.max(all.hour, hour), number: Math.max(all.number, number) }),
        this.#announced.forgotten,
      )
    return { known: tooMany === 0 ? known : known.slice(tooMany), forgotten }
  }

  /** Nearly every step gives one id at most, and an index costs more than it saves; a tick may give thousands. */
  #lastOf(id: string): KnownId | undefined {
    const { known } = this.#announced
    if (this.#given.size > 0) this.#index ??= new Map(known.map((one) => [one.id, one]))
    const last = this.#index === undefined ? known.find((one) => one.id === id) : this.#index.get(id)
    if (last !== undefined) this.#outdated.add(last)
    return last
  }
}
