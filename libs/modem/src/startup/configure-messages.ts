import { selectCharacterSet } from '../commands/character-set.ts'
import {
  type MessageIndications,
  offeredMessageIndications,
  readMessageIndications,
  selectMessageIndications,
} from '../commands/message-indications.ts'
import {
  readMessageFormat,
  readMessageService,
  selectMessageBearer,
  selectMessageService,
  selectPduMode,
} from '../commands/message-settings.ts'
import { type Memory, readOfferedMemories, selectMemories } from '../commands/message-storage.ts'
import { ask, askIfKnown } from '../commands/query.ts'
import type { Profile } from '../profiles/profile.ts'
import { askPatiently, type StartupContext } from './startup-context.ts'
import { type StartupFailure, startupFailure } from './startup-failure.ts'

/** How messages are sent, kept and told of. */
export interface MessageConfiguration {
  /** Where messages may lie and are to be looked for. Empty: this modem shows none. */
  readonly memories: readonly Memory[]
  /** Where they arrive; undefined when the modem was left as it was. */
  readonly receiveInto: Memory | undefined
  /** Undefined: it tells of nothing, and only looking finds what has arrived. */
  readonly indications: MessageIndications | undefined
  /** As the modem puts it, which need not be as it was asked: to see later whether it is still so. */
  readonly indicationsReadBack: MessageIndications | undefined
  /** Whether what is delivered straight to us has to be acknowledged. */
  readonly acknowledges: boolean
}

export async function configureMessages(
  context: StartupContext,
  profile: Profile,
): Promise<MessageConfiguration | StartupFailure> {
  if (!(await enterPduMode(context))) return startupFailure('pdu-mode-refused')
  await ask(context.dialogue, selectCharacterSet(profile.characterSet), context.cancellation)
  if (context.options.messageBearer) {
    await ask(context.dialogue, selectMessageBearer(context.options.messageBearer), context.cancellation)
  }
  const acknowledges = await selectService(context, profile)
  const { memories, receiveInto } = await chooseMemories(context, profile)
  const indications = await negotiateIndications(context, profile, memories.length > 0)
  const indicationsReadBack = await askIfKnown(context.dialogue, readMessageIndications, context.cancellation)
  return { memories, receiveInto, indications, indicationsReadBack, acknowledges }
}

/** Refused by some until the SIM's messages have been loaded (A7670 before `SMS DONE`), with any error they have. */
async function enterPduMode(context: StartupContext): Promise<boolean> {
  const until = context.clock.nowMs() + context.options.simBusyLimitMs
  for (;;) {
    const answer = await ask(context.dialogue, selectPduMode, context.cancellation)
    if (answer.kind === 'value') return true
    if (context.cancellation.cancelled || answer.kind === 'not-sent' || context.clock.nowMs() >= until) break
    await context.pause.wait(context.options.simPollMs, context.cancellation)
  }
  return (await askIfKnown(context.dialogue, readMessageFormat, context.cancellation)) === 'pdu'
}

async function selectService(context: StartupContext, profile: Profile): Promise<boolean> {
  const answer = await askPatiently(context, selectMessageService(profile.messageService))
  if (answer.kind === 'value') return profile.messageService !== 0
  // 1, or 128 as M26 calls it: what was not to be changed may have been on already.
  const service = await askIfKnown(context.dialogue, readMessageService, context.cancellation)
  return service !== undefined && service !== 0
}

async function chooseMemories(
  context: StartupContext,
  profile: Profile,
): Promise<{ memories: readonly Memory[]; receiveInto: Memory | undefined }> {
  const answer = await askPatiently(context, readOfferedMemories)
  const offered = answer.kind === 'value' ? answer.value : unknownMemories
  const memories = memoriesToRead(offered.read)
  const receiveInto = profile.storage.receiveInto.find((memory) => offered.receive.includes(memory))
  if (receiveInto === undefined) return { memories, receiveInto }
  // Reading, writing and receiving alike where that can be, so that whatever comes first finds the same memory.
  const threefold = [offered.read, offered.write, offered.receive].map((list) =>
    list.includes(receiveInto) ? receiveInto : (list[0] ?? receiveInto),
  )
  const selection = profile.storage.selectTakes === 1 ? [receiveInto] : threefold
  const selected = await askPatiently(context, selectMemories(...selection))
  return { memories, receiveInto: selected.kind === 'value' ? receiveInto : undefined }
}

/** Where the modem does not say, most have these. */
const unknownMemories = { read: ['SM', 'ME'], write: ['SM'], receive: ['SM'] }

/** MT is SM and ME together: read only where they cannot be had one by one. Broadcasts (BM) are not read. */
function memoriesToRead(offered: readonly Memory[]): readonly Memory[] {
  const single = offered.filter((memory) => memory === 'SM' || memory === 'ME')
  const messages = single.length > 0 ? single : offered.filter((memory) => memory === 'MT' || memory === 'TA')
  return offered.includes('SR') ? [...messages, 'SR'] : messages
}

/**
 * Tried until one is taken, those first that the modem says it can do: some take what they cannot do, more refuse what
 * they say they can.
 */
async function negotiateIndications(
  context: StartupContext,
  profile: Profile,
  stored: boolean,
): Promise<MessageIndications | undefined> {
  // Without a memory that can be read a message is of use only when it is delivered straight.
  const ladder = stored
    ? profile.indications
    : profile.indications.filter((rung) => rung.reports !== 2).map((rung) => ({ ...rung, messages: 2 as const }))
  const offers = await askIfKnown(context.dialogue, offeredMessageIndications, context.cancellation)
  const offered = ladder.filter((rung) => offers?.(rung) ?? true)
  for (const rung of [...offered, ...ladder.filter((other) => !offered.includes(other))]) {
    for (const buffer of [0, 1] as const) {
      const answer = await askPatiently(context, selectMessageIndications({ ...rung, buffer }))
      if (answer.kind === 'value') return { ...rung, buffer }
      if (answer.kind === 'not-sent' || context.cancellation.cancelled) return undefined
      // Only firmware that says so wants the other value.
      if (offers === undefined || !offers({ ...rung, buffer: 1 }) || offers({ ...rung, buffer: 0 })) break
    }
  }
  return undefined
}
