// Events from an agent. The events of one journal are numbered, stored in order, and acknowledged when they are on
// disk.
import { z } from 'zod'
import { aliasKeyIdForm } from '../devices/number-alias.ts'
import { needsPrivateKey } from '../messages/encrypted-field.ts'
import { commandId } from './command.ts'

const time = z.iso.datetime({ offset: true })
const simNumber = z.int().min(1).max(64)
/** The local time of the agent with its offset, as in webhook payloads. */
const at = z.iso.datetime({ offset: true })

/** The stable code of a failure. Any text is valid, because a newer agent may have more codes. */
const failureCode = z.string().min(1).max(64)

const outbound = { cmdId: commandId, at }

/** True if the message was sent again after an unknown outcome. It may have arrived twice. */
const possibleDuplicate = z.boolean().optional()

/** The command is in the journal of the agent. This event also answers a repeated command. */
const processed = z.object({ kind: z.literal('processed'), ...outbound })

/** The network accepted or refused one part, or did not answer. */
const partSubmitted = z.object({
  kind: z.literal('part-submitted'),
  ...outbound,
  /** Counted from 1. */
  part: z.int().min(1).max(255),
  parts: z.int().min(1).max(255),
  /** The message reference (TP-MR). */
  reference: z.int().min(0).max(255).optional(),
  result: z.enum(['accepted', 'refused', 'unknown']),
  /** The answer of the modem, such as `CMS 38`, or what happened instead of an answer, such as `lost port`. */
  code: z.string().max(200).optional(),
  /** The meaning of a refusal code, and advice. */
  words: z.string().max(500).optional(),
  advice: z.string().max(500).optional(),
  simNumber,
})

const partReported = z.object({
  kind: z.literal('part-reported'),
  ...outbound,
  part: z.int().min(1).max(255),
  /** The status (TP-ST). */
  status: z.int().min(0).max(255),
  words: z.string().max(200),
})

/** The network accepted every part. */
const sent = z.object({
  kind: z.literal('sent'),
  ...outbound,
  simNumber,
  /** The number of the SIM; absent if it is unknown. */
  sender: z.string().max(128).optional(),
  parts: z.int().min(1).max(255),
  possibleDuplicate,
})

/** Every part has a positive delivery report. */
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
  /** Description of the failure, and advice. */
  reason: z.string().min(1).max(500),
  simNumber: simNumber.optional(),
  sender: z.string().max(128).optional(),
  /** The number of parts that were sent before the failure. */
  partsSent: z.int().min(0).max(255).optional(),
  parts: z.int().min(1).max(255).optional(),
  possibleDuplicate,
})

/** The outcome of a part is not yet known, or the message has to wait. `reason` contains the explanation. */
const waiting = z.object({
  kind: z.literal('waiting'),
  ...outbound,
  code: z.enum(['outcome_unknown', 'retrying', 'held']),
  reason: z.string().min(1).max(500),
  possibleDuplicate,
})

const cancelled = z.object({
  kind: z.literal('cancelled'),
  ...outbound,
  /** The SIM that would have sent the message, if it was already chosen. */
  simNumber: simNumber.optional(),
  sender: z.string().max(128).optional(),
})
/** The cancel arrived too late. Other events report the state of the message. */
const cancelRefused = z.object({ kind: z.literal('cancel-refused'), ...outbound })

/** A message was received. The id is derived from the content, so a message that is read again has the same id. */
const inbound = {
  kind: z.literal('received'),
  id: z.string().min(1).max(36),
  /** The network's time stamp if it is plausible, otherwise the agent's time; with the agent's offset. */
  receivedAt: at,
  /** The phone number or the name of the sender, or its alias. */
  sender: z.string().max(128),
  /** The phone number of the SIM; absent if neither the SIM nor the configuration contains it. */
  recipient: z.string().max(128).optional(),
  simNumber,
  /** True if the content is encrypted with the key of the account. */
  isEncrypted: z.boolean().optional(),
}
/**
 * The longest encrypted content. Encryption makes the content longer; the text of a message of 255 parts has at most
 * 117 kB.
 */
const maxContent = 200_000
const receivedText = z.object({
  ...inbound,
  type: z.literal('SMS'),
  text: z.string().max(maxContent),
  parts: z.int().min(1).max(255),
  isPartial: z.boolean().optional(),
  /** True for a class 0 message, which a phone displays at once and does not store. */
  isFlash: z.boolean().optional(),
})
const receivedData = z.object({
  ...inbound,
  type: z.literal('DATA_SMS'),
  data: z.base64().max(maxContent),
  port: z.int().min(0).max(65_535),
  isPartial: z.boolean().optional(),
})
/** The largest number of characters in `contentLocation`. */
export const longestLocation = 2_048
const receivedMms = z.object({
  ...inbound,
  type: z.literal('MMS'),
  transactionId: z.string().max(256),
  subject: z.string().max(8_192).optional(),
  size: z.int().min(0),
  contentClass: z.string().max(64),
  contentLocation: z.string().max(longestLocation).optional(),
  expiresAt: time.optional(),
})
const received = z.discriminatedUnion('type', [receivedText, receivedData, receivedMms])

