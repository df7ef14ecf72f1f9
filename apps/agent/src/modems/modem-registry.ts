import type { Clock } from '@smsgw/modem/clock'
import type { ModemNumber } from '@smsgw/modem/commands/identity'
import type { ClosablePort, ModemPort, OpenResult } from '@smsgw/modem/recovery/runner'
import { type FoundPlaces, isSameDevice, type ModemSite, type PlaceOnUsb } from './discovery/find-places.ts'
import { type Identified, identifyPlace, KeptMessages } from './discovery/identify-place.ts'
import { UnknownDevices } from './discovery/unknown-devices.ts'
import type { ModemActor } from './modem-actor.ts'
import type { OpenAnswer } from './modem-actor-options.ts'

/** A modem and its place. */
export interface RegisteredModem {
  readonly actor: ModemActor
  /** The expected place of the modem. Undefined while another modem has this place, so no two modems share a place. */
  place: ModemSite | undefined
  /** The identifier of the modem. Undefined until the modem answers for the first time, then constant. */
  id: string | undefined
  /** The port that is open now. */
  port: ModemPort | undefined
  /** The place where the modem was last opened. */
  last: { readonly address: string; readonly usb: PlaceOnUsb | undefined } | undefined
  /** The time when the place became empty. */
  goneAtMs: number
  /**
   * Set if the port at the place belongs to another modem. At `untilMs` the port is opened again to check this. Valid
   * only for this place and for the device that is there now, because two modems may swap sockets.
   */
  duplicate?: { readonly owner: RegisteredModem; readonly place: ModemSite; readonly untilMs: number } | undefined
}

/**
 * Records which modem is at which place. Each place that certainly has a modem belongs to one entry, even before the
 * modem is identified. After a port is opened, the modem is first identified. If the modem belongs to another entry,
 * the port is closed. So a modem is recognised in another socket or under another port name. Two ports of one modem
 * never count as two modems, and no modem gets the PIN of another modem.
 */
export class ModemRegistry {
  readonly #options: ModemRegistryOptions
  readonly #unknownDevices: UnknownDevices
  #entries: readonly RegisteredModem[] = []
  #unlisted: readonly ModemSite[] = []
  /** The USB sessions of the devices that are connected. */
  #sessions: ReadonlySet<string> = new Set()
  /** USB sessions of unlisted devices that are not registered modems. */
  readonly #foreign = new Set<string>()
  readonly #opening = new Set<string>()
  readonly #kept = new KeptMessages()
  #stopped = false

