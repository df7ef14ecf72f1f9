import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SmsGateway } from '@smsgw/client'
import type { InboxItem, MessageState } from '@smsgw/client/openapi'
import type { Log } from '@smsgw/daemon/log/log'
import type { IPublishPacket } from 'mqtt'
import type { MqttConfig } from '../config.ts'
import { AccountFollower } from '../follow/account-follower.ts'
import { readPem } from '../read-pem.ts'
import { Channel, type ChannelOptions, type RunningChannel } from '../state/channel.ts'
import { Broker, type BrokerSession } from './broker.ts'
import { readCommand } from './command.ts'
import { CommandQueue } from './command-queue.ts'
import { MESSAGE_STATES } from './discovery.ts'
import { OutgoingPackets } from './outgoing-packets.ts'
import { DevicePublisher } from './publish-devices.ts'
import { CommandRunner } from './run-commands.ts'
import { type Topics, topicsBelow } from './topics.ts'

/** The time during which changes are collected and then published together. */
const GATHER_MS = 500
/** The interval at which all devices are read, in case a change was missed. */
const REFRESH_MS = 60_000

export interface MqttBridgeOptions extends ChannelOptions<MqttConfig> {
  readonly api: SmsGateway
  /** A client for the same account, with a short time limit and without repetitions. */
  readonly commandApi: SmsGateway
}

export interface MqttBridge extends RunningChannel {
  readonly isConnected: () => boolean
}

/** Connects the account to an MQTT broker: reads commands, and publishes received messages, states and devices. */
export function startMqttBridge(options: MqttBridgeOptions): MqttBridge {
  const { config, api, database, log } = options
  const channel = new Channel('mqtt', database, log, {
    broker: 'connecting to the MQTT broker',
    api: 'connecting to the API',
  })
  const { signal } = channel
  const { MQTT_PREFIX: prefix, MQTT_DISCOVERY_PREFIX: discoveryPrefix, MQTT_CONTACTS: contacts } = config
  const topics = topicsBelow(prefix)
  const queue = new CommandQueue(database)
  const broker: Broker = new Broker({
    session: brokerSession(config, channel, topics),
    packets: new OutgoingPackets(database, channel.handled),
    handled: channel.handled,
    log,
    onMessage: (packet) => incoming.receive(packet),
    onDisconnect: () => queue.reopen(),
    onConnect: () => publisher.publishAll(),
    onProblem: (problem) => channel.state.set('broker', problem),
  })
  const devices = new DevicePublisher({ api, broker, database, topics, prefix, discoveryPrefix, contacts, signal })
  const publisher = new AccountPublisher(broker, devices, topics, log, signal)
  const follower = new AccountFollower({ channel, api, ...publisher.listener })
  const runner = createRunner(options, { channel, queue, broker, topics, follower })
  const incoming = new IncomingPackets(statusTopic(config), { queue, runner, broker, publisher, topics, log })
  const running = [runner.run(), follower.run(), publisher.run()]

  return {
    isConnected: () => broker.isConnected,
    report: () => channel.state.report(),
    async stop() {
      channel.stop()
      await broker.close()
      await Promise.all(running)
    },
  }
}

function brokerSession(config: MqttConfig, { notes }: Channel, { availability, send }: Topics): BrokerSession {
  return {
    url: config.MQTT_URL,
    ca: config.MQTT_CA_FILE === undefined ? undefined : readPem('MQTT_CA_FILE', config.MQTT_CA_FILE),
    // The broker recognises the session by this id.
    clientId: notes.readOrCreate('mqtt.client-id', () => `smsgw-${randomBytes(8).toString('hex')}`),
    availabilityTopic: availability,
    topics: [send, statusTopic(config)],
  }
}

/** The topic on which Home Assistant announces its start. */
function statusTopic({ MQTT_DISCOVERY_PREFIX }: MqttConfig): string {
  return `${MQTT_DISCOVERY_PREFIX}/status`
}

interface RunnerParts {
  readonly channel: Channel
  readonly queue: CommandQueue
  readonly broker: Broker
  readonly topics: Topics
  readonly follower: AccountFollower
}

function createRunner({ commandApi, now }: MqttBridgeOptions, parts: RunnerParts): CommandRunner {
  const { channel, queue, broker, topics, follower } = parts
  return new CommandRunner({
    api: commandApi,
    queue,
    broker,
    channel,
    topics,
    now,
    onRemoved: () => {
      if (queue.mayReopen) broker.reconnect('the command queue has room again')
    },
    onSent: (id) => follower.reportSoon(id),
  })
}

interface IncomingParts {
  readonly queue: CommandQueue
  readonly runner: CommandRunner
  readonly broker: Broker
  readonly publisher: AccountPublisher
  readonly topics: Topics
  readonly log: Log
}

/** Puts commands from the broker into the queue. */
class IncomingPackets {
  readonly #homeAssistant: string
  readonly #parts: IncomingParts

  constructor(homeAssistant: string, parts: IncomingParts) {
    this.#homeAssistant = homeAssistant
    this.#parts = parts
  }

