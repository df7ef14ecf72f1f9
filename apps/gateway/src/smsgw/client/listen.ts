import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printLine } from '@smsgw/agent/cli/terminal'
import type { SmsGateway } from '@smsgw/client'
import type { WebhookEvent } from '@smsgw/client/webhook'
import { signWebhook } from '@smsgw/client/webhook-signing'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { writeDurably } from '@smsgw/daemon/files/durable-file'
import { UsageError } from '@smsgw/daemon/start-error'
import { checkUrl, configFolder } from './account.ts'
import { forwardedEvents, WebhookEvents } from './listen-events.ts'
import { untilInterrupted } from './show-inbox.ts'

/** How long to wait for an answer: as long as the gateway waits for a receiver. */
const TIMEOUT_MS = 15_000

/**
 * Forwards events to a program on this machine, as signed requests like the requests of a webhook. The gateway needs no
 * route to this machine and stores no deliveries. An event that the program refuses is not sent again.
 */
export async function listenForEvents(
  sms: SmsGateway,
  url: string,
  { values }: CommandLine,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const target = values['forward-to']
  if (typeof target !== 'string') throw new UsageError('listen needs --forward-to <url>')
  checkUrl(target)
  const wanted = eventsOf(values['events'])
  const secret = signingSecret(environment)
  const signal = untilInterrupted()
  const events = new WebhookEvents(sms)
  const count = { forwarded: 0, failed: 0 }
  let isFirst = true
  const onOpen = () => {
    if (isFirst) printLine(`signing secret: ${secret}`)
    printLine(`${isFirst ? 'forwarding' : 'connected again, forwarding'} events of ${url} to ${target}`)
    isFirst = false
  }
  const onInterrupted = (error: Error) => printLine(`${error.message}; connecting again`)
  const kinds = ['inbox.received', 'message.created', 'message.changed'] as const
  for await (const live of sms.events({ kinds, signal, onOpen, onInterrupted })) {
    for (const event of await events.of(live)) {
      if (!wanted.includes(event.event)) continue
      const { isAccepted, result } = await forward(event, target, secret)
      count[isAccepted ? 'forwarded' : 'failed'] += 1
      printLine(`${new Date().toLocaleTimeString('sv')}  ${event.event}  ${numberOf(event)}  ${result}`)
    }
  }
  printLine(`${count.forwarded} events forwarded, ${count.failed} failed`)
  return 0
}

interface ForwardResult {
  readonly isAccepted: boolean
  readonly result: string
}

async function forward(event: WebhookEvent, target: string, secret: string): Promise<ForwardResult> {
  const body = JSON.stringify(event)
  const headers = { ...(await signWebhook({ id: event.id, body, secret })), 'user-agent': 'smsgw' }
  const startedAt = performance.now()
  const timing = () => `(${Math.round(performance.now() - startedAt)} ms)`
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await fetch(target, { method: 'POST', headers, body, signal, redirect: 'manual' })
    await answer.arrayBuffer()
    return { isAccepted: answer.ok, result: `${answer.status} ${answer.statusText} ${timing()}` }
  } catch (error) {
    const { cause, message } = error as Error
    return { isAccepted: false, result: `no answer: ${cause instanceof Error ? cause.message : message} ${timing()}` }
  }
}

function numberOf({ payload }: WebhookEvent): string {
  return 'phoneNumber' in payload ? payload.phoneNumber : ''
}

function eventsOf(given: string | boolean | undefined): readonly string[] {
  if (typeof given !== 'string') return forwardedEvents
  const names = given.split(',').map((name) => name.trim())
  for (const name of names)
    if (!forwardedEvents.some((event) => event === name))
      throw new UsageError(`--events: ${JSON.stringify(name)} is not one of ${forwardedEvents.join(', ')}`)
  return names
}

/** Returns a secret that is the same in each run, so that it can be a setting of the receiver. */
function signingSecret(environment: NodeJS.ProcessEnv): string {
  const folder = configFolder(environment)
  const file = join(folder, 'listen-secret')
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeDurably(file, `${secret}\n`)
  return secret
}
