import type { Clock } from '@smsgw/modem/clock'
import type { ClosablePort, OpenResult } from '@smsgw/modem/recovery-runner'
import type { FoundPlaces, Place, PlaceOnUsb } from './find-places.ts'
import { type Identified, identifyPlace } from './identify-place.ts'
import type { ModemActor, OpenAnswer } from './modem-actor.ts'
import { Strangers } from './strangers.ts'

/** A modem and where it is. */
export interface Berth {
  readonly actor: ModemActor
  /** Where it is looked for; no two look in the same place. Undefined: another modem is where it was. */
  place: Place | undefined
  /** Who it is. Undefined until it has answered for the first time, and the same from then on. */
  modem: string | undefined
  /** Open now. */
  port: ClosablePort | undefined
  /** Where it was reached last. */
  last: { readonly address: string; readonly usb: PlaceOnUsb | undefined } | undefined
  /** When its place was seen to be empty. */
  goneAtMs: number
}

/**
 * Which modem is where. Each place that surely has a modem is somebody's: of a modem that is known, or of one that is
 * nameless yet. Whoever opens a port first asks who answers there, and gives up what belongs to somebody else: so a modem
 * that comes back in another socket or under another name is found by those who look there, two ports of one modem
 * never become two, and no modem is given the PIN of another.
 */
export class Berths {
  readonly #options: BerthsOptions
  readonly #strangers: Strangers
  #berths: readonly Berth[] = []
  #unnamed: readonly Place[] = []
  /** Of the devices that are on the bus now. */
  #sessions: ReadonlySet<string> = new Set()
  /** Devices that nobody named and that are none of the modems we look for. */
  readonly #foreign = new Set<string>()
  readonly #opening = new Set<string>()
  #stopped = false

