// Every frame of the link. JSON text in WebSocket messages; fields that an end does not know are ignored, and so are types
// of frames, unless they say `critical: true`.
import { z } from 'zod'
import { simCard } from './event.ts'

export const subprotocol = 'smsgw.v1'

/**
 * What a WebSocket message may hold. A text of 65 535 characters fits, three bytes each; only one that is made of control
 * characters, which JSON spells with six, does not.
 */
export const maxFrameBytes = 262_144
const maxEventsInFrame = 256

const id = z.string().min(1).max(64)
/** The number of an event in its journal. */
const seq = z.int().min(1)
/** Everything up to this event. */
const mark = z.int().min(0)
/** Random, made with the event: tells whether two journals have the same one at the same place. */
const tag = z.string().min(1).max(64)
const version = z.int().min(1).max(10_000)
/** What an end speaks. The highest that both do is spoken. */
const versions = z.object({ min: version, max: version })
const time = z.iso.datetime({ offset: true })
const openObject = z.record(z.string().max(64), z.unknown())
const signature = z.base64().min(1).max(128)

const ping = z.object({ type: z.literal('ping'), number: z.int().min(0) })
const pong = z.object({ type: z.literal('pong'), number: z.int().min(0) })

/** The first frame: what the agent is to sign. */
const challenge = z.object({ type: z.literal('challenge'), nonce: z.string().min(16).max(128), relayId: id, versions })
/** The answer to `pair`: who the agent is from now on. It says `hello` next, with the same nonce. */
const paired = z.object({ type: z.literal('paired'), deviceId: id })
const welcome = z.object({
  type: z.literal('welcome'),
  version,
  connEpoch: z.int().min(0),
  /** Which history of the database it is: another one after it was restored from a backup. */
  streamId: id,
  /** What the relay has stored of this journal, and the tag of the last of it. */
  mark,
  markTag: tag.optional(),
  /** Whose connection of this device was the one before: of another process, if two use this identity in turns. */
  previousBootId: id.optional(),
  /** The device has shown a newer journal since: this one is an old copy. */
  isRetired: z.boolean().default(false),
  /** Events that may be under way unacknowledged. */
  window: z.int().min(1).max(65_536),
  heartbeatSeconds: z.number().min(0.01).max(600),
  serverTime: time,
  settings: openObject,
})
/** Cumulative: on disk at the relay, which owns them now. */
const stored = z.object({ type: z.literal('stored'), upto: mark })
/** The relay's store is behind what it acknowledged: it was restored from a backup. */
const replay = z.object({ type: z.literal('replay'), from: seq })
/** Checked when it is taken, so that one that a newer relay invented ends with a clear answer and not the link. */
const command = z.object({ type: z.literal('command'), command: z.unknown() })
const settings = z.object({ type: z.literal('settings'), settings: openObject })
/** This relay is about to end: leave after this long. Each agent is told another time, so that they do not come at once. */
const goaway = z.object({ type: z.literal('goaway'), reconnectAfterMs: z.int().min(0).max(3_600_000) })

/** An agent that is not paired yet. */
const pair = z.object({
  type: z.literal('pair'),
  /** A one-time code, or the token of a fleet. */
  credential: z.string().min(1).max(256),
  /** Ed25519, raw. */
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
  /** Random, made when the agent's process started. */
  bootId: id,
  journal: z.object({
    id,
    /** The oldest event that it can still send: one more than `tail` when there is none. */
    first: seq,
    tail: mark,
    /** What it was told that the relay has. */
    mark,
    /** The journal that this one took the place of, because that was an old copy. */
    replaces: id.optional(),
  }),
  /** The history of the database that `mark` was told from. */
  streamId: id.optional(),
  isClockSynchronised: z.boolean(),
  sims: z.array(simCard).max(64),
})
/** Numbered from `from` on, without gaps. Each is checked by itself: what cannot be read must not hold up the others. */
const events = z.object({
  type: z.literal('events'),
  from: seq,
  /** So many events before `from` are no longer in the journal, though the relay does not have them. */
  skipped: z.int().min(1).optional(),
  events: z.array(z.unknown()).min(1).max(maxEventsInFrame),
  /** Of the last one. */
  tag,
})
/** On disk at the agent, which owns them now: `commandKey` of each. */
const journaled = z.object({ type: z.literal('journaled'), keys: z.array(z.string().min(1).max(80)).min(1).max(1_024) })
/**
 * How many sends the relay may give this connection, counted from its beginning; up to `urgentLimit` when they are urgent.
 * Nothing is given before the first of these: the agent may find that its journal is an old copy.
 */
const credit = z.object({ type: z.literal('credit'), limit: mark, urgentLimit: mark })
/** Worth knowing, and soon told again: not journaled, not acknowledged. */
const telemetry = z.object({ type: z.literal('telemetry'), at: time, sample: openObject })

export const relayFrames = {
  challenge,
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
export const agentFrames = { pair, hello, events, journaled, credit, telemetry, ping, pong }

export type RelayFrame = z.infer<(typeof relayFrames)[keyof typeof relayFrames]>
export type AgentFrame = z.infer<(typeof agentFrames)[keyof typeof agentFrames]>
export type Challenge = z.infer<typeof challenge>
export type Welcome = z.infer<typeof welcome>
export type Hello = z.infer<typeof hello>
export type Pair = z.infer<typeof pair>
export type Versions = z.infer<typeof versions>
export type EventsFrame = z.infer<typeof events>
