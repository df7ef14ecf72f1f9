// What an agent tells the relay. Events of one journal are numbered, stored in order, and acknowledged when they are on disk.
import { z } from 'zod'
import { commandId } from './command.ts'

const time = z.iso.datetime({ offset: true })
const simNumber = z.int().min(1).max(64)
/** The local time of the agent, with its offset: webhooks tell it so. */
const at = z.iso.datetime({ offset: true })

/** Why a send failed, as a stable code beside the words. Open: a newer agent may know more. */
const failureCode = z.string().min(1).max(64)

const outbound = { cmdId: commandId, at }

/** The agent's journal holds the command. Also the answer to a command that it had already. */
const processed = z.object({ kind: z.literal('processed'), ...outbound })

/** The network's answer to one part, or its absence. */
const partSubmitted = z.object({
  kind: z.literal('part-submitted'),
  ...outbound,
  /** 1-based. */
  part: z.int().min(1).max(255),
  parts: z.int().min(1).max(255),
  /** TP-MR. */
  reference: z.int().min(0).max(255).optional(),
  result: z.enum(['accepted', 'refused', 'unknown']),
  /** `CMS 38`, `lost port`, … */
  code: z.string().max(200).optional(),
  /** Of a refusal: what the code means, and what to do. */
  words: z.string().max(500).optional(),
  advice: z.string().max(500).optional(),
  simNumber,
})

const partReported = z.object({
  kind: z.literal('part-reported'),
  ...outbound,
  part: z.int().min(1).max(255),
  /** TP-ST. */
  status: z.int().min(0).max(255),
  words: z.string().max(200),
})

/** Every part was accepted by the network. */
const sent = z.object({
  kind: z.literal('sent'),
  ...outbound,
  simNumber,
  /** The SIM's own number; absent when unknown. */
  sender: z.string().max(128).optional(),
  parts: z.int().min(1).max(255),
  /** An earlier verdict of ignorance is corrected by evidence. */
  possibleDuplicate: z.boolean().optional(),
})

/** Every part has a positive report. */
const delivered = z.object({
  kind: z.literal('delivered'),
  ...outbound,
  simNumber,
  sender: z.string().max(128).optional(),
})

const failed = z.object({
  kind: z.literal('failed'),
  ...outbound,
  code: failureCode,
  /** In words, with what to do. */
  reason: z.string().min(1).max(500),
  simNumber: simNumber.optional(),
  sender: z.string().max(128).optional(),
  /** Parts that went out before it failed. */
  partsSent: z.int().min(0).max(255).optional(),
  parts: z.int().min(1).max(255).optional(),
})

/** It cannot be known yet whether a part went out; evidence is being collected. Or it waits for something, in words. */
const waiting = z.object({
  kind: z.literal('waiting'),
  ...outbound,
  code: z.enum(['outcome_unknown', 'retrying', 'held']),
  reason: z.string().min(1).max(500),
})

const cancelled = z.object({ kind: z.literal('cancelled'), ...outbound })
/** The cancel came too late, or for something that has ended: what stands is told by other events. */
const cancelRefused = z.object({ kind: z.literal('cancel-refused'), ...outbound })

/** A message came in. The id is derived from it: the same however often it is read. */
const inbound = {
  kind: z.literal('received'),
  id: z.string().min(1).max(36),
  /** The network's stamp when plausible, else the agent's time; with the agent's offset. */
  receivedAt: at,
  sender: z.string().max(128),
  /** The number of the SIM; absent when it does not tell and none is configured. */
  recipient: z.string().max(128).optional(),
  simNumber,
}
const receivedText = z.object({
  ...inbound,
  type: z.literal('SMS'),
  text: z.string().max(65_535),
  parts: z.int().min(1).max(255),
  isPartial: z.boolean().optional(),
  /** Class 0: shown at once and not kept by a phone. */
  isFlash: z.boolean().optional(),
})
const receivedData = z.object({
  ...inbound,
  type: z.literal('DATA_SMS'),
  data: z.base64().max(65_535),
  port: z.int().min(0).max(65_535),
  isPartial: z.boolean().optional(),
})
const receivedMms = z.object({
  ...inbound,
  type: z.literal('MMS'),
  transactionId: z.string().max(256),
  subject: z.string().max(1024).optional(),
  size: z.int().min(0),
  contentClass: z.string().max(64),
  contentLocation: z.string().max(2048).optional(),
  expiresAt: time.optional(),
})
const received = z.discriminatedUnion('type', [receivedText, receivedData, receivedMms])

export const simCard = z.object({
  simNumber,
  /** absent, locked, puk, searching, denied, ready, failed: open, a newer agent may know more. */
  state: z.string().min(1).max(32),
  phoneNumber: z.string().max(128).optional(),
  carrierName: z.string().max(128).optional(),
  iccid: z.string().max(32).optional(),
  /** 0–100. */
  signal: z.int().min(0).max(100).optional(),
})

const simsChanged = z.object({ kind: z.literal('sims-changed'), at, sims: z.array(simCard).max(64) })
const started = z.object({
  kind: z.literal('started'),
  at,
  agentVersion: z.string().max(64),
  sims: z.array(simCard).max(64),
})
/** Every `ping.interval_seconds`: the body of the health answer. */
const pinged = z.object({ kind: z.literal('pinged'), at, health: z.record(z.string(), z.unknown()) })
const logged = z.object({
  kind: z.literal('logged'),
  at,
  module: z.string().min(1).max(64),
  priority: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
  message: z.string().min(1).max(1000),
  context: z.record(z.string().max(64), z.string().max(500)).optional(),
})
/** A sweep that was asked for is over. */
const swept = z.object({ kind: z.literal('swept'), cmdId: commandId, at })
const ussdAnswered = z.object({
  kind: z.literal('ussd-answered'),
  cmdId: commandId,
  at,
  outcome: z.enum(['answered', 'no-answer', 'busy', 'no-sim', 'refused']),
  text: z.string().max(1000).optional(),
  more: z.boolean().optional(),
  sessionId: z.string().max(64).optional(),
  reason: z.string().max(500).optional(),
})

/** What was looked at, how it is, and what to do when it is not well. */
const finding = z.object({
  check: z.string().min(1).max(100),
  verdict: z.enum(['ok', 'warning', 'problem']),
  text: z.string().max(1000),
  advice: z.string().max(1000).optional(),
})

const examined = z.object({ kind: z.literal('examined'), cmdId: commandId, at, findings: z.array(finding).max(100) })

export const agentEvent = z.discriminatedUnion('kind', [
  processed,
  partSubmitted,
  partReported,
  sent,
  delivered,
  failed,
  waiting,
  cancelled,
  cancelRefused,
  received,
  simsChanged,
  started,
  pinged,
  logged,
  swept,
  ussdAnswered,
  examined,
])

export type AgentEvent = z.infer<typeof agentEvent>
export type SimCard = z.infer<typeof simCard>
