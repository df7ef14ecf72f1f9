import type { ClosablePort, OpenResult } from '@smsgw/modem/recovery/runner'
import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { Network } from '@smsgw/virtual-modem/network/network'
import { quectelEc25 } from '@smsgw/virtual-modem/personalities/quectel-ec25'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { Sim } from '@smsgw/virtual-modem/sim/sim'
import { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import type { Json } from '../journal/change.ts'
import type { ModemSite } from '../modems/discovery/find-places.ts'
import { ModemFleet } from '../modems/modem-fleet.ts'
import { MemoryJournal } from './memory-journal.ts'

/** The device at a port: a modem, or a scripted device. */
export type PortDevice = VirtualModem | { readonly answer: (text: string) => string }

/** A modem fleet with virtual modems in virtual sockets, on a manual clock. */
export class VirtualFleet {
  readonly clock = new ManualClock()
  readonly disk = new MemoryJournal(
    this.clock,
    () => 0,
    () => this.clock.epochMs(),
  )
  readonly places = new Map<string, ModemSite>()
  readonly problems: string[] = []
  readonly unusable: string[] = []
  readonly sending = new Set<number>()
  readonly written: string[] = []
  readonly opened: string[] = []
  /** The PDUs of received messages. */
  readonly incoming: string[] = []
  /** For each received message: the SIM number. */
  readonly recipients: number[] = []
  /** Replaces the result of opening a port. */
  openInstead: ((address: string) => Promise<OpenResult> | undefined) | undefined
  /** Called for all that is written to a port, with a function that lets the port deliver a text. */
  onWrite: ((address: string, text: string, hear: (text: string) => void) => void) | undefined
  readonly #random = seededRandom(1)
  readonly network = new Network({ clock: this.clock, random: this.#random })
  readonly #ports = new Map<string, PortDevice>()
  readonly #listeners = new Map<VirtualModem, Set<VirtualPort>>()
  /** True if the fleet is notified of changed devices. */
  isWatched = true
  #sessions = 0
  #changed: () => unknown = () => undefined
  fleet: ModemFleet | undefined

  modem(imei: string, card = imei.slice(-4), faults: FaultSettings = {}): VirtualModem {
    const heard = new Set<VirtualPort>()
    const modem: VirtualModem = new VirtualModem({
      imei,
      faults,
      personality: quectelEc25,
      sim: new Sim({ msisdn: `+4477009${card}0`, iccid: `89441100000000${card}0`, imsi: `00101000000${card}` }),
      network: this.network,
      clock: this.clock,
      random: this.#random,
      onBytes: (bytes) => {
        this.clock.after(1, () => {
          for (const port of heard) port.hear(bytes)
        })
      },
      onPort: (event) => {
        if (event !== 'back') for (const port of heard) port.lose()
      },
    })
    this.#listeners.set(modem, heard)
    modem.powerOn({ warm: true })
    return modem
  }

  /** Plugs devices into a socket. Ports are named by socket and number, such as `1-1.2:0`. */
  plug(
    path: string,
    devices: readonly PortDevice[],
    options: { readonly isCertain?: boolean; readonly id?: string; readonly serial?: string } = {},
  ): void {
    this.#sessions += 1
    const ports = devices.map((each, number) => {
      const address = `${path}:${number}`
      this.#ports.set(address, each)
      return address
    })
    const { isCertain = true, id = '2c7c:0125', serial } = options
    const usb = { id, path, serial, session: String(this.#sessions) }
    this.places.set(path, { key: `usb:${path}`, ports, isPresent: true, isHidden: false, isCertain, usb })
    this.#changed()
  }

  unplug(path: string): void {
    for (const address of this.places.get(path)?.ports ?? []) this.#ports.delete(address)
    this.places.delete(path)
    for (const heard of this.#listeners.values()) {
      for (const port of heard) if (port.address.startsWith(`${path}:`)) port.lose()
    }
    this.#changed()
  }

  async start(): Promise<ModemFleet> {
    const { journal } = this.disk.session()
    const notes: Readonly<Record<string, Json>> = await journal.read('notes', {})
    const fleet = new ModemFleet(
      {
        clock: this.clock,
        journal,
        open: async (address) => (await this.openInstead?.(address)) ?? this.#open(address),
        discovery: {
          find: async () => ({ places: [...this.places.values()], unlisted: [], unusable: [] }),
          watch: (onChange) => {
            this.#changed = () => this.isWatched && onChange()
            return () => undefined
          },
          onUnusable: (problem) => void this.unusable.push(problem),
        },
        newId: () => 'session',
        sims: { pinOf: () => undefined, phoneNumberOf: () => undefined },
        onJournalError: fail,
        onError: fail,
        listener: {
          onReadable: () => undefined,
          onUnreadable: () => undefined,
          onSending: ({ simNumber }) => void this.sending.add(simNumber),
          onNotSending: ({ simNumber }) => void this.sending.delete(simNumber),
          onIncoming: ({ simNumber }, { pdu }) => {
            this.incoming.push(pdu)
            this.recipients.push(simNumber)
          },
          onLateResult: () => undefined,
          onCall: () => undefined,
          onNetworkTime: () => undefined,
          onChanged: () => undefined,
          onProblem: ({ address }, priority, problem) => void this.problems.push(`${priority} ${address}: ${problem}`),
        },
      },
      notes,
    )
    this.fleet = fleet
    await fleet.start()
    return fleet
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.clock.nowMs() + ms
    for (;;) {
      await new Promise<void>((resolve) => process.nextTick(resolve))
      const dueMs = this.clock.nextAtMs
      if (dueMs === undefined || dueMs > untilMs) break
      this.clock.advance(dueMs - this.clock.nowMs())
    }
    this.clock.advance(untilMs - this.clock.nowMs())
  }

  /** For each modem that can send: its SIM number and port. */
  get ready(): readonly string[] {
    return [...this.sending].sort().map((simNumber) => `${simNumber} on ${this.fleet?.actorOf(simNumber)?.address}`)
  }

  async #open(address: string): Promise<OpenResult> {
    this.opened.push(address)
    const device = this.#ports.get(address)
    if (device === undefined) return { kind: 'absent', words: `${address}: no such device` }
    return { kind: 'opened', port: this.#portOf(device, address) }
  }

  #portOf(device: PortDevice, address: string): VirtualPort {
    const heard = device instanceof VirtualModem ? this.#listeners.get(device) : undefined
    const port: VirtualPort = new VirtualPort(
      address,
      (bytes) => {
        const text = String.fromCharCode(...bytes)
        this.written.push(`${address} ${text}`)
        this.onWrite?.(address, text, (heard) => port.hear(Buffer.from(heard, 'latin1')))
        if (device instanceof VirtualModem) this.clock.after(1, () => device.receive(bytes))
        else {
          const answer = device.answer(text)
          this.clock.after(1, () => port.hear(Uint8Array.from(answer, (char) => char.charCodeAt(0))))
        }
      },
      () => heard?.delete(port),
    )
    heard?.add(port)
    return port
  }
}

type Listener = (bytes: Uint8Array) => void

class VirtualPort implements ClosablePort {
  readonly address: string
  readonly #write: Listener
  readonly #onEnd: () => void
  readonly #onBytes: Listener[] = []
  readonly #onClosed: ((reason: string) => void)[] = []
  #reason: string | undefined

  constructor(address: string, write: Listener, onEnd: () => void) {
    this.address = address
    this.#write = write
    this.#onEnd = onEnd
  }

  write(bytes: Uint8Array): void {
    if (this.#reason === undefined) this.#write(bytes)
  }

  onBytes(listener: Listener): void {
    this.#onBytes.push(listener)
  }

  onClosed(listener: (reason: string) => void): void {
    if (this.#reason === undefined) this.#onClosed.push(listener)
    else listener(this.#reason)
  }

  hear(bytes: Uint8Array): void {
    if (this.#reason === undefined) for (const listener of this.#onBytes) listener(bytes)
  }

  lose(reason = 'the device is gone'): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#onEnd()
    for (const listener of this.#onClosed) listener(reason)
  }

  async close(): Promise<void> {
    this.lose('closed by the test')
  }
}

function fail(error: Error): never {
  throw error
}
