import { selectCharacterSet } from '../commands/character-set.ts'
import {
  type MessageIndications,
  offeredMessageIndications,
  readMessageIndications,
  selectMessageIndications,
} from '../commands/messages/message-indications.ts'
import {
  readIsPduModeOffered,
  readMessageFormat,
  readMessageService,
  selectMessageService,
  selectPduMode,
} from '../commands/messages/message-settings.ts'
import {
  type Memory,
  readMemoryUsage,
  readOfferedMemories,
  selectMemories,
} from '../commands/messages/message-storage.ts'
import { askIfKnown, runQuery } from '../commands/query.ts'
import type { Profile } from '../profiles/profile.ts'
import { askPatiently, type StartupContext } from './startup-context.ts'
import { type StartupFailure, startupFailure } from './startup-failure.ts'

/** How messages are sent, stored and indicated. */
export interface MessageConfiguration {
  /** The memories to read; empty if this modem offers none. */
  readonly memories: readonly Memory[]
  /** The memory for received messages; undefined if the driver left the modem's setting unchanged. */
  readonly receiveInto: Memory | undefined
  /** True if `AT+CPMS=` selects a memory. Otherwise `memories` has one entry, the current memory of the modem. */
  readonly memorySelectable: boolean
  /** How the modem announces messages. Undefined if it announces none, so that only sweeps find messages. */
  readonly indications: MessageIndications | undefined
  /** The setting that the modem reports, which may differ from the requested setting. Used to detect a restart. */
  readonly indicationsReadBack: MessageIndications | undefined
  /** True if direct deliveries must be acknowledged. */
  readonly acknowledges: boolean
}

export async function configureMessages(
  context: StartupContext,
  profile: Profile,
): Promise<MessageConfiguration | StartupFailure> {
  if (!(await enterPduMode(context))) return startupFailure('pdu-mode-refused')
  await runQuery(context.dialogue, selectCharacterSet(profile.characterSet), context.cancellation)
  const acknowledges = await selectService(context, profile)
  const { memories, receiveInto, memorySelectable } = await chooseMemories(context, profile)
  const indications = await negotiateIndications(context, profile, memories.length > 0)
  const indicationsReadBack = await askIfKnown(context.dialogue, readMessageIndications, context.cancellation)
  return { memories, receiveInto, memorySelectable, indications, indicationsReadBack, acknowledges }
}

/**
 * Selects PDU mode. Some modems refuse it with any error code until the SIM's messages are loaded (A7670 before `SMS
 * DONE`). Does not wait for a modem that lists only text mode.
 */
async function enterPduMode(context: StartupContext): Promise<boolean> {
  const until = context.clock.nowMs() + context.options.simBusyLimitMs
  for (let attempt = 1; ; attempt += 1) {
    const answer = await runQuery(context.dialogue, selectPduMode, context.cancellation)
    if (answer.kind === 'value') return true
    if (attempt === 3 && (await listsTextModeOnly(context))) break
    if (context.cancellation.cancelled || answer.kind === 'not-sent' || context.clock.nowMs() >= until) break
    await context.pause.wait(context.options.simPollMs, context.cancellation)
  }
  return (await askIfKnown(context.dialogue, readMessageFormat, context.cancellation)) === 'pdu'
}

async function listsTextModeOnly({ dialogue, cancellation }: StartupContext): Promise<boolean> {
  return (await askIfKnown(dialogue, readIsPduModeOffered, cancellation)) === false
}

async function selectService(context: StartupContext, profile: Profile): Promise<boolean> {
  const answer = await askPatiently(context, selectMessageService(profile.messageService))
  if (answer.kind === 'value') return profile.messageService !== 0
  // Reads the service, because the modem may have refused the change although the requested service is already
  // selected. The service is 1, or 128 on the M26.
  const service = await askIfKnown(context.dialogue, readMessageService, context.cancellation)
  return service !== undefined && service !== 0
}

type ChosenMemories = Pick<MessageConfiguration, 'memories' | 'receiveInto' | 'memorySelectable'>

async function chooseMemories(context: StartupContext, profile: Profile): Promise<ChosenMemories> {
  const answer = await askPatiently(context, readOfferedMemories)
  const offered = answer.kind === 'value' ? answer.value : unknownMemories
  const memories = memoriesToRead(offered.read)
  const receiveInto = profile.storage.receiveInto.find((memory) => offered.receive.includes(memory))
  if (receiveInto === undefined) return { memories, receiveInto, memorySelectable: true }
  // Selects one memory for reading, writing and receiving if possible, so that every command uses the same memory.
  const threefold = [offered.read, offered.write, offered.receive].map((list) =>
    list.includes(receiveInto) ? receiveInto : (list[0] ?? receiveInto),
  )
  const selection = profile.storage.selectTakes === 1 ? [receiveInto] : threefold
  const selected = await askPatiently(context, selectMemories(...selection))
  if (selected.kind === 'value') return { memories, receiveInto, memorySelectable: true }
  for (const memory of memories) {
    const alone = await askPatiently(context, selectMemories(memory))
    if (alone.kind === 'value') return { memories, receiveInto: undefined, memorySelectable: true }
  }
  const usages = await askIfKnown(context.dialogue, readMemoryUsage, context.cancellation)
  const current = usages?.[0]?.memory ?? memories[0]
  return {
    memories: current === undefined ? [] : [current],
    receiveInto: undefined,
    memorySelectable: false,
  }
}

/** The memories of most modems, used if the modem does not list its memories. */
const unknownMemories = { read: ['SM', 'ME'], write: ['SM'], receive: ['SM'] }

/**
 * MT contains SM and ME together, so MT is read only if SM and ME cannot be read separately. Broadcasts (BM) are not
 * read.
 */
function memoriesToRead(offered: readonly Memory[]): readonly Memory[] {
  const single = offered.filter((memory) => memory === 'SM' || memory === 'ME')
  const messages = single.length > 0 ? single : offered.filter((memory) => memory === 'MT' || memory === 'TA')
  return offered.includes('SR') ? [...messages, 'SR'] : messages
}

/**
 * Tries settings until the modem accepts one. Settings that the modem lists are tried first. Other settings are tried
 * too, because some modems accept settings that they do not list, and some refuse settings that they list.
 */
async function negotiateIndications(
  context: StartupContext,
  profile: Profile,
  stored: boolean,
): Promise<MessageIndications | undefined> {
  // Without a readable memory, messages can only be received by direct delivery.
  const ladder = stored
    ? profile.indications
    : profile.indications.filter((rung) => rung.reports !== 2).map((rung) => ({ ...rung, messages: 2 as const }))
  const offers = await askIfKnown(context.dialogue, offeredMessageIndications, context.cancellation)
  const offered = ladder.filter((rung) => offers?.(rung) ?? true)
  // Many mobile phones support only mode 3. In this mode, codes are sent at any time; during a data call they have a
  // special form.
  const otherModes = ladder.map((rung) => ({ ...rung, mode: 3 })).filter((rung) => offers?.(rung) ?? false)
  for (const rung of [...offered, ...ladder.filter((other) => !offered.includes(other)), ...otherModes]) {
    for (const buffer of [0, 1] as const) {
      const answer = await askPatiently(context, selectMessageIndications({ ...rung, buffer }))
      if (answer.kind === 'value') return { ...rung, buffer }
      if (answer.kind === 'not-sent' || context.cancellation.cancelled) return undefined
      // Tries `buffer` 1 only if the modem lists 1 and does not list 0.
      if (offers === undefined || !offers({ ...rung, buffer: 1 }) || offers({ ...rung, buffer: 0 })) break
    }
  }
  return undefined
}