  constructor(options: ModemRegistryOptions) {
    this.#options = options
    this.#unknownDevices = new UnknownDevices({
      clock: options.clock,
      identify: (place) => this.#identify(place),
      onModem: (place, number) => this.#handOver(undefined, place, number ?? unnumbered),
      onUnusable: options.onUnusable,
    })
  }

  get actors(): readonly ModemActor[] {
    return this.#entries.map(({ actor }) => actor)
  }

  /** True if the modem has been connected since the start. */
  isHere(id: string): boolean {
    return this.#entries.some((entry) => entry.id === id)
  }

  /** Updates the entries after a search for modems. */
  found({ places, unlisted }: FoundPlaces): void {
    if (this.#stopped) return
    this.#unlisted = unlisted
    this.#sessions = new Set([...places, ...unlisted].flatMap(({ usb }) => usb?.session ?? []))
    this.#kept.forgetOthers(this.#sessions)
    for (const entry of this.#entries) {
      if (entry.place !== undefined && !places.some(({ key }) => key === entry.place?.key))
        this.#placeGone(entry, entry.place)
    }
    for (const place of places) this.#placeFound(place)
    for (const { actor, port, place } of this.#entries)
      if (port === undefined && place?.isHidden) actor.deviceAppeared()
    this.#unknownDevices.present(places)
  }

  /** Makes modems without an open port try to open their port again. */
  devicesChanged(): void {
    for (const { actor, port, place } of this.#entries)
      if (port === undefined && place?.isPresent) actor.deviceAppeared()
  }

  /**
   * Checks the identity that a modem reports after setup. Returns false if the identity belongs to another entry; the
   * caller must then close the port.
   */
  confirm(entry: RegisteredModem, number: ModemNumber): boolean {
    // A modem without an IMEI and a serial number keeps the identity that it got when its port was opened.
    const isUnnumbered = number.imei === undefined && number.serial === undefined && entry.id !== undefined
    const matches = isUnnumbered || (entry.place !== undefined && this.#matches(entry, entry.place, number))
    if (matches) {
      this.#announce(entry)
    } else {
      // Makes `open` identify the modem again the next time.
      entry.last = undefined
      const { place } = entry
      const owner = place === undefined ? undefined : this.#ownerOf(number, place)
      if (place !== undefined && owner !== undefined)
        entry.duplicate = { owner, place, untilMs: this.#options.clock.nowMs() + duplicateForMs }
    }
    return matches
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.actors.map((actor) => actor.stop()))
  }

  /**
   * Keeps the entry of an identified modem, so that the limit on resets still applies when the modem returns from a
   * reset. Removes the entry of an unidentified modem after a while.
   */
  #placeGone(entry: RegisteredModem, place: ModemSite): void {
    const nowMs = this.#options.clock.nowMs()
    if (place.isPresent) entry.goneAtMs = nowMs
    entry.place = { ...place, isPresent: false }
    if (entry.id === undefined && nowMs - entry.goneAtMs >= removedAfterMs) this.#remove(entry)
  }

  #placeFound(place: ModemSite): void {
    const entry = this.#entries.find((each) => each.place?.key === place.key)
    if (entry?.place !== undefined) {
      const isBack = place.isPresent && (!entry.place.isPresent || entry.place.usb?.session !== place.usb?.session)
      entry.place = place
      if (isBack && entry.port === undefined) entry.actor.deviceAppeared()
    } else if (this.#isInUse(place)) {
      // Another modem that MODEMS lists was at this place before.
    } else if (place.isCertain) {
      this.#add(place, undefined)
    } else {
      this.#unknownDevices.probe(place)
    }
  }

  #isInUse({ usb, key }: ModemSite): boolean {
    if (usb === undefined || !key.startsWith('usb:')) return false
    return this.#entries.some(({ port, last }) => port !== undefined && last?.usb?.session === usb.session)
  }

  #add(place: ModemSite, id: string | undefined): void {
    const entry: Omit<RegisteredModem, 'actor'> & { actor?: ModemActor } = {
      place,
      id,
      port: undefined,
      last: undefined,
      goneAtMs: 0,
    }
    const complete = entry as RegisteredModem
    entry.actor = this.#options.newActor(complete, () => this.#open(complete))
    this.#entries = [...this.#entries, complete]
    complete.actor.start()
  }

  #remove(entry: RegisteredModem): void {
    this.#entries = this.#entries.filter((each) => each !== entry)
    void entry.actor.stop()
  }

  // ── Opening ─────────────────────────────────────────────────────────────────────────────────────────────────────

  async #open(entry: RegisteredModem): Promise<OpenAnswer> {
    await this.#options.look()
    for (;;) {
      const { place } = entry
      if (place === undefined)
        return absent('another modem is connected in the place of this modem; searching for this modem')
      const answer = await this.#openAt(entry, place)
      // In the meantime, another entry may have found this modem at another place.
      const isSettled = answer.kind === 'opened' || entry.place?.key === place.key || entry.place === undefined
      if (isSettled || this.#stopped) return answer
    }
  }

  async #openAt(entry: RegisteredModem, place: ModemSite): Promise<OpenAnswer> {
    const { last, duplicate } = entry
    const isChecked = duplicate !== undefined && this.#options.clock.nowMs() < duplicate.untilMs
    if (isChecked && duplicate.owner.port !== undefined && isSameDevice(duplicate.place, place)) {
      return alreadyInUse(place, duplicate.owner)
    }
    if (entry.id !== undefined && last?.usb !== undefined && last.usb.session === place.usb?.session) {
      // Opens the port without identifying the modem: the device has stayed on the USB bus, so it is the same modem
      // even if it does not answer.
      const opened = await this.#openPort(last.address)
      return opened.kind === 'opened' ? this.#assignPort(entry, place, { ...last, port: opened.port }) : opened
    }
    if (place.isPresent) return this.#identifyAt(entry, place, place)
    let answer: OpenAnswer = absent(`${place.ports[0]}: ${whyGone(place)}`)
    for (const other of this.#alternativesFor(entry)) {
      answer = await this.#identifyAt(entry, place, other)
      if (answer.kind === 'opened') break
    }
    return answer
  }

  /**
   * Returns other places for a modem whose listed port is gone: unlisted devices of the same model, beginning with the
   * device in the modem's last socket.
   */
  #alternativesFor({ last }: RegisteredModem): readonly ModemSite[] {
    const usb = last?.usb
    if (usb === undefined) return []
    return this.#unlisted
      .filter((place) => place.usb?.id === usb.id && !this.#foreign.has(place.usb.session) && !this.#isInUse(place))
      .sort((a, b) => Number(b.usb?.path === usb.path) - Number(a.usb?.path === usb.path))
  }

  /** `place`: the place where the modem is expected. `there`: the place to search. */
  async #identifyAt(entry: RegisteredModem, place: ModemSite, there: ModemSite): Promise<OpenAnswer> {
    const found = await this.#identify(there, entry)
    switch (found.kind) {
      case 'absent':
      case 'refused':
        return found
      case 'silent':
      case 'unnumbered':
      case 'modem': {
        const number = found.kind === 'modem' ? found.number : unnumbered
        // A starting modem may report its IMEI or serial number later; `confirm` checks the number after setup.
        if (found.kind === 'silent' || (found.kind === 'unnumbered' && !this.#isKnownUnnumbered(there))) {
          if (place === there && mayBeSameDevice(entry, there)) {
            return this.#assignPort(entry, there, { ...found, usb: there.usb })
          }
          await found.port.close()
          return absent(`${found.address}: another device is connected here and does not answer`)
        }
        if (this.#matches(entry, there, number)) return this.#assignPort(entry, there, { ...found, usb: there.usb })
        await found.port.close()
        if (place === there || this.#ownerOf(number, there) !== undefined) {
          return this.#handOver(entry, there, number)
        }
        if (there.usb !== undefined) this.#foreign.add(there.usb.session)
        return absent(`${place.ports[0]}: ${whyGone(place)}`)
      }
    }
  }

  #identify(place: ModemSite, entry?: RegisteredModem): Promise<Identified> {
    const { clock } = this.#options
    const open = (address: string) => this.#openPort(address)
    return identifyPlace({ ports: place.ports, open, kept: this.#kept.of(place), clock, trace: entry?.actor.trace })
  }

  /**
   * Does not open a port twice at the same time. A driver may hang while it opens a port, and a second attempt would
   * also hang and block another of the few I/O threads.
   */
  async #openPort(address: string): Promise<OpenResult> {
    if (this.#opening.has(address)) return absent(`${address}: the driver hangs while opening it; unplug the modem`)
    this.#opening.add(address)
    try {
      return await this.#options.open(address)
    } finally {
      this.#opening.delete(address)
    }
  }

  async #openSecond(address: string): Promise<ClosablePort | undefined> {
    const opened = await this.#openPort(address)
    if (opened.kind !== 'opened') return undefined
    if ('write' in opened.port) return opened.port
    await opened.port.close()
    return undefined
  }

  #assignPort(
    entry: RegisteredModem,
    { commandPorts = [], isShared }: ModemSite,
    found: { readonly address: string; readonly usb: PlaceOnUsb | undefined; readonly port: ModemPort },
  ): OpenAnswer {
    const { address, usb, port } = found
    const close = () => {
      free()
      return port.close()
    }
    const onClosed = (listener: (reason: string) => void) => port.onClosed(listener)
    const given: ModemPort =
      'exchange' in port
        ? { exchange: (request) => port.exchange(request), onClosed, close }
        : {
            write: (bytes) => port.write(bytes),
            onBytes: (listener) => port.onBytes(listener),
            onClosed,
            close,
          }
    const free = () => {
      if (entry.port === given) entry.port = undefined
    }
    entry.last = { address, usb }
    entry.port = given
    port.onClosed(free)
    this.#announce(entry)
    const second = commandPorts.includes(address) ? commandPorts.find((port) => port !== address) : undefined
    const openSecond = second === undefined ? undefined : () => this.#openSecond(second)
    return { kind: 'opened', port: given, address, usb: usb?.id, isShared, secondAddress: second, openSecond }
  }

  #announce({ actor, id, place }: RegisteredModem): void {
    if (id !== undefined) actor.identified(this.#options.simNumberOf(id, place?.position))
  }

  // ── Identity ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** True if the modem that answered belongs to the entry. An entry without an id takes the id of a new modem. */
  #matches(entry: RegisteredModem, there: ModemSite, number: ModemNumber): boolean {
    const owner = this.#ownerOf(number, there)
    if (owner === undefined && entry.id === undefined) entry.id = this.#idOf(number, there)
    else if (owner !== entry) return false
    return true
  }

  /** Assigns a place to the entry of the modem that answered there, or to a new entry. */
  #handOver(entry: RegisteredModem | undefined, there: ModemSite, number: ModemNumber): OpenAnswer {
    if (this.#stopped) return absent('stopped')
    const owner = this.#ownerOf(number, there)
    if (owner?.port !== undefined) return alreadyInUse(there, owner)
    if (entry?.place?.key === there.key) {
      entry.place = undefined
      if (entry.id === undefined) this.#remove(entry)
    }
    if (owner === undefined) {
      this.#add(there, this.#idOf(number, there))
    } else {
      owner.place = there
      owner.actor.deviceAppeared()
    }
    return absent(`${there.ports[0]}: another modem is connected here now; searching for this modem`)
  }

  /** True if a modem without IMEI and serial number has been at this place before. */
  #isKnownUnnumbered(there: ModemSite): boolean {
    return this.#ownerOf(unnumbered, there) !== undefined || this.#options.isKnown(this.#idOf(unnumbered, there))
  }

  #ownerOf(number: ModemNumber, there: ModemSite): RegisteredModem | undefined {
    const id = this.#idOf(number, there)
    return this.#entries.find((entry) => entry.id === id)
  }

  /**
   * The IMEI without its check digit, which some commands omit; otherwise the serial number of the modem, or of the USB
   * device. Some makers give all their sticks the same number, so the id of a second stick with this number also
   * contains its socket. A modem without IMEI and serial number is identified only by its socket or address.
   */
  #idOf(number: ModemNumber, { usb, key }: ModemSite): string {
    const id = numberOf(number, usb)
    if (id === undefined) return usb === undefined ? `at ${key}` : `${usb.id} at ${usb.path}`
    if (usb === undefined) return id
    const idWithSocket = `${id} at ${usb.path}`
    const first = this.#entries.find((entry) => entry.id === id)
    const other = first?.port === undefined ? undefined : first.last?.usb
    const isDuplicate = other !== undefined && other.path !== usb.path && this.#sessions.has(other.session)
    return isDuplicate || this.#options.isKnown(idWithSocket) ? idWithSocket : id
  }
}

