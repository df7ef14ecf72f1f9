import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { SmsGateway } from '@smsgw/client'
import { ApiError } from '@smsgw/client/errors'
import type { ConversationEntry } from '@smsgw/client/openapi'
import { z } from 'zod'
import { entryOf, entryOutput } from '../conversation-entry.ts'
import { answerOrError, ToolInputError } from '../tool-answer.ts'
import { phoneNumber } from '../tool-schemas.ts'
import { UNTRUSTED_NOTE } from '../untrusted-text.ts'

const LONGEST_SECONDS = 300
/** The interval of progress reports. Most clients end a request after 60 seconds without progress. */
const PROGRESS_MS = 5_000
/**
 * The interval of additional reads, in case the stream fails. If the stream ends, it is opened again, so these reads
 * are rarely needed.
 */
const READ_AGAIN_MS = 30_000
/** The number of replies that are read at once. */
const MOST_REPLIES = 50

const input = z.object({
  number: phoneNumber,
  after: z
    .string()
    .max(128)
    .optional()
    .describe(
      'Id of the sent message to which you expect a reply, or an ISO 8601 time. Default: the last message to this number, or the current time if there is no such message',
    ),
  timeoutSeconds: z
    .int()
    .min(1)
    .max(LONGEST_SECONDS)
    .default(50)
    .describe(`Seconds to wait, at most ${LONGEST_SECONDS}. If no reply arrives, call the tool again`),
})

const output = z.object({
  replied: z.boolean(),
  replies: z.array(entryOutput).describe('The replies, oldest first'),
  after: z
    .string()
    .describe(
      'Messages received after this time count as replies. To continue waiting, pass this time in the parameter `after`',
    ),
  note: z.string(),
})

type Received = Extract<ConversationEntry, { direction: 'in' }>

export function registerWaitForReply(server: McpServer, api: SmsGateway): void {
  server.registerTool(
    'wait_for_reply',
    {
      title: 'Wait for a reply',
      description: `Waits until a text message from this phone number is received, and returns it. Returns at once if a reply has already been received. ${UNTRUSTED_NOTE}`,
      inputSchema: input,
      outputSchema: output,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    ({ number, after: given, timeoutSeconds }, context) =>
      answerOrError(context.mcpReq.signal, async () => {
        const { signal } = context.mcpReq
        const after = await startOf(api, { number, given, signal })
        const stopReporting = reportProgress(context, number, timeoutSeconds)
        const replies = await waitForReplies(api, { number, after, signal, timeoutMs: timeoutSeconds * 1_000 }).finally(
          stopReporting,
        )
        return {
          replied: replies.length > 0,
          replies: replies.map(entryOf),
          after: after.toISOString(),
          note: UNTRUSTED_NOTE,
        }
      }),
  )
}

interface Wait {
  readonly number: string
  readonly after: Date
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Returns the replies as soon as one has arrived, or none after the timeout. Continues after a restart of the relay.
 */
async function waitForReplies(api: SmsGateway, { number, after, timeoutMs, signal }: Wait): Promise<Received[]> {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), timeoutMs)
  const either = AbortSignal.any([signal, end.signal])
  const found = Promise.withResolvers<Received[]>()
  let isReading = false
  let isWanted = false

  /**
   * Reads the conversation. If this function is called during a read, one more read follows, however often it was
   * called.
   */
  function read(): void {
    isWanted = true
    if (!isReading) void readWhileWanted()
  }

  async function readWhileWanted(): Promise<void> {
    isReading = true
    while (isWanted && !either.aborted) {
      isWanted = false
      try {
        const replies = await repliesSince(api, number, after, either)
        if (replies.length > 0) found.resolve(replies)
      } catch (error) {
        // Ignores the error if the relay is unreachable: the stream causes another read when it is open again.
        if (!either.aborted && isFinal(error)) found.reject(error)
      }
    }
    isReading = false
  }

  async function follow(): Promise<void> {
    // Reads when the stream opens and after each interruption, so that no reply is missed.
    for await (const event of api.events({ kinds: ['inbox.received'], signal: either, onOpen: read })) {
      if (event.kind === 'reset' || (event.kind === 'inbox.received' && mayBe(event.data.sender, number))) read()
    }
  }

  const again = setInterval(read, READ_AGAIN_MS)
  const ended = new Promise<Received[]>((resolve, reject) => {
    const stop = () => (signal.aborted ? reject(signal.reason) : resolve([]))
    if (either.aborted) stop()
    else either.addEventListener('abort', stop, { once: true })
  })
  const following = follow().catch(found.reject)
  try {
    return await Promise.race([found.promise, ended])
  } finally {
    clearTimeout(timer)
    clearInterval(again)
    end.abort()
    await following
  }
}

/** Returns true if the request was refused, so that another attempt would not help. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 408
}

async function repliesSince(api: SmsGateway, number: string, after: Date, signal: AbortSignal): Promise<Received[]> {
  const { items } = await api.conversations.entries(number, { limit: MOST_REPLIES }, { signal }).page()
  return items
    .filter(isReceived)
    .filter(({ at }) => new Date(at) >= after)
    .toReversed()
}

function isReceived(entry: ConversationEntry): entry is Received {
  return entry.direction === 'in'
}

/**
 * Returns true if the message may be from this sender. Compares the last digits, because the number may be given
 * without its country. Names are compared unchanged.
 */
function mayBe(sender: string, number: string): boolean {
  const digits = number.replace(/\D/g, '').slice(-6)
  return digits === '' ? sender.toLowerCase() === number.toLowerCase() : sender.replace(/\D/g, '').endsWith(digits)
}

interface StartQuery {
  readonly number: string
  readonly given: string | undefined
  readonly signal: AbortSignal
}

/** Returns the time from which received messages count as replies, in whole seconds like the time stamps of SMS. */
async function startOf(api: SmsGateway, { number, given, signal }: StartQuery): Promise<Date> {
  if (given === undefined) {
    // Reads the clock before it sends the request. While the relay restarts, the request is retried, and a reply that
    // arrives during this time must count.
    const calledAt = new Date()
    const { items } = await api.conversations.entries(number, { limit: MOST_REPLIES }, { signal }).page()
    const sent = items.find(({ direction }) => direction === 'out')
    return wholeSecond(sent === undefined ? calledAt : new Date(sent.at))
  }
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(given)) {
    const time = new Date(given)
    if (!Number.isNaN(time.getTime())) return time
    throw new ToolInputError(
      `The parameter "after" is ${JSON.stringify(given)}, which is not a time. Use a time such as 2026-03-01T08:46:11Z.`,
    )
  }
  const { states } = await api.messages.get(given, { signal })
  return wholeSecond(new Date(states.Pending))
}

function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1_000) * 1_000)
}

/** Sends progress reports while the tool waits, if the client requested them. Returns a function that stops them. */
function reportProgress({ mcpReq }: ServerContext, number: string, timeoutSeconds: number): () => void {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => undefined
  const startedAt = performance.now()
  const report = () => {
    const progress = Math.min(timeoutSeconds, (performance.now() - startedAt) / 1_000)
    const message = `Waiting for a message from ${number}`
    const params = { progressToken, progress, total: timeoutSeconds, message }
    // Ignores errors, because the client may have disconnected, which also cancels its request.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => clearInterval(timer))
  }
  const timer = setInterval(report, PROGRESS_MS)
  report()
  return () => clearInterval(timer)
}
