import { createHash } from 'node:crypto'
import type { SmsGateway } from '@smsgw/client'
import type { NewText } from '@smsgw/client/messages'
import { actionProperties } from './action-properties.ts'
import { connect } from './connect.ts'
import type { ExecuteFunctions, OutputItem } from './n8n.ts'
import { NodeProblem } from './node-problem.ts'
import { zonedTime } from './zoned-time.ts'

/**
 * Sends and reads messages. n8n finds the class by its name, which is also the name of the file. The file exports
 * nothing else.
 */
export class Smsgw {
  readonly description = {
    displayName: 'SMS Gateway',
    name: 'smsgw',
    icon: 'file:smsgw.svg',
    group: ['output'],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Send and read text messages through your own SMS gateway',
    defaults: { name: 'SMS Gateway' },
    inputs: ['main'],
    outputs: ['main'],
    usableAsTool: true,
    credentials: [{ name: 'smsgwApi', required: true }],
    properties: actionProperties,
  }

  async execute(this: ExecuteFunctions): Promise<OutputItem[][]> {
    const output: OutputItem[] = []
    const items = this.getInputData()
    for (let item = 0; item < items.length; item += 1) {
      try {
        const { client } = await connect(this)
        const name = `${this.getNodeParameter('resource', item)}.${this.getNodeParameter('operation', item)}`
        const operation = operations[name]
        if (operation === undefined) throw new Error(`unknown operation ${name}`)
        const found = await operation(client, this, item)
        output.push(...[found].flat().map((json) => ({ json, pairedItem: { item } })))
      } catch (error) {
        const problem = new NodeProblem(error, item)
        if (!this.continueOnFail()) throw problem
        output.push({ json: { error: problem.message }, pairedItem: { item } })
      }
    }
    return [output]
  }
}

type Operation = (client: SmsGateway, functions: ExecuteFunctions, item: number) => Promise<object | object[]>

const operations: Readonly<Record<string, Operation>> = {
  'message.send': ({ messages }, functions, item) => {
    const content = newText(functions, item)
    return messages.send(content, {
      idempotencyKey: idempotencyKey(functions, item, content),
      signal: signalOf(functions),
      allowShortCodes: true,
    })
  },
  'message.get': ({ messages }, functions, item) => messages.get(text(functions, 'messageId', item)),
  'message.cancel': ({ messages }, functions, item) => messages.cancel(text(functions, 'messageId', item)),
  'message.wait': ({ messages }, functions, item) =>
    messages.waitFor(text(functions, 'messageId', item), {
      timeoutMs: Number(functions.getNodeParameter('timeoutSeconds', item, 300)) * 1000,
      signal: signalOf(functions),
    }),
  'message.getMany': ({ messages }, functions, item) =>
    firstOf(
      messages.list({ includeContent: true, includeAttachmentData: false, limit: pageSize(functions, item) }),
      limit(functions, item),
    ),
  'conversation.getMany': ({ conversations }, functions, item) =>
    firstOf(conversations.list({ limit: pageSize(functions, item) }), limit(functions, item)),
  'conversation.read': ({ conversations }, functions, item) =>
    firstOf(
      conversations.entries(text(functions, 'number', item), { limit: pageSize(functions, item) }),
      limit(functions, item),
    ),
  'received.get': ({ inbox }, functions, item) => inbox.get(text(functions, 'messageId', item)),
  'received.getMany': ({ inbox }, functions, item) =>
    firstOf(inbox.list({ limit: pageSize(functions, item) }), limit(functions, item)),
}

function newText(functions: ExecuteFunctions, item: number): NewText {
  const { scheduleAt, idempotencyKey: _, deviceId, ...options } = optionsOf(functions, item)
  return {
    ...(options as Partial<NewText>),
    ...(typeof deviceId === 'string' && deviceId !== '' && { deviceId }),
    ...(scheduleAt !== undefined &&
      scheduleAt !== '' && { scheduleAt: zonedTime(scheduleAt, functions.getTimezone()) }),
    to: text(functions, 'to', item)
      .split(/[,;\n]/)
      .flatMap((number) => number.trim() || []),
    text: text(functions, 'text', item),
  }
}

/**
 * The key depends on the execution, the node, the number of the run, the item and the content. When n8n retries the
 * node, all of these are the same, and so is the key. In a loop, the node runs several times in one execution, but
 * each run has another number and so another key.
 */
function idempotencyKey(functions: ExecuteFunctions, item: number, content: NewText): string | undefined {
  const { idempotencyKey: given } = optionsOf(functions, item)
  if (typeof given === 'string' && given !== '') return given
  const execution = functions.getExecutionId()
  if (execution === undefined) return undefined
  const run = functions.evaluateExpression('{{ $runIndex }}', item)
  const facts = JSON.stringify([execution, functions.getNode().id, run, item, content])
  return `n8n:${createHash('sha256').update(facts).digest('hex')}`
}

function optionsOf(functions: ExecuteFunctions, item: number): Record<string, unknown> {
  return functions.getNodeParameter('options', item, {}) as Record<string, unknown>
}

function text(functions: ExecuteFunctions, name: string, item: number): string {
  return String(functions.getNodeParameter(name, item, '') ?? '')
}

function limit(functions: ExecuteFunctions, item: number): number {
  return Number(functions.getNodeParameter('limit', item, 50))
}

function pageSize(functions: ExecuteFunctions, item: number): number {
  return Math.min(100, limit(functions, item))
}

function signalOf(functions: ExecuteFunctions): AbortSignal | undefined {
  return functions.getExecutionCancelSignal?.()
}

async function firstOf<Item>(list: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of list) {
    found.push(item)
    if (found.length >= count) break
  }
  return found
}
