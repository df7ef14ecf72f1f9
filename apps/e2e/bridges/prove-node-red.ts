import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../src/house/api-client.ts'
import { freePort } from '../src/house/machine/free-port.ts'
import type { HouseProcess } from '../src/house/machine/process.ts'
import { type BridgeProof, expectTexts, type ProofWorld } from './bridge-proof.ts'
import { installOurs } from './programs/npm-program.ts'

/** Answers each message with the same text. */
const ECHO = '+12025550121'
const PHONE = '+447400123499'

/**
 * Proves that the nodes of this repository work in Node-RED. The nodes are installed from their package in the form in
 * which it is published. The admin API of Node-RED deploys the flows.
 */
export const nodeRedProof: BridgeProof = {
  subject: 'node-red',
  packages: [],
  npm: 'node-red@5.0.7',
  steps: [
    [
      'sends a message and receives the answer',
      async (world) => {
        const nodeRed = await NodeRed.start(world)
        await nodeRed.deploy({ to: ECHO, wait: 'ended' })
        await nodeRed.inject()
        const { payload, messageId } = await nodeRed.output('sent')
        if (payload.state !== 'Delivered' || payload.id !== messageId) throw new Error(JSON.stringify(payload))
        const answer = await nodeRed.output('received')
        if (answer.payload !== 'Door open' || answer.from !== ECHO) throw new Error(JSON.stringify(answer))
      },
    ],
    [
      'reports a wrong number to the catch node, with the name of the field',
      async (world) => {
        const nodeRed = await NodeRed.start(world)
        await nodeRed.deploy({ to: 'nobody' })
        await nodeRed.inject()
        const { error } = await nodeRed.output('failed')
        if (!error.message.includes('To: "nobody" is not a valid phone number')) throw new Error(JSON.stringify(error))
      },
    ],
    [
      'sends once when a flow repeats a message, and the gateway is killed meanwhile',
      async (world) => {
        const recipient = await world.newRecipient()
        const nodeRed = await NodeRed.start(world)
        // The catch node passes the message to the send node again.
        await nodeRed.deploy({ to: recipient.number, repeats: true })
        await world.restart(async () => {
          await nodeRed.inject()
          await new Promise((resolve) => setTimeout(resolve, 2_000))
        })
        await nodeRed.output('sent')
        expectTexts(await recipient.texts(), ['Door open'])
      },
    ],
    [
      'passes on once the messages that arrived while Node-RED was stopped or killed',
      async (world) => {
        const nodeRed = await NodeRed.start(world)
        await nodeRed.deploy({ to: ECHO })
        await receive(world, 'first')
        await nodeRed.output('received')
        await nodeRed.process.kill()
        for (const text of ['second', 'third']) await receive(world, text)
        await nodeRed.restart()
        await eventually(
          () => nodeRed.outputs('received').length,
          (count) => count >= 3,
        )
        expectTexts(
          nodeRed.outputs('received').map(({ payload }) => payload),
          ['first', 'second', 'third'],
        )
      },
    ],
    [
      'tests an account in its dialog',
      async (world) => {
        const nodeRed = await NodeRed.start(world)
        const entered = { id: 'new', url: world.gateway().url, authentication: 'key', apiKey: nodeRed.apiKey }
        const good = await nodeRed.ask('POST', '/smsgw/test', entered)
        if (good.account !== 'sms') throw new Error(JSON.stringify(good))
        const wrong = await nodeRed.ask('POST', '/smsgw/test', { ...entered, apiKey: 'wrong' })
        if (!wrong.problem?.startsWith('The gateway refused the credentials')) throw new Error(JSON.stringify(wrong))
      },
    ],
  ],
}

async function receive(world: ProofWorld, text: string): Promise<void> {
  const { status, json } = await world.gateway().api.ask('POST', '/virtual-phone', { from: PHONE, text })
  if (status !== 202) throw new Error(JSON.stringify(json))
  await eventually(
    async () =>
      (await world.gateway().api.ask('GET', `/inbox?sender=${encodeURIComponent(PHONE)}`)).json as { text: string }[],
    (found) => found.some((item) => item.text === text),
  )
}

interface FlowOptions {
  readonly to: string
  readonly wait?: string
  readonly repeats?: boolean
}

