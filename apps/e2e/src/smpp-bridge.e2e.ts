import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { startPostgres } from './house/fleet.ts'
import { Gateway } from './house/gateway.ts'
import { House } from './house/house.ts'
import { freePort } from './house/machine/free-port.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { HouseProcess, logged } from './house/machine/process.ts'
import { SmppClient } from './house/peers/smpp-client.ts'

const NUMBER = '447400123456'
const COUNT = 1_000
/** The number of unanswered requests of the client. */
const WINDOW = 10
const LOGIN = { system_id: 'app', password: 'qx7Ru2dA' }
/** Clients repeat a request after these errors: ESME_RSYSERR, ESME_RMSGQFUL and ESME_RTHROTTLED. */
const TEMPORARY = [0x08, 0x14, 0x58]

/**
 * Submits texts as a reliable program does. After a temporary error or a lost answer, submits the text again with the
 * same reference.
 */
class Submissions {
  /** The message id of each confirmed text. */
  readonly ids = new Map<string, string>()
  /** How many receipts arrived for each message id. */
  readonly receipts = new Map<string, number>()
  readonly #port: number
  readonly #texts: readonly string[]
  isOver = false

  constructor(port: number, texts: readonly string[]) {
    this.#port = port
    this.#texts = texts
  }

  async run(): Promise<void> {
    while (!this.isOver) {
      const client = await SmppClient.bind(this.#port, LOGIN, (pdu) => {
        const id = String(pdu['receipted_message_id'])
        this.receipts.set(id, (this.receipts.get(id) ?? 0) + 1)
      }).catch(() => undefined)
      if (client === undefined) await sleep(200)
      else await this.#use(client)
    }
  }

  async #use(client: SmppClient): Promise<void> {
    const queue = this.#texts.map((text, at) => ({ text, reference: at + 1 })).filter(({ text }) => !this.ids.has(text))
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined && !client.isClosed; next = queue.shift()) {
        const answer = await client.ask('submit_sm', {
          dest_addr_ton: 1,
          dest_addr_npi: 1,
          destination_addr: NUMBER,
          registered_delivery: 1,
          user_message_reference: next.reference,
          short_message: next.text,
        })
        if (answer.command_status === 0) this.ids.set(next.text, String(answer['message_id']))
        else if (TEMPORARY.includes(answer.command_status)) {
          queue.push(next)
          await sleep(200)
        } else throw new Error(`submit_sm: status ${answer.command_status}`)
      }
    }
    await Promise.all(Array.from({ length: WINDOW }, () => worker().catch((error: Error) => this.#check(error))))
    while (!this.isOver && !client.isClosed) await sleep(50)
    client.destroy()
  }

  #check(error: Error): void {
    if (error.message !== 'the connection ended') throw error
  }
}

test('each confirmed message is sent once and gets its receipt, while bridge, relay and PostgreSQL are killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-smpp-'))
  chmodSync(folder, 0o755)
  const { postgres, url } = await startPostgres(folder)
  const house = await House.start({
    modems: [{}, {}, {}],
    relay: { DATABASE_URL: url },
    agent: { MESSAGE_LIFE_SECONDS: '3600' },
  })
  const port = await freePort()
  const settings = {
    SMSGW_URL: house.relayUrl,
    SMSGW_USERNAME: house.user.username,
    SMSGW_PASSWORD: house.user.password,
    DATA_DIR: join(house.folder, 'bridge'),
    SMPP_PORT: String(port),
    SMPP_USERS: `${LOGIN.system_id}=${LOGIN.password}`,
  }
  mkdirSync(settings.DATA_DIR)
  const startBridge = () => new HouseProcess('bridge', mainScripts.bridge, ['run'], settings)
  let bridge = startBridge()
  const texts = Array.from({ length: COUNT }, (_, at) => `text ${at}`)
  const submissions = new Submissions(port, texts)
  try {
    await bridge.said(logged('SMPP server listening'))
    const running = submissions.run()
    for (const round of [1, 2, 3, 4, 5, 6]) {
      await eventually(
        () => submissions.ids.size,
        (count) => count >= round * 100,
        300_000,
      )
      if (round % 3 === 1) {
        await bridge.kill()
        bridge = startBridge()
      } else if (round % 3 === 2) {
        await house.relay.kill()
        await house.restartRelay()
      } else await postgres.killFor(1_000)
    }
    await eventually(
      () => submissions.ids.size,
      (count) => count === COUNT,
      300_000,
    )
    expect(new Set(submissions.ids.values()).size).toBe(COUNT)
    await eventually(
      () => house.emulator.ledgerLength(),
      (count) => count >= COUNT,
      600_000,
    )
    await eventually(
      () => submissions.receipts.size,
      (count) => count >= COUNT,
      600_000,
    )
    expect([...submissions.receipts.keys()].toSorted()).toEqual([...submissions.ids.values()].toSorted())
    const onAir = house.emulator.ledger().map(({ text }) => text)
    expect(onAir.toSorted()).toEqual(texts.toSorted())
    submissions.isOver = true
    await running
  } finally {
    submissions.isOver = true
    await bridge.stop()
    await house.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a gateway with SMPP_PORT sends for clients with an API key, and delivers answers to them', async () => {
  const port = await freePort()
  const gateway = await Gateway.start({ SMPP_PORT: String(port) })
  try {
    await gateway.untilReady()
    const scopes = ['messages:send', 'messages:read', 'inbox:list']
    const { json } = await gateway.api.ask('POST', '/keys', { name: 'smpp', scopes })
    const received: string[] = []
    const client = await SmppClient.bind(port, { system_id: 'app', password: json.key }, (pdu) => {
      received.push((pdu['short_message'] as { message: string }).message)
    })
    // A message to this number of the virtual network is answered with the same text.
    const sms = { dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: '12025550121', registered_delivery: 1 }
    const { command_status: status, message_id: id } = await client.ask('submit_sm', { ...sms, short_message: 'SMPP' })
    expect(status).toBe(0)
    await eventually(
      () => received.length,
      (count) => count >= 2,
    )
    expect(received).toContain('SMPP')
    expect(received.join('\n')).toMatch(new RegExp(`id:${id} .*stat:DELIVRD`))
    const wrong = { system_id: 'app', password: `${String(json.key).slice(0, -1)}-` }
    await expect(SmppClient.bind(port, wrong, () => undefined)).rejects.toThrow('status 14')
    await refuses10kConnections(port)
    expect((await client.ask('query_sm', { message_id: id }))['message_state']).toBe(2)
    expect((await client.ask('enquire_link')).command_status).toBe(0)
    client.destroy()
  } finally {
    await gateway.stop()
  }
})

/** Opens many connections at the same time. The server refuses all connections above its limit. */
async function refuses10kConnections(port: number): Promise<void> {
  let open: Socket[] = []
  for (let count = 0; count < 10_000; count += 500) {
    const sockets = Array.from({ length: 500 }, () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.resume()
      return socket
    })
    await Promise.all(
      sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined)),
    )
    open = [...open, ...sockets].filter((socket) => !socket.closed)
  }
  await eventually(
    () => open.filter((socket) => !socket.closed).length,
    (count) => count <= 100,
  )
  for (const socket of open) socket.destroy()
}
