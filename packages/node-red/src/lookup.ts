import type { SmsGateway } from '@smsgw/client'
import { accountOf } from './account.ts'
import { wholeNumberIn } from './new-message.ts'
import type { FlowMessage, FlowNode, NodeRed } from './node-red.ts'
import { errorText } from './problem-text.ts'

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
    const closing = new AbortController()
    const { signal } = closing
    this.on('input', (message, emit, done) => {
      const run = async () =>
        operations[config.operation](accountOf(red, config.account).client(), message, config, signal)
      this.status({ fill: 'blue', shape: 'dot', text: config.operation === 'wait' ? 'waiting' : 'reading' })
      run().then(
        (payload) => {
          this.status({})
          emit({ ...message, payload })
          done()
        },
        (error: unknown) => {
          if (!signal.aborted) this.status({ fill: 'red', shape: 'ring', text: 'failed' })
          done(signal.aborted ? undefined : new Error(errorText(error), { cause: error }))
        },
      )
    })
    this.on('close', (_, done) => {
      closing.abort()
      done()
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
