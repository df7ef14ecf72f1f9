import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mainScripts } from './machine/main-scripts.ts'
import { HouseProcess } from './machine/process.ts'

/** A line of the ledger: a part that the network accepted. It is on disk before the modem confirms the part. */
export interface LedgerLine {
  /** ISO 8601. */
  readonly time: string
  /** The IMEI of the modem. */
  readonly modem: string
  readonly destination: string
  readonly text: string | null
  readonly data: string | null
  readonly pdu: string
  /** The part of a long message. */
  readonly part?: { readonly reference: number; readonly total: number; readonly sequence: number }
}

/** Virtual modems with their network, and the ledger of all sent messages. */
export class Emulator {
  readonly process: HouseProcess
  readonly control: string
  /** The ports of each modem: the address `tcp://…`, and the link to its pseudo-terminal. */
  readonly ports: readonly (readonly string[])[]
  readonly #ledger: string

  private constructor(process: HouseProcess, addresses: Addresses, ledger: string) {
    this.process = process
    this.control = addresses.control
    this.ports = addresses.modems.map(({ ports }) => ports)
    this.#ledger = ledger
  }

  /**
   * @param modems the properties of each modem, as in `--modem`. By default, each modem has a free TCP port and a
   * pseudo-terminal.
   * @param options further options of the emulator
   */
  static async start(
    folder: string,
    modems: readonly Readonly<Record<string, string>>[] = [{}],
    options: readonly string[] = [],
  ): Promise<Emulator> {
    const ledger = join(folder, 'ledger.jsonl')
    const described = modems.flatMap((modem, at) => {
      // A HiLink stick has no serial port.
      const isStick = modem['personality'] === 'huawei-hilink'
      const setup = { tcp: '127.0.0.1:0', ...(!isStick && { pty: join(folder, `modem${at}`) }), ...modem }
      return [
        '--modem',
        Object.entries(setup)
          .map(([name, value]) => `${name}=${value}`)
          .join(),
      ]
    })
    const args = ['--json', '--control', '127.0.0.1:0', '--ledger', ledger, ...options, ...described]
    const process = new HouseProcess('emulator', mainScripts.emulator, args, {})
    const addresses = await process.said((line) => (line.startsWith('{') ? (JSON.parse(line) as Addresses) : undefined))
    return new Emulator(process, addresses, ledger)
  }

  /** The address of the web interface of a HiLink stick, in the form of MODEMS. */
  stick(modem = 0): string {
    return this.ports[modem]?.[0] ?? ''
  }

  pty(modem = 0): string {
    return this.ports[modem]?.[1] ?? ''
  }

  async instruct(name: string, body: object): Promise<unknown> {
    const response = await fetch(`${this.control}/do/${name}`, {
      method: 'POST',
      // A reused connection may have been closed by the emulator, and an instruction must not be repeated.
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`)
    return response.json()
  }

  async imeiOf(modem: string): Promise<string> {
    const answer = await (await fetch(`${this.control}/modems/${modem}`)).json()
    return (answer as { imei: string }).imei
  }

  /** The time when a modem announced its last received message. */
  async announcedMs(modem: string): Promise<number> {
    const answer = await (await fetch(`${this.control}/traffic?modem=${modem}&last=100`)).json()
    const { traffic } = answer as { traffic: readonly { epochMs: number; direction: string; text: string }[] }
    let announcedMs: number | undefined
    let said = ''
    for (const { epochMs, direction, text } of traffic) {
      const isKnown = said.includes('+CMTI')
      // The modem may send a line in several pieces.
      said = direction === 'out' ? said + text : ''
      if (!isKnown && said.includes('+CMTI')) announcedMs = epochMs
    }
    if (announcedMs === undefined) throw new Error(`${modem} has not announced a message`)
    return announcedMs
  }

  ledger(): readonly LedgerLine[] {
    if (!existsSync(this.#ledger)) return []
    // Leaves out the last line if the emulator is still writing it.
    const lines = readFileSync(this.#ledger, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line) as LedgerLine)
  }

  /** The number of lines of the ledger. Takes much less time than reading them. */
  ledgerLength(): number {
    if (!existsSync(this.#ledger)) return 0
    const octets = readFileSync(this.#ledger)
    let length = 0
    for (let at = octets.indexOf(10); at >= 0; at = octets.indexOf(10, at + 1)) length += 1
    return length
  }
}

interface Addresses {
  readonly modems: readonly { readonly ports: readonly string[] }[]
  readonly control: string
}
