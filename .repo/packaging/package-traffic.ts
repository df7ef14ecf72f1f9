import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmptyDebian } from './empty-debian.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

interface Message {
  readonly state: string
  readonly recipients: readonly { readonly error?: string }[]
}

/** Messages that are sent to a gateway in another folder, and the ledger of the virtual network that carries them. */
export class PackageTraffic {
  /** The port of the virtual modem. */
  readonly modem: string
  /** A free port for the gateway. */
  readonly port: number
  readonly #emulator: ChildProcess
  readonly #ledger: string
  readonly #api: string
  readonly #health: string
  #authorization = ''
  /** The ids of accepted messages, by phone number. */
  readonly #sent = new Map<string, string>()
  readonly #limitMs: number
  #isOver = false
  #running: Promise<void> | undefined
  #retries = 0

  private constructor(emulator: ChildProcess, modem: string, ledger: string, port: number, limitMs: number) {
    this.#emulator = emulator
    this.#limitMs = limitMs
    this.modem = modem
    this.port = port
    this.#ledger = ledger
    this.#api = `http://127.0.0.1:${port}/3rdparty/v1`
    this.#health = `http://127.0.0.1:${port}/health/ready`
  }

  /** `limitMs`: how long the gateway may take to start, to accept messages, or to send a message. */
  static async start(root: string, folder: string, limitMs: number): Promise<PackageTraffic> {
    const ledger = join(folder, 'ledger.jsonl')
    const args = [
      '--json',
      '--control',
      '127.0.0.1:0',
      '--ledger',
      ledger,
      '--modem',
      'number=+447700900001,tcp=127.0.0.1:0',
    ]
    const emulator = spawn(process.execPath, [join(root, 'apps/emulator/src/main.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface({ input: emulator.stdout })) {
      const { modems } = JSON.parse(line) as { modems: readonly { readonly ports: readonly string[] }[] }
      return new PackageTraffic(emulator, modems[0]?.ports[0] ?? '', ledger, await freePort(), limitMs)
    }
    throw new Error('the emulator ended')
  }

  async untilAnswers(machine: EmptyDebian): Promise<void> {
    await machine.service('gateway').untilAnswers(this.#health, this.#limitMs)
    // The gateway creates its account after the API has started. On an emulated processor, one login takes up to 20 s
    // if the machine is busy.
    for (const until = performance.now() + this.#limitMs; ; await sleep(500)) {
      machine.service('gateway').expectRunning()
      if (machine.succeeds('smsgw', 'password') && (await this.#isLoggedIn(machine))) return
      if (performance.now() > until) throw new Error('the gateway does not accept its password')
    }
  }

  async #isLoggedIn(machine: EmptyDebian): Promise<boolean> {
    this.#authorization = `Basic ${Buffer.from(machine.run('smsgw', 'password').trim()).toString('base64')}`
    const headers = { authorization: this.#authorization }
    return (await fetch(`${this.#api}/devices`, { headers }).catch(() => undefined))?.ok === true
  }

  async firstMessage(): Promise<void> {
    await this.#send(0)
    await this.#ended('proof-0')
  }

  begin(): void {
    this.#running = (async () => {
      for (let at = 1; !this.#isOver; at += 1) {
        await this.#send(at)
        await sleep(100)
      }
    })()
    // Ignores the error here, because `passes` and `end` report it.
    this.#running.catch(() => undefined)
  }

  async passes(messages: number): Promise<void> {
    const wanted = this.#sent.size + messages
    for (const until = performance.now() + this.#limitMs; this.#sent.size < wanted; await sleep(100))
      if (performance.now() > until) throw new Error(`only ${this.#sent.size} messages were accepted`)
  }

  /** Waits until every message has reached a final state, and compares the messages with the ledger. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#running
    for (const id of this.#sent.values()) await this.#ended(id)
    const lines = readFileSync(this.#ledger, 'utf8').trim().split('\n')
    const destinations = lines.map((line) => (JSON.parse(line) as { destination: string }).destination)
    const wrong = [...this.#sent].flatMap(([destination, id]) => {
      const times = destinations.filter((each) => each === destination).length
      return times === 1 ? [] : [`${id} was sent ${times} times`]
    })
    if (wrong.length > 0) throw new Error(wrong.join(', '))
  }

  summary(): string {
    return `${this.#sent.size} messages, 0 lost, 0 sent twice; ${this.#retries} requests repeated during restarts`
  }

  async close(): Promise<void> {
    this.#isOver = true
    this.#emulator.kill()
    if (this.#emulator.exitCode === null && this.#emulator.signalCode === null) await once(this.#emulator, 'exit')
  }

  /** Repeats the request until the gateway has accepted the message. */
  async #send(at: number): Promise<void> {
    const [id, destination] = [`proof-${at}`, `+4474003${String(at).padStart(5, '0')}`]
    const body = JSON.stringify({ id, phoneNumbers: [destination], textMessage: { text: `to ${destination}` } })
    for (; !this.#isOver; this.#retries += 1) {
      const headers = { authorization: this.#authorization, 'content-type': 'application/json', 'idempotency-key': id }
      const answer = await fetch(`${this.#api}/messages`, { method: 'POST', headers, body }).catch(() => undefined)
      if (answer?.status === 202) {
        this.#sent.set(destination, id)
        return
      }
      if (answer !== undefined && answer.status < 500) throw new Error(`${id}: ${answer.status} ${await answer.text()}`)
      await sleep(200)
    }
  }

  async #ended(id: string): Promise<void> {
    for (const until = performance.now() + this.#limitMs; ; await sleep(200)) {
      const headers = { authorization: this.#authorization }
      const answer = await fetch(`${this.#api}/messages/${id}`, { headers }).catch(() => undefined)
      const message = answer?.ok ? ((await answer.json()) as Message) : undefined
      if (message?.state === 'Delivered' || message?.state === 'Sent') return
      if (message?.state === 'Failed') throw new Error(`${id} failed: ${message.recipients[0]?.error}`)
      if (performance.now() > until)
        throw new Error(`${id} has no final state after 5 minutes: ${message?.state ?? answer?.status}`)
    }
  }
}
