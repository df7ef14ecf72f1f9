import { setTimeout as sleep } from 'node:timers/promises'
import { InterruptibleWork } from '@smsgw/daemon/interruptible-work'
import type { Log } from '@smsgw/daemon/log/log'
import { connect, type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt'
import type { HandledItems } from '../state/handled-items.ts'
import { itemProperty, type OutgoingPackets } from './outgoing-packets.ts'

/** How long the broker keeps commands while the bridge is disconnected. */
const SESSION_SECONDS = 7 * 86_400
/** The largest size of a packet. The broker drops larger packets before they reach the bridge. */
const LARGEST_PACKET = 65_536
/** The number of commands that the broker sends before it waits for confirmations. */
const RECEIVE_MAXIMUM = 100
const RECONNECT_MS = 2_000
/**
 * The time limit for a disconnect. If the broker does not answer, stopping the bridge takes longer by twice this time.
 */
const CLOSE_MS = 2_000
/**
 * Reason codes after which a repetition does not help: topic name invalid, packet too large, payload format invalid.
 */
const PERMANENT = [0x90, 0x95, 0x99]

/** The broker, and the session of the bridge there. */
export interface BrokerSession {
  readonly url: string
  /** The certificates of the authorities that the bridge trusts, in PEM form. */
  readonly ca: string | undefined
  /** The client id, which stays the same so that the broker finds the session again. */
  readonly clientId: string
  /**
   * The topic that contains `online` while the bridge is connected. The broker changes its content to `offline` when
   * the connection ends.
   */
  readonly availabilityTopic: string
  readonly topics: readonly string[]
}

export interface BrokerOptions {
  readonly session: BrokerSession
  readonly packets: OutgoingPackets
  readonly handled: HandledItems
  readonly log: Log
  /**
   * Stores a message. The broker receives a confirmation after that. Returns false if the broker must keep the message.
   */
  readonly onMessage: (packet: IPublishPacket) => boolean
  /** Called after each disconnect. After the next connect, the broker repeats the messages that it has kept. */
  readonly onDisconnect: () => void
  /** Called each time the bridge has connected. */
  readonly onConnect: () => void
  /** Called with each new problem, and with undefined after each connect. */
  readonly onProblem: (problem: string | undefined) => void
}

/** The connection to one MQTT 5 broker. Its session survives restarts of the bridge and of the broker. */
export class Broker {
  readonly #options: BrokerOptions
  readonly #client: MqttClient
  readonly #firstConnect = Promise.withResolvers<void>()
  readonly #work = new InterruptibleWork()
  #closed: Error | undefined
  #problem: string | undefined

  constructor(options: BrokerOptions) {
    this.#options = options
    this.#client = connect(clientOptions(options.session, options.packets))
    this.#client.on('connect', () => void this.#connected())
    this.#client.on('error', (error) => this.#report(brokerProblem(error)))
    this.#client.on('close', () => {
      this.#report('connection closed')
      options.onDisconnect()
    })
    this.#client.on('packetreceive', (packet) => {
      if ((packet.cmd === 'pubrec' || packet.cmd === 'pubcomp') && (packet.reasonCode ?? 0) >= 0x80)
        if (packet.reasonCode !== UNKNOWN_PACKET_ID) options.packets.refuse(packet.messageId ?? 0)
    })
    this.#client.handleMessage = (packet, done) => this.#receive(packet, done)
  }

  get isConnected(): boolean {
    return this.#client.connected && this.#problem === undefined
  }

  /** Replaces the retained message of a topic; an empty payload removes it. Does nothing while disconnected. */
  async retain(topic: string, payload: string): Promise<void> {
    if (!this.#client.connected) return
    await this.#publish(topic, payload, { qos: 1, retain: true })
  }

  /**
   * Publishes an answer to one request. A lost answer is not sent again, because the result of the request is also
   * published.
   */
  async answer(topic: string, payload: string, correlationData: Buffer | undefined): Promise<void> {
    const properties = { contentType: JSON_TYPE, ...(correlationData && { correlationData }) }
    await this.#publish(topic, payload, { qos: 1, properties })
  }

  /**
   * Publishes an item. Each id is published once, even if the bridge or the connection to the broker ends meanwhile.
   */
  async publishOnce(item: string, topic: string, payload: string): Promise<void> {
    // Waits, because after the first connection the client sends its stored packets again, and the item may be one of
    // them.
    await this.#untilClosed(() => this.#firstConnect.promise)
    if (this.#options.handled.has(item)) return
    const properties = { contentType: JSON_TYPE, userProperties: { [itemProperty]: item } }
    try {
      await this.#publish(topic, payload, { qos: 2, properties })
    } catch (error) {
      const code = (error as { code?: unknown }).code
      if (typeof code !== 'number' || !PERMANENT.includes(code)) throw error
      this.#options.log.error(
        { topic, reason: (error as Error).message },
        'MQTT message dropped: the broker refused it',
      )
      this.#options.handled.add(item, Date.now())
    }
  }

  /** Connects again, because the broker repeats unconfirmed messages only after a connect. */
  reconnect(reason: string): void {
    if (!this.isConnected || this.#client.disconnecting) return
    this.#options.log.info({ reason }, 'reconnecting to the MQTT broker')
    this.#problem = reason
    this.#client.stream.destroy()
  }

  /** Publishes `offline` and disconnects. */
  async close(): Promise<void> {
    const offline = this.retain(this.#options.session.availabilityTopic, 'offline').catch(() => undefined)
    await Promise.race([offline, sleep(CLOSE_MS)])
    this.#closed = new Error('the bridge is stopping')
    this.#work.interrupt(this.#closed)
    await Promise.race([this.#client.endAsync(!this.#client.connected), sleep(CLOSE_MS)])
  }

  async #publish(topic: string, payload: string, options: Parameters<MqttClient['publishAsync']>[2]): Promise<void> {
    await this.#untilClosed(() => this.#client.publishAsync(topic, payload, options))
  }

  async #untilClosed(work: () => Promise<unknown>): Promise<void> {
    if (this.#closed !== undefined) throw this.#closed
    await this.#work.during(work())
  }

  async #connected(): Promise<void> {
    const { session, log, onConnect } = this.#options
    const { topics, availabilityTopic, url } = session
    try {
      const subscribed = await this.#client.subscribeAsync([...topics], { qos: 1, rh: 2 })
      const refused = subscribed.find(({ qos }) => qos >= 128)
      if (refused !== undefined) throw new Error(`subscription to ${refused.topic} refused: check the access rules`)
      await this.retain(availabilityTopic, 'online')
    } catch (error) {
      this.#report((error as Error).message)
      return
    }
    this.#problem = undefined
    this.#options.onProblem(undefined)
    log.info({ broker: new URL(url).host }, 'connected to the MQTT broker')
    this.#firstConnect.resolve()
    onConnect()
  }

  /** Logs each problem once. */
  #report(problem: string): void {
    if (this.#client.disconnecting || this.#problem !== undefined) return
    this.#problem = problem
    this.#options.onProblem(`MQTT broker unavailable: ${problem}`)
    const broker = new URL(this.#options.session.url).host
    this.#options.log.warn({ broker, reason: problem }, 'MQTT broker unavailable, reconnecting')
  }

  #receive(packet: IPublishPacket, done: (error?: Error) => void): void {
    let isStored: boolean
    try {
      isStored = this.#options.onMessage(packet)
    } catch (error) {
      this.#options.log.error({ err: error }, 'MQTT message not stored: the broker sends it again')
      // Reconnects, because the broker repeats an unconfirmed message only after a reconnect.
      this.#client.stream.destroy()
      done(error as Error)
      return
    }
    // After an error, the client sends no confirmation. The broker sends no more messages when RECEIVE_MAXIMUM messages
    // are unconfirmed.
    if (isStored) done()
    else done(new Error('not stored'))
  }
}

/** Returns what is wrong with the broker, and what to do if its answer does not say so. */
function brokerProblem(error: Error): string {
  const { code } = error as { readonly code?: unknown }
  if (code !== REFUSED_VERSION && code !== UNSUPPORTED_VERSION) return error.message
  return 'the broker does not support MQTT 5. Update it, or use another broker, for example Mosquitto 1.6 or newer'
}

/** The answer of a broker that supports only MQTT 3.1.1 (§3.2.2.3). */
const REFUSED_VERSION = 1
/** The answer of MQTT 5 (§3.2.2.2). */
const UNSUPPORTED_VERSION = 0x84
const JSON_TYPE = 'application/json'
/** The broker has already completed the packet, or the broker has lost the session. */
const UNKNOWN_PACKET_ID = 0x92

/** Returns the options of the client for a URL. */
export function brokerAddress(url: string, ca: string | undefined): IClientOptions {
  const { protocol, hostname, port, username, password } = new URL(url)
  const isEncrypted = protocol === 'mqtts:'
  return {
    protocolVersion: 5,
    protocol: isEncrypted ? 'mqtts' : 'mqtt',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isEncrypted ? 8883 : 1883) : Number(port),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(ca !== undefined && { ca }),
  }
}

function clientOptions(session: BrokerSession, packets: OutgoingPackets): IClientOptions {
  const { url, ca, clientId, availabilityTopic } = session
  return {
    ...brokerAddress(url, ca),
    clientId,
    clean: false,
    keepalive: 30,
    reconnectPeriod: RECONNECT_MS,
    reconnectOnConnackError: true,
    connectTimeout: 10_000,
    resubscribe: false,
    outgoingStore: packets,
    will: { topic: availabilityTopic, payload: Buffer.from('offline'), qos: 1, retain: true },
    properties: {
      sessionExpiryInterval: SESSION_SECONDS,
      receiveMaximum: RECEIVE_MAXIMUM,
      maximumPacketSize: LARGEST_PACKET,
    },
  }
}