export interface ModemRegistryOptions {
  readonly clock: Clock
  readonly open: (address: string) => Promise<OpenResult>
  /** Searches for modems. Resolves after `found` has been called. */
  readonly look: () => Promise<void>
  readonly newActor: (entry: RegisteredModem, open: () => Promise<OpenAnswer>) => ModemActor
  /** `position`: the position of the modem's place in MODEMS. */
  readonly simNumberOf: (id: string, position: number | undefined) => number
  readonly isKnown: (id: string) => boolean
  readonly onUnusable: (problem: string) => void
}

function numberOf({ imei, serial }: ModemNumber, usb: PlaceOnUsb | undefined): string | undefined {
  if (imei !== undefined) return imei.slice(0, 14)
  if (serial !== undefined) return `serial ${serial}`
  return usb?.serial === undefined ? undefined : `${usb.id} serial ${usb.serial}`
}

function mayBeSameDevice({ id, last }: RegisteredModem, { usb }: ModemSite): boolean {
  return id === undefined || last?.usb === undefined || last.usb.id === usb?.id
}

function whyGone({ usb }: ModemSite): string {
  return usb === undefined ? 'no such device: check that the modem is plugged in, and check its port' : 'unplugged'
}

const unnumbered: ModemNumber = { imei: undefined, serial: undefined }
const removedAfterMs = 60_000

/** Long enough that a port is not opened repeatedly if its modem identifies itself only after its setup. */
const duplicateForMs = 300_000

function alreadyInUse({ ports }: ModemSite, { actor }: RegisteredModem): OpenAnswer {
  const words = `${ports[0]}: the same modem is already in use on ${actor.address}; list only one of its ports in MODEMS`
  return { kind: 'refused', words }
}

const absent = (words: string) => ({ kind: 'absent' as const, words })
