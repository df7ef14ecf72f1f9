// All frames of the link: JSON text in WebSocket messages. Unknown fields are ignored. Frames of unknown types are also
// ignored, unless they have `critical: true`.
import { z } from 'zod'
import { aliasKey, encryptionKey, linkSimCard } from './event.ts'
import { waitingReport } from './waiting-report.ts'

export const subprotocol = 'smsgw.v1'

/**
 * The maximum size of a WebSocket message. A text of 65 535 characters of three bytes each fits. Only a text of control
 * characters does not fit, because each control character has six bytes in JSON.
 */
export const maxFrameBytes = 262_144
const maxEventsInFrame = 256

const id = z.string().min(1).max(64)
/** The number of an event in its journal. */
const seq = z.int().min(1)
/** The number of an event. An acknowledgement of this event also acknowledges all earlier events. */
const mark = z.int().min(0)
/**
 * A random value that was created with the event. The tag shows whether the event with the same number in two journals
 * is the same event.
 */
const tag = z.string().min(1).max(64)
const version = z.int().min(1).max(10_000)
/** The versions that one end supports. The highest common version is used. */
const versions = z.object({ min: version, max: version })
const time = z.iso.datetime({ offset: true })
const openObject = z.record(z.string().max(64), z.unknown())
const signature = z.base64().min(1).max(128)

/** Features that older agents do not have. An agent lists its features in `hello`. */
export const capabilities = ['encrypted-data', 'modem-commands', 'public-key', 'number-alias'] as const
/** The capabilities of devices. Only phones can have `mms`; an agent must not list `mms`. */
export type Capability = (typeof capabilities)[number] | 'mms'

const ping = z.object({ type: z.literal('ping'), number: z.int().min(0) })
const pong = z.object({ type: z.literal('pong'), number: z.int().min(0) })

/** The first frame, with a nonce that the agent has to sign. */
const challenge = z.object({
  type: z.literal('challenge'),
  nonce: z.string().min(16).max(128),
  relayId: id,
  versions,
  /** True if the relay sends `pending` while the agent waits. Older relays do not send `pending`. */
  sendsPending: z.boolean().optional(),
})
/**
 * The relay is still authenticating or pairing the agent. Sent every two seconds, so that the agent notices soon that
 * its own frame or the answer was lost.
 */
const pending = z.object({ type: z.literal('pending') })
/** Answers `pair` with the device id of the agent, which then sends `hello` with the same nonce. */
const paired = z.object({ type: z.literal('paired'), deviceId: id })
const welcome = z.object({
  type: z.literal('welcome'),
  version,
  connEpoch: z.int().min(0),
  /** Identifies the history of the database. The id changes when the database is restored from a backup. */
  streamId: id,
  /** The last event of this journal that the relay has stored, and its tag. */
  mark,
  markTag: tag.optional(),
  /** `bootId` of the previous connection of this device. The id differs if two processes use the same identity. */
  previousBootId: id.optional(),
  /** True if the device has already used a newer journal. This journal is then an old copy. */
  isRetired: z.boolean().default(false),
  /** The largest number of unacknowledged events. */
  window: z.int().min(1).max(65_536),
  heartbeatSeconds: z.number().min(0.01).max(600),
  serverTime: time,
  settings: openObject,
})
/** All events up to `upto` are on disk at the relay, so the agent may delete them. */
const stored = z.object({ type: z.literal('stored'), upto: mark })
/** Requests events again that were already acknowledged. Sent after a restore of the database from a backup. */
const replay = z.object({ type: z.literal('replay'), from: seq })
/**
 * The frame does not validate the command. The agent validates it when it handles the command, so that an unknown
 * command of a newer relay causes an error without closing the link.
 */
