import type { Random } from '../random.ts'
import { BoundedMap } from './bounded-map.ts'

/** The interval between two accepted attempts of a group. */
const TURN_MS = 250
const LONGEST_WAIT_TURNS = 4
const MOST_GROUPS = 1_000
/** The largest number of names that may wait in each half of a group. */
const MOST_NAMES = 200
/**
 * When an attempt of a name was accepted, names without an accepted attempt have precedence over this name for this
 * time. If the time were longer, a stream of new names would prevent a second attempt of a person who mistyped the
 * password once.
 */
const TURN_COUNTS_MS = 30_000
const MOST_REMEMBERED = 10_000

/**
 * When a group has reached its limit, four attempts of the group are accepted per second. These attempts are shared
 * between the names. Half of the accepted attempts are reserved for recognised names, because anyone can invent new
 * names, but not recognised names. Within each half, the name whose last accepted attempt was longest ago comes first.
 * Names without an accepted attempt in the last 30 s come before the others, in random order.
 *
 * Only one attempt per name may wait, for at most a second. If there are several attempts with the same name, a random
 * attempt waits, and the others are refused. When all waiting slots are taken, a new name replaces a random name. So
 * early, frequent or late attempts have no advantage.
 */
export class ReservedShare {
  readonly #random: Random
  readonly #groups = new Map<string, Group>()
  readonly #lastTurns = new BoundedMap<string, number>(MOST_REMEMBERED)

  constructor(random: Random) {
    this.#random = random
  }

  /** Returns true if the attempt was accepted in time. */
  turn(groupName: string, { name, isRecognised }: { readonly name: string; readonly isRecognised: boolean }) {
    const group = this.#groups.get(groupName) ?? this.#open(groupName)
    const half = isRecognised ? group.recognised : group.others
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const earlier = half.get(name)
    const attempts = (earlier?.attempts ?? 0) + 1
    if (earlier && this.#below(attempts) > 0) {
      earlier.attempts = attempts
      resolve(false)
      return promise
    }
    if (!earlier && half.size >= MOST_NAMES) this.#drop(half)
    earlier?.resolve(false)
    half.set(name, { resolve, attempts, turnsLeft: LONGEST_WAIT_TURNS })
    return promise
  }

  #open(name: string): Group {
    if (this.#groups.size >= MOST_GROUPS) this.#close([...this.#groups.keys()][this.#below(this.#groups.size)] ?? '')
    const group: Group = {
      recognised: new Map(),
      others: new Map(),
      isTurnOfRecognised: true,
      timer: setInterval(() => {
        this.#giveTurn(name, group)
        if (group.recognised.size + group.others.size === 0) this.#close(name)
      }, TURN_MS),
    }
    this.#groups.set(name, group)
    return group
  }

  #close(name: string): void {
    const group = this.#groups.get(name)
    if (!group) return
    clearInterval(group.timer)
    this.#groups.delete(name)
    for (const half of [group.recognised, group.others]) for (const { resolve } of half.values()) resolve(false)
  }

  #drop(half: Half): void {
    const dropped = [...half.keys()][this.#below(half.size)]
    if (dropped === undefined) return
    half.get(dropped)?.resolve(false)
    half.delete(dropped)
  }

  #giveTurn(groupName: string, group: Group): void {
    const { recognised, others } = group
    const half = (group.isTurnOfRecognised && recognised.size > 0) || others.size === 0 ? recognised : others
    group.isTurnOfRecognised = half === others
    const next = this.#nextOf(groupName, half)
    if (next === undefined) return
    half.get(next)?.resolve(true)
    half.delete(next)
    this.#lastTurns.set(`${groupName} ${next}`, performance.now())
    for (const each of [recognised, others])
      for (const [name, waiting] of each) {
        waiting.turnsLeft -= 1
        if (waiting.turnsLeft > 0) continue
        waiting.resolve(false)
        each.delete(name)
      }
  }

  #nextOf(groupName: string, half: Half): string | undefined {
    const countsSince = performance.now() - TURN_COUNTS_MS
    let earliest = Number.POSITIVE_INFINITY
    let equal: string[] = []
    for (const name of half.keys()) {
      const lastTurn = Math.max(countsSince, this.#lastTurns.get(`${groupName} ${name}`) ?? 0)
      if (lastTurn > earliest) continue
      if (lastTurn < earliest) equal = []
      earliest = lastTurn
      equal.push(name)
    }
    return equal[this.#below(equal.length)]
  }

  #below(count: number): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.#random.bytes(4)
    return Math.floor((((a * 256 + b) * 256 + c) * 256 + d) * (count / 2 ** 32))
  }
}

/** Waiting attempts by name. */
type Half = Map<string, Waiting>

interface Group {
  readonly recognised: Half
  readonly others: Half
  isTurnOfRecognised: boolean
  readonly timer: NodeJS.Timeout
}

interface Waiting {
  readonly resolve: (hasTurn: boolean) => void
  /** The number of attempts with this name since the first attempt began to wait. Refused attempts are counted too. */
  attempts: number
  turnsLeft: number
}