  constructor(options: BerthsOptions) {
    this.#options = options
    this.#strangers = new Strangers({
      clock: options.clock,
      identify: (place) => this.#identify(place.ports),
      onModem: (place, imei) => this.#pass(undefined, place, imei),
      onUnusable: options.onUnusable,
    })
  }

  get actors(): readonly ModemActor[] {
    return this.#berths.map(({ actor }) => actor)
  }

  /** Whether it has been met since the start. */
  isHere(modem: string): boolean {
    return this.#berths.some((berth) => berth.modem === modem)
  }

  /** What is there now. */
  found({ places, unnamed }: FoundPlaces): void {
    if (this.#stopped) return
    this.#unnamed = unnamed
    this.#sessions = new Set([...places, ...unnamed].flatMap(({ usb }) => usb?.session ?? []))
    for (const berth of this.#berths) {
      if (berth.place !== undefined && !places.some(({ key }) => key === berth.place?.key))
        this.#gone(berth, berth.place)
    }
    for (const place of places) this.#see(place)
    for (const { actor, port, place } of this.#berths) if (port === undefined && place?.isHidden) actor.deviceAppeared()
    this.#strangers.present(places)
  }

  /** Whoever has no port may have one now. */
  devicesChanged(): void {
    for (const { actor, port, place } of this.#berths)
      if (port === undefined && place?.isPresent) actor.deviceAppeared()
  }

  /** Who a modem says it is after it has been set up. False: it belongs to somebody else, and its port is to be closed. */
  confirm(berth: Berth, imei: string): boolean {
    const isMine = berth.place !== undefined && this.#isMine(berth, berth.place, imei)
    if (isMine) this.#introduce(berth)
    // It is asked again who is there when the port is opened next.
    else berth.last = undefined
    return isMine
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.actors.map((actor) => actor.stop()))
  }

  /** A reset takes a modem off the bus for a while: as the same one it has fewer left. Who was never met is forgotten. */
  #gone(berth: Berth, place: Place): void {
    const nowMs = this.#options.clock.nowMs()
    if (place.isPresent) berth.goneAtMs = nowMs
    berth.place = { ...place, isPresent: false }
    if (berth.modem === undefined && nowMs - berth.goneAtMs >= forgottenAfterMs) this.#remove(berth)
  }

  #see(place: Place): void {
    const berth = this.#berths.find((each) => each.place?.key === place.key)
    if (berth?.place !== undefined) {
      const isBack = place.isPresent && (!berth.place.isPresent || berth.place.usb?.session !== place.usb?.session)
      berth.place = place
      if (isBack && berth.port === undefined) berth.actor.deviceAppeared()
    } else if (this.#isServed(place)) {
      // By somebody who was named by another address.
    } else if (place.isCertain) {
      this.#add(place, undefined)
    } else {
      this.#strangers.meet(place)
    }
  }

  #isServed({ usb, key }: Place): boolean {
    if (usb === undefined || !key.startsWith('usb:')) return false
    return this.#berths.some(({ port, last }) => port !== undefined && last?.usb?.session === usb.session)
  }

  #add(place: Place, modem: string | undefined): void {
    const berth: Omit<Berth, 'actor'> & { actor?: ModemActor } = {
      place,
      modem,
      port: undefined,
      last: undefined,
      goneAtMs: 0,
    }
    const whole = berth as Berth
    berth.actor = this.#options.newActor(whole, () => this.#open(whole))
    this.#berths = [...this.#berths, whole]
    whole.actor.start()
  }

  #remove(berth: Berth): void {
    this.#berths = this.#berths.filter((each) => each !== berth)
    void berth.actor.stop()
  }

  // ── Opening ─────────────────────────────────────────────────────────────────────────────────────────────────────

  async #open(berth: Berth): Promise<OpenAnswer> {
    await this.#options.look()
    for (;;) {
      const { place } = berth
      if (place === undefined) return { kind: 'absent', words: 'another modem is where it was; it is looked for' }
      const answer = await this.#openAt(berth, place)
      // Somebody may have met it elsewhere meanwhile.
      const isSettled = answer.kind === 'opened' || berth.place?.key === place.key || berth.place === undefined
      if (isSettled || this.#stopped) return answer
    }
  }

  async #openAt(berth: Berth, place: Place): Promise<OpenAnswer> {
    const { last } = berth
    if (berth.modem !== undefined && last?.usb !== undefined && last.usb.session === place.usb?.session) {
      // It has not left the bus since: the same modem, though it may not answer.
      const opened = await this.#openPort(last.address)
      return opened.kind === 'opened' ? this.#moor(berth, { ...last, port: opened.port }) : opened
    }
    if (place.isPresent) return this.#askAt(berth, place, place)
    let answer: OpenAnswer = absent(`${place.ports[0]}: ${gone(place)}`)
    for (const other of this.#elsewhere(berth)) {
      answer = await this.#askAt(berth, place, other)
      if (answer.kind === 'opened') break
    }
    return answer
  }

  /** Where a modem that was named by its port may be when that is gone: its like that nobody named, its own socket first. */
  #elsewhere({ last }: Berth): readonly Place[] {
    const usb = last?.usb
    if (usb === undefined) return []
    return this.#unnamed
      .filter((place) => place.usb?.id === usb.id && !this.#foreign.has(place.usb.session) && !this.#isServed(place))
      .sort((a, b) => Number(b.usb?.path === usb.path) - Number(a.usb?.path === usb.path))
  }

  /** `place` is where the modem belongs, `there` where it is asked for. */
  async #askAt(berth: Berth, place: Place, there: Place): Promise<OpenAnswer> {
    const found = await this.#identify(there.ports, berth)
    switch (found.kind) {
      case 'absent':
      case 'refused':
        return found
      case 'silent':
        if (place === there && isTheSameDevice(berth, there)) return this.#moor(berth, { ...found, usb: there.usb })
        await found.port.close()
        return absent(`${found.address}: another device is there, and it does not answer`)
      case 'modem': {
        if (this.#isMine(berth, there, found.imei)) return this.#moor(berth, { ...found, usb: there.usb })
        await found.port.close()
        if (place === there || this.#ownerOf(found.imei, there) !== undefined) {
          return this.#pass(berth, there, found.imei)
        }
        if (there.usb !== undefined) this.#foreign.add(there.usb.session)
        return absent(`${place.ports[0]}: ${gone(place)}`)
      }
    }
  }

  #identify(ports: readonly string[], berth?: Berth): Promise<Identified> {
    const { clock } = this.#options
    return identifyPlace({ ports, clock, open: (address) => this.#openPort(address), trace: berth?.actor.trace })
  }

  /** A driver may hang in opening: another attempt would hang as well, and they share few threads with everybody. */
  async #openPort(address: string): Promise<OpenResult> {
    if (this.#opening.has(address)) return absent(`${address}: opening it does not come to an end; unplug the modem`)
    this.#opening.add(address)
    try {
      return await this.#options.open(address)
    } finally {
      this.#opening.delete(address)
    }
  }

  #moor(
    berth: Berth,
    {
      address,
      usb,
      port,
    }: { readonly address: string; readonly usb: PlaceOnUsb | undefined; readonly port: ClosablePort },
  ): OpenAnswer {
    const given: ClosablePort = {
      write: (bytes) => port.write(bytes),
      onBytes: (listener) => port.onBytes(listener),
      onClosed: (listener) => port.onClosed(listener),
      close: () => {
        free()
        return port.close()
      },
    }
    const free = () => {
      if (berth.port === given) berth.port = undefined
    }
    berth.last = { address, usb }
    berth.port = given
    port.onClosed(free)
    this.#introduce(berth)
    return { kind: 'opened', port: given, address, usb: usb?.id }
  }

  #introduce({ actor, modem, place }: Berth): void {
    if (modem !== undefined) actor.identified(this.#options.simNumberOf(modem, place?.position))
  }

  // ── Whose it is ─────────────────────────────────────────────────────────────────────────────────────────────────

  #isMine(berth: Berth, there: Place, imei: string): boolean {
    const owner = this.#ownerOf(imei, there)
    if (owner === undefined && berth.modem === undefined) berth.modem = this.#nameOf(imei, there)
    else if (owner !== berth) return false
    return true
  }

  /** What was met belongs to somebody else: who is away is told where, who is new gets a berth. */
  #pass(berth: Berth | undefined, there: Place, imei: string): OpenAnswer {
    const owner = this.#ownerOf(imei, there)
    if (owner?.port !== undefined) {
      return {
        kind: 'refused',
        words:
          `${there.ports[0]}: it belongs to the modem that is used on ${owner.actor.address} already; ` +
          'name one port of each modem',
      }
    }
    if (berth?.place?.key === there.key) {
      berth.place = undefined
      if (berth.modem === undefined) this.#remove(berth)
    }
    if (owner === undefined) {
      this.#add(there, this.#nameOf(imei, there))
    } else {
      owner.place = there
      owner.actor.deviceAppeared()
    }
    return absent(`${there.ports[0]}: another modem is there now; this one is looked for`)
  }

  #ownerOf(imei: string, there: Place): Berth | undefined {
    const modem = this.#nameOf(imei, there)
    return this.#berths.find((berth) => berth.modem === modem)
  }

  /**
   * Without the check digit, which not every command gives. Some makers give one IMEI to all of their sticks: a second
   * one on the bus at the same time is known by its socket as well.
   */
  #nameOf(imei: string, { usb }: Place): string {
    const modem = imei.slice(0, 14)
    if (usb === undefined) return modem
    const twin = `${modem} at ${usb.path}`
    const first = this.#berths.find((berth) => berth.modem === modem)
    const other = first?.port === undefined ? undefined : first.last?.usb
    const isTwin = other !== undefined && other.path !== usb.path && this.#sessions.has(other.session)
    return isTwin || this.#options.isKnown(twin) ? twin : modem
  }
}

export interface BerthsOptions {
  readonly clock: Clock
  readonly open: (address: string) => Promise<OpenResult>
  /** Resolves when what is there now has been told by `found`. */
  readonly look: () => Promise<void>
  readonly newActor: (berth: Berth, open: () => Promise<OpenAnswer>) => ModemActor
  /** `position`: of its place in the list of those that were named. */
  readonly simNumberOf: (modem: string, position: number | undefined) => number
  readonly isKnown: (modem: string) => boolean
  readonly onUnusable: (words: string) => void
}

function isTheSameDevice({ modem, last }: Berth, { usb }: Place): boolean {
  return modem === undefined || last?.usb === undefined || last.usb.id === usb?.id
}

function gone({ usb }: Place): string {
  return usb === undefined ? 'no such device: is the modem plugged in, and is this still its port?' : 'unplugged'
}

const forgottenAfterMs = 60_000

const absent = (words: string) => ({ kind: 'absent' as const, words })
