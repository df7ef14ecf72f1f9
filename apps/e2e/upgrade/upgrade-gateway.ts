import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../src/house/api-client.ts'
import { Emulator } from '../src/house/emulator.ts'
import { Gateway, gatewayOf, newFolder } from '../src/house/gateway.ts'
import { freePort } from '../src/house/machine/free-port.ts'
import { mainScripts } from '../src/house/machine/main-scripts.ts'
import { HouseProcess } from '../src/house/machine/process.ts'
import type { UpgradeProof } from './upgrade-fleet.ts'

const CURRENT = mainScripts.gateway
const MESSAGES_PER_STEP = 20
const SETTINGS = { IN_DOUBT_SECONDS: '10', IN_DOUBT_HOLD_SECONDS: '2', SUBMIT_UNKNOWN_SECONDS: '60' }

/**
 * Upgrades a gateway with its embedded database from the previous release to these sources, downgrades it and upgrades
 * it again, while messages are sent and received. Then restores a backup of the previous release with these sources.
 * Returns the problems.
 */
export async function upgradeGateway({ previous, everyMs, log }: UpgradeProof): Promise<readonly string[]> {
  const folder = newFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  const emulator = await Emulator.start(folder, [{ number: '+447700900001' }])
  const settings = { ...SETTINGS, MODEMS: emulator.pty(), PORT: String(await freePort()) }
  const start = (main: string) => Gateway.start(settings, { folder: data, command: gatewayOf(main) })
  let gateway = await start(previous.gateway)
  try {
    await gateway.untilReady()
    log('the gateway of the previous release is ready')
    const traffic = new GatewayTraffic(() => gateway, emulator, everyMs)
    await traffic.passes(MESSAGES_PER_STEP)
    const backup = join(folder, 'previous.backup')
    await command('backup', previous.gateway, ['backup', backup], data)
    for (const [release, main] of [
      ['new', CURRENT],
      ['previous', previous.gateway],
      ['new', CURRENT],
    ] as const) {
      await gateway.process.stop()
      gateway = await start(main)
      await traffic.passes(MESSAGES_PER_STEP)
      log(`the gateway runs the ${release} release; ${traffic.sent.size} messages accepted`)
    }
    await traffic.stop()
    const problems = [...(await traffic.audit()), ...(await restored(backup, folder, traffic))]
    log(
      `${traffic.sent.size} sent, ${traffic.received.length} received; the backup of the previous release is restored`,
    )
    return problems
  } finally {
    await gateway.process.stop()
    await emulator.process.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Restores the backup of the previous release with these sources, and checks how many messages it contains. */
async function restored(backup: string, folder: string, { sent }: GatewayTraffic): Promise<string[]> {
  const elsewhere = join(folder, 'restored')
  await command('restore', CURRENT, ['restore', backup], elsewhere)
  const gateway = await Gateway.start({ ...SETTINGS, MODEMS: 'virtual' }, { folder: elsewhere })
  try {
    const answers = await Promise.all([...sent.values()].map((id) => gateway.api.ask('GET', `/messages/${id}`)))
    const known = answers.filter(({ status }) => status === 200).length
    return known >= MESSAGES_PER_STEP ? [] : [`the restored gateway has ${known} messages`]
  } finally {
    await gateway.process.stop()
  }
}

async function command(name: string, main: string, args: readonly string[], folder: string): Promise<void> {
  const process = new HouseProcess(name, main, args, { DATA_DIR: folder })
  const status = await process.ended()
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${process.complaints}`)
}

/** Sends and receives messages, also while the gateway restarts. */
class GatewayTraffic {
  /** The ids of accepted messages by phone number. */
  readonly sent = new Map<string, string>()
  readonly received: string[] = []
  readonly #gateway: () => Gateway
  readonly #emulator: Emulator
  readonly #running: Promise<void>
  #isOver = false

  constructor(gateway: () => Gateway, emulator: Emulator, everyMs: number) {
    this.#gateway = gateway
    this.#emulator = emulator
    this.#running = this.#run(everyMs)
  }

  async passes(messages: number): Promise<void> {
    const wanted = this.sent.size + messages
    await eventually(
      () => this.sent.size,
      (count) => count >= wanted,
    )
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  async #run(everyMs: number): Promise<void> {
    for (let at = 0; !this.#isOver; at += 1) {
      const destination = `+4474002${String(at).padStart(5, '0')}`
      const id = await this.#accepted(`upgrade-${at}`, destination)
      this.sent.set(destination, id)
      if (at % 5 === 0) {
        const text = `to the gateway ${at}`
        await this.#emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text })
        this.received.push(text)
      }
      await sleep(everyMs)
    }
  }

  /** Repeats the request, with the same key, until the gateway has accepted the message. */
  async #accepted(id: string, destination: string): Promise<string> {
    const message = { id, phoneNumbers: [destination], textMessage: { text: `to ${destination}` } }
    for (;;) {
      const { api } = this.#gateway()
      const answer = await api.ask('POST', '/messages', message, { 'Idempotency-Key': id }).catch(() => undefined)
      if (answer?.status === 202) return id
      if (answer !== undefined && answer.status < 500)
        throw new Error(`${id}: ${answer.status} ${JSON.stringify(answer.json)}`)
      await sleep(200)
    }
  }

  async audit(): Promise<string[]> {
    const problems: string[] = []
    const { api } = this.#gateway()
    for (const [destination, id] of this.sent) {
      const { state, recipients } = await api.until(
        id,
        (message) => message.state !== 'Pending' && message.state !== 'Processed',
        180_000,
      )
      const times = this.#emulator.ledger().filter((line) => line.destination === destination).length
      if (times !== 1 || state === 'Failed')
        problems.push(`${id}: ${state} ${recipients[0]?.error ?? ''}, sent ${times} times`)
    }
    const inbox = await eventually(
      async () => (await api.ask('GET', '/inbox?limit=100')).json as readonly { text?: string }[],
      (items) => items.length >= this.received.length,
    )
    const texts = inbox.map(({ text }) => text ?? '')
    problems.push(...this.received.filter((text) => !texts.includes(text)).map((text) => `not received: ${text}`))
    if (new Set(texts).size !== texts.length) problems.push(`received twice: ${texts.join(', ')}`)
    return problems
  }
}
