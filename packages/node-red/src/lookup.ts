import type { SmsGateway } from '@smsgw/client'
import { accountOf } from './account.ts'
import { wholeNumberIn } from './new-message.ts'
import type { FlowMessage, FlowNode, NodeRed } from './node-red.ts'
import { onInput } from './on-input.ts'

type Operation = 'message' | 'wait' | 'cancel' | 'conversation' | 'conversations' | 'inbox'

interface LookupConfig {
  readonly account: string
  readonly operation: Operation
  readonly limit: string
  readonly timeoutSeconds: string
}

/** The node that reads messages and conversations, waits for a delivery, or cancels a message. */
export function registerLookup(red: NodeRed): void {
  function LookupNode(this: FlowNode, config: LookupConfig): void {
    red.nodes.createNode(this, config)
    onInput(this, 'failed', async (message, signal) => {
      const client = accountOf(red, config.account).client()
      this.status({ fill: 'blue', shape: 'dot', text: config.operation === 'wait' ? 'waiting' : 'reading' })
      const payload = await operations[config.operation](client, message, config, signal)
      this.status({})
      return { ...message, payload }
    })
  }
  red.nodes.registerType('smsgw-lookup', LookupNode)
}

const operations: Record<
  Operation,
  (client: SmsGateway, message: FlowMessage, config: LookupConfig, signal: AbortSignal) => Promise<unknown>
> = {
  message: ({ messages }, message, _, signal) => messages.get(idOf(message), { signal }),
  wait: ({ messages }, message, { timeoutSeconds }, signal) =>
    messages.waitFor(idOf(message), { timeoutMs: wholeNumberIn('Time limit', timeoutSeconds) * 1000, signal }),
  cancel: ({ messages }, message, _, signal) => messages.cancel(idOf(message), { signal }),
  conversation: async ({ conversations }, message, config, signal) =>
    (await conversations.entries(numberIn(message), { limit: limitOf(config) }, { signal }).page()).items,
  conversations: async ({ conversations }, _, config, signal) =>
    (await conversations.list({ limit: limitOf(config) }, { signal }).page()).items,
  inbox: async ({ inbox }, _, config, signal) =>
    (await inbox.list({ limit: limitOf(config) }, { signal }).page()).items,
}

function limitOf({ limit }: LookupConfig): number {
  return wholeNumberIn('Limit', limit)
}

function idOf({ messageId, payload }: FlowMessage): string {
  const id = messageId ?? payload
  if (typeof id === 'string' && id !== '') return id
  throw new Error('no message: set msg.messageId to the id of a sent message')
}

function numberIn({ number, from, payload }: FlowMessage): string {
  const found = number ?? from ?? payload
  if (typeof found === 'string' && found !== '') return found
  throw new Error('no phone number: set msg.number')
}