  /** Returns false for a command that the broker must keep. */
  receive(packet: IPublishPacket): boolean {
    const { queue, runner, publisher, log } = this.#parts
    if (packet.topic === this.#homeAssistant) {
      if (packet.payload.toString() === 'online') publisher.publishAll()
      return true
    }
    // Refuses a retained command, which would be repeated in each new session.
    if (packet.retain) {
      log.warn({ topic: packet.topic }, 'retained MQTT command ignored: publish commands without the retain flag')
      return true
    }
    const read = readCommand(Buffer.from(packet.payload))
    const id = 'command' in read ? read.command.id : read.id
    const wasFull = queue.isFull
    if (queue.add(packet, id)) {
      runner.wake()
      return true
    }
    if (!wasFull) log.error('MQTT command queue full: 10 000 commands are queued, check the connection to the API')
    if (packet.qos === 0) this.#refuse(id)
    return packet.qos === 0
  }

  /** Refuses a command with QoS 0 if the queue is full, because the broker does not repeat it. */
  #refuse(id: string | undefined): void {
    const { broker, topics, log } = this.#parts
    const error = 'the command queue is full; publish commands with QoS 1, so that the broker keeps them'
    log.error({ command: id }, 'MQTT command with QoS 0 refused: the command queue is full')
    broker
      .answer(topics.result, JSON.stringify({ id: id ?? null, accepted: false, error }), undefined)
      .catch((reason: Error) => log.warn({ reason: reason.message }, 'could not publish the result of an MQTT command'))
  }
}

/** Publishes the states of the account, its devices and its messages. */
class AccountPublisher {
  readonly #broker: Broker
  readonly #devices: DevicePublisher
  readonly #topics: Topics
  readonly #log: Log
  readonly #updates: Updates
  #isFollowing = false

  constructor(broker: Broker, devices: DevicePublisher, topics: Topics, log: Log, signal: AbortSignal) {
    this.#broker = broker
    this.#devices = devices
    this.#topics = topics
    this.#log = log
    this.#updates = new Updates(() => devices.update(), log, signal)
  }

  readonly listener = {
    onReceived: (item: InboxItem) =>
      this.#broker.publishOnce(item.id, this.#topics.received, JSON.stringify(receivedEvent(item))),
    onState: async (message: MessageState, detail: string) => {
      const event = stateEvent(message, detail)
      if (!MESSAGE_STATES.includes(event.event_type)) return
      await this.#broker.publishOnce(`state:${message.id}:${message.state}`, this.#topics.status, JSON.stringify(event))
    },
    onDevices: () => this.#updates.request(),
    onConnected: (isConnected: boolean) => void this.#publishAccount(isConnected),
  }

  run(): Promise<void> {
    return this.#updates.run()
  }

  publishAll(): void {
    this.#devices.forget()
    this.#updates.request()
    void this.#publishAccount(this.#isFollowing)
  }

  async #publishAccount(isConnected: boolean): Promise<void> {
    this.#isFollowing = isConnected
    await this.#broker.retain(this.#topics.account, isConnected ? 'online' : 'offline').catch((error: Error) => {
      this.#log.warn({ reason: error.message }, 'could not publish the availability')
    })
  }
}

/** Runs one update at a time. A request during an update causes one more update. */
class Updates {
  readonly #update: () => Promise<void>
  readonly #log: Log
  readonly #signal: AbortSignal
  #requested = Promise.withResolvers<void>()

  constructor(update: () => Promise<void>, log: Log, signal: AbortSignal) {
    this.#update = update
    this.#log = log
    this.#signal = signal
  }

  request(): void {
    this.#requested.resolve()
  }

  async run(): Promise<void> {
    const signal = this.#signal
    while (!signal.aborted) {
      await Promise.race([this.#requested.promise, quietly(sleep(REFRESH_MS, undefined, { signal }))])
      await quietly(sleep(GATHER_MS, undefined, { signal }))
      this.#requested = Promise.withResolvers()
      if (signal.aborted) return
      await this.#update().catch((error: Error) => {
        if (!signal.aborted) this.#log.warn({ reason: error.message }, 'could not publish the devices, retrying')
      })
    }
  }
}

async function quietly(sleeping: Promise<unknown>): Promise<void> {
  await sleeping.catch(() => undefined)
}

/** The payload of a received message; Home Assistant reads `event_type`. */
function receivedEvent(item: InboxItem): object {
  const { id, type, sender, recipient, simNumber, createdAt, deviceId, text, data, port } = item
  return {
    event_type: 'received',
    id,
    type,
    from: sender,
    ...(recipient !== undefined && { to: recipient }),
    text: text ?? item.contentPreview,
    ...(data !== undefined && { data, port }),
    receivedAt: createdAt,
    deviceId,
    ...(simNumber !== undefined && { simNumber }),
  }
}

function stateEvent(message: MessageState, detail: string) {
  const { id } = JSON.parse(detail) as { id: string | null }
  return {
    event_type: message.state.toLowerCase(),
    id,
    messageId: message.id,
    recipients: message.recipients.map(({ phoneNumber, state, error }) => ({ to: phoneNumber, state, error })),
  }
}