/** A running Node-RED with its own folder. */
class NodeRed {
  process: HouseProcess
  readonly apiKey: string
  readonly #world: ProofWorld
  readonly #folder: string
  readonly #port: number
  #earlier: string[] = []

  private constructor(
    world: ProofWorld,
    place: { readonly folder: string; readonly port: number; readonly apiKey: string },
  ) {
    this.#world = world
    this.#folder = place.folder
    this.#port = place.port
    this.apiKey = place.apiKey
    this.process = this.#start()
  }

  static async start(world: ProofWorld): Promise<NodeRed> {
    const folder = mkdtempSync(join(world.folder, 'node-red-'))
    installOurs('packages/node-red', folder)
    const scopes = ['messages:send', 'messages:read', 'inbox:list']
    const { json } = await world.gateway().api.ask('POST', '/keys', { name: 'Node-RED', scopes })
    const nodeRed = new NodeRed(world, { folder, port: await freePort(), apiKey: json.key })
    world.onEnd(() => nodeRed.process.stop())
    await nodeRed.#untilStarted()
    return nodeRed
  }

  /** Starts Node-RED again after it was killed. */
  async restart(): Promise<void> {
    this.#earlier = [...this.#earlier, ...this.process.lines]
    this.process = this.#start()
    await this.#untilStarted()
  }

  /** inject → send → output, receive → output, catch → output. */
  async deploy({ to, wait = 'accepted', repeats = false }: FlowOptions): Promise<void> {
    const account = { url: this.#world.gateway().url, authentication: 'key', credentials: { apiKey: this.apiKey } }
    const fields = { text: '', deviceId: '', simNumber: '', priority: '', ttl: '', timeoutSeconds: '60' }
    const place = { z: 'tab', x: 0, y: 0 }
    const output = (id: string) => ({
      ...{ id: `show-${id}`, type: 'function', ...place, outputs: 0, wires: [] },
      // Prints the message on the console of the process, because a debug node would shorten it.
      func: `node.log('OUTPUT ' + JSON.stringify({ ...msg, output: '${id}' }))`,
    })
    const flow = [
      { id: 'tab', type: 'tab', label: 'SMS' },
      { id: 'account', type: 'smsgw-account', ...account },
      {
        ...{
          id: 'inject',
          type: 'inject',
          ...place,
          props: [{ p: 'payload' }],
          payload: 'Door open',
          payloadType: 'str',
        },
        wires: [['send']],
      },
      { id: 'send', type: 'smsgw-send', ...place, account: 'account', to, wait, ...fields, wires: [['show-sent']] },
      {
        id: 'receive',
        type: 'smsgw-receive',
        ...place,
        account: 'account',
        events: 'received',
        from: '',
        wires: [['show-received']],
      },
      { id: 'catch', type: 'catch', ...place, scope: ['send'], wires: [[repeats ? 'send' : 'show-failed']] },
      { id: 'status', type: 'status', ...place, scope: ['receive'], wires: [['show-status']] },
      ...['sent', 'received', 'failed', 'status'].map(output),
    ]
    await this.ask('POST', '/flows', flow)
    await eventually(
      () => this.outputs('status'),
      (found) => found.some(({ status }) => status.text === 'connected'),
    )
  }

  /** Starts the flow. */
  async inject(): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/inject/inject`, { method: 'POST' })
    if (!response.ok) throw new Error(`Node-RED answered ${response.status}`)
  }

  outputs(name: string) {
    const lines = [...this.#earlier, ...this.process.lines]
    const found = lines.flatMap((line) => {
      const [, json] = /OUTPUT (\{.*\})$/.exec(line) ?? []
      return json === undefined ? [] : [JSON.parse(json)]
    })
    return found.filter(({ output }) => output === name)
  }

  /** Waits for the first message at an output. */
  async output(name: string) {
    const [first] = await eventually(
      () => this.outputs(name),
      (found) => found.length > 0,
    )
    return first
  }

  async ask(method: string, path: string, body: unknown) {
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`Node-RED answered ${response.status} to ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  #start(): HouseProcess {
    const args = ['--userDir', this.#folder, '--port', String(this.#port)]
    return this.#world.npm.start('node-red', 'node-red/red.js', args, { HOME: this.#folder })
  }

  async #untilStarted(): Promise<void> {
    await this.process.said((line) => (line.includes('Started flows') ? line : undefined))
  }
}