const command = z.object({ type: z.literal('command'), command: z.unknown() })
const settings = z.object({
  type: z.literal('settings'),
  settings: openObject,
  /** The time of the relay, sent after its clock was set. */
  serverTime: time.optional(),
})
/** The relay is stopping. The agent reconnects after this delay, which differs for each agent to spread the load. */
const goaway = z.object({ type: z.literal('goaway'), reconnectAfterMs: z.int().min(0).max(3_600_000) })

/** Sent by an agent that is not yet paired. */
const pair = z.object({
  type: z.literal('pair'),
  /** A pairing code or an enrolment token. */
  credential: z.string().min(1).max(256),
  /** The raw Ed25519 public key. */
  publicKey: z.base64().length(44),
  signature,
  name: z.string().min(1).max(128),
})
const hello = z.object({
  type: z.literal('hello'),
  deviceId: id,
  signature,
  versions,
  agentVersion: z.string().min(1).max(64),
  /** Unknown names are ignored. */
  capabilities: z.array(z.string().max(64)).max(64).default([]),
  /** A random value that is created when the process of the agent starts. */
  bootId: id,
  journal: z.object({
    id,
    /** The oldest event in the journal; `tail` + 1 if the journal is empty. */
    first: seq,
    tail: mark,
    /** The last event that the relay has acknowledged. */
    mark,
    /** The id of the journal that this journal replaces, because that journal was an old copy. */
    replaces: id.optional(),
  }),
  /** The `streamId` of the database that acknowledged `mark`. */
  streamId: id.optional(),
  isClockSynchronised: z.boolean(),
  sims: z.array(linkSimCard).max(64),
  /** The encryption key of the device; older agents have none. */
  encryptionKey: encryptionKey.optional(),
  /**
   * The key of the aliases of phone numbers; absent while the account does not hide senders. A key in another form is
   * ignored, because it must not prevent the connection.
   */
  aliasKey: aliasKey.optional().catch(undefined),
})
/**
 * Consecutive events, starting at `from`. Each event is validated separately, so that an invalid event does not block
 * the others.
 */
const events = z.object({
  type: z.literal('events'),
  from: seq,
  /** The number of events before `from` that the journal no longer has and that the relay never received. */
  skipped: z.int().min(1).optional(),
  events: z.array(z.unknown()).min(1).max(maxEventsInFrame),
  /** The tag of the last event. */
  tag,
})
/** The `commandKey` of commands that are on disk at the agent. */
const journaled = z.object({ type: z.literal('journaled'), keys: z.array(z.string().min(1).max(80)).min(1).max(1_024) })
/**
 * The relay may send a message if it has sent fewer than `limit` messages on this connection, or an urgent message if
 * it has sent fewer than `urgentLimit` messages. The relay sends no messages before the first credit, because the agent
 * may discover that its journal is an old copy.
 */
const credit = z.object({ type: z.literal('credit'), limit: mark, urgentLimit: mark })
/** Telemetry is repeated regularly, so it is neither written to the journal nor acknowledged. */
const telemetry = z.object({ type: z.literal('telemetry'), at: time, sample: openObject })
/**
 * Reports why messages wait. The report replaces the previous report, and is valid until the connection ends. The
 * report is neither written to the journal nor acknowledged.
 */
const waiting = z.object({ type: z.literal('waiting'), report: waitingReport })

export const relayFrames = {
  challenge,
  pending,
  paired,
  welcome,
  stored,
  replay,
  command,
  settings,
  goaway,
  ping,
  pong,
}
export const agentFrames = { pair, hello, events, journaled, credit, telemetry, waiting, ping, pong }

export type RelayFrame = z.infer<(typeof relayFrames)[keyof typeof relayFrames]>
export type AgentFrame = z.infer<(typeof agentFrames)[keyof typeof agentFrames]>
export type Challenge = z.infer<typeof challenge>
export type Welcome = z.infer<typeof welcome>
export type Hello = z.infer<typeof hello>
export type Pair = z.infer<typeof pair>
export type Versions = z.infer<typeof versions>
export type EventsFrame = z.infer<typeof events>