export const linkSimCard = z.object({
  simNumber,
  /**
   * `absent`, `locked`, `puk`, `searching`, `denied`, `ready` or `failed`. Any text is valid, because a newer agent may
   * have more states.
   */
  state: z.string().min(1).max(32),
  phoneNumber: z.string().max(128).optional(),
  carrierName: z.string().max(128).optional(),
  iccid: z.string().max(32).optional(),
  /** 0–100. */
  signal: z.int().min(0).max(100).optional(),
  /**
   * True if the modem of the SIM is virtual. The messages of such a SIM do not reach a phone. Older agents omit this
   * member.
   */
  isEmulated: z.boolean().optional(),
})

/** The public key with which senders encrypt messages for this device: RSA, as SubjectPublicKeyInfo in base64. */
export const encryptionKey = z.object({
  publicKey: z.base64().min(1).max(2_048),
  version: z.int().min(1).max(2_147_483_647),
})

/** The device replaced its key pair. `hello` repeats the current key at each connection. */
const keyReplaced = z.object({ kind: z.literal('key-replaced'), at, key: encryptionKey })

/**
 * The key of the aliases of phone numbers, encrypted with the key of the account. A device has another key, with
 * another id, for each key of the account.
 */
export const aliasKey = z.object({
  id: z.string().regex(aliasKeyIdForm),
  key: z.string().max(2_048).refine(needsPrivateKey, 'is not encrypted with a public key'),
})

/** The device reports aliases with another key from now on. `hello` repeats the current key at each connection. */
const aliasKeyChanged = z.object({ kind: z.literal('alias-key-changed'), at, key: aliasKey })

/** A call rang at a modem, which did not answer it. */
const callReceived = z.object({
  kind: z.literal('call-received'),
  at,
  simNumber,
  /** The phone number or its alias. Absent if the caller withheld the number. */
  caller: z.string().max(128).optional(),
  /** The phone number of the SIM; absent if it is unknown. */
  recipient: z.string().max(128).optional(),
})

const simsChanged = z.object({ kind: z.literal('sims-changed'), at, sims: z.array(linkSimCard).max(64) })
const started = z.object({
  kind: z.literal('started'),
  at,
  agentVersion: z.string().max(64),
  sims: z.array(linkSimCard).max(64),
})
/**
 * `Health` of the agent, every `ping.interval_seconds`. Its members are not checked, because older agents report
 * different members.
 */
const pinged = z.object({ kind: z.literal('pinged'), at, health: z.record(z.string(), z.unknown()) })
const logged = z.object({
  kind: z.literal('logged'),
  at,
  module: z.string().min(1).max(64),
  priority: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
  message: z.string().min(1).max(1000),
  context: z.record(z.string().max(64), z.string().max(500)).optional(),
})
/** A requested sweep is finished. */
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

/** The result of one check, with the recommended action if it failed. */
const finding = z.object({
  check: z.string().min(1).max(100),
  verdict: z.enum(['ok', 'warning', 'problem']),
  text: z.string().max(1000),
  advice: z.string().max(1000).optional(),
  /**
   * Stable code of the text and the advice, and the values in them. Older agents omit both; newer agents may have more
   * codes.
   */
  code: z.string().min(1).max(64).optional(),
  values: z.record(z.string().max(32), z.union([z.string().max(500), z.number()])).optional(),
  /** The SIM that was checked. */
  simNumber: simNumber.optional(),
  /** Shell commands that solve the problem, in order. A person must run them on the machine. */
  commands: z.array(z.string().min(1).max(500)).max(8).optional(),
})

const examined = z.object({ kind: z.literal('examined'), cmdId: commandId, at, findings: z.array(finding).max(100) })

/** The result of `enter-pin` or `restart-modem`. */
const modemAnswered = z.object({
  kind: z.literal('modem-answered'),
  cmdId: commandId,
  at,
  outcome: z.enum(['done', 'refused']),
  /** The reason why the command was refused or why the PIN was not saved, followed by advice. */
  reason: z.string().max(500).optional(),
  /** Stable code of the reason. Findings use the same codes. Older agents omit the code. */
  code: z.string().min(1).max(64).optional(),
  /** PIN attempts left, if the SIM reports them. */
  triesLeft: z.int().min(0).max(10).optional(),
  /** True if the PIN was saved. */
  saved: z.boolean().optional(),
})

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
  callReceived,
  simsChanged,
  keyReplaced,
  aliasKeyChanged,
  started,
  pinged,
  logged,
  swept,
  ussdAnswered,
  examined,
  modemAnswered,
])

export type AgentEvent = z.infer<typeof agentEvent>
export type AliasKey = z.infer<typeof aliasKey>
export type EncryptionKey = z.infer<typeof encryptionKey>
export type SimCard = z.infer<typeof linkSimCard>
