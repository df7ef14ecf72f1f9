import { createHash } from 'node:crypto'
import { verifyWebhook, WebhookVerificationError } from '@smsgw/client/webhook'
import { connect } from './connect.ts'
import type { HookFunctions, NodeProperty, WebhookFunctions, WebhookResponse } from './n8n.ts'
import { NodeProblem } from './node-problem.ts'

const EVENTS = [
  ['Message Received', 'sms:received'],
  ['Data Message Received', 'sms:data-received'],
  ['MMS Notification Received', 'mms:received'],
  ['Call Received', 'call:received'],
  ['Message Sent', 'sms:sent'],
  ['Message Delivered', 'sms:delivered'],
  ['Message Failed', 'sms:failed'],
  ['Message Cancelled', 'sms:cancelled'],
] as const

type EventName = (typeof EVENTS)[number][1]

const properties: readonly NodeProperty[] = [
  {
    displayName: 'Events',
    name: 'events',
    type: 'multiOptions',
    required: true,
    default: ['sms:received'],
    options: EVENTS.map(([name, value]) => ({ name, value })),
  },
  {
    displayName: 'Device ID',
    name: 'deviceId',
    type: 'string',
    default: '',
    description: 'Only events of this device. Default: all devices',
  },
  {
    displayName:
      'The gateway calls n8n, so the gateway must be able to reach the webhook URL above. An event may arrive more than once, always with the same ID. If duplicates are a problem, add the "Remove Duplicates" node.',
    name: 'notice',
    type: 'notice',
    default: '',
  },
]

/** Starts a workflow for events. Registers its webhook at the gateway, and later removes it. */
export class SmsgwTrigger {
  readonly description = {
    displayName: 'SMS Gateway Trigger',
    name: 'smsgwTrigger',
    icon: 'file:smsgw.svg',
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Starts a workflow when a text message arrives, is sent or delivered, or has failed',
    defaults: { name: 'SMS Gateway Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'smsgwApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'smsgw' }],
    properties,
  }

  readonly webhookMethods = {
    default: {
      /**
       * Returns true if the gateway has the webhook with the settings of the node, and the node has the secret of the
       * webhook.
       */
      async checkExists(this: HookFunctions): Promise<boolean> {
        return await orProblem(async () => {
          const { client } = await connect(this)
          const wanted = registrationOf(this)
          const found = (await client.webhooks.list()).find(({ id }) => id === wanted.id)
          const { secret } = this.getWorkflowStaticData('node')
          return (
            found !== undefined &&
            typeof secret === 'string' &&
            found.url === wanted.url &&
            found.disabledAt === undefined &&
            found.pausedAt === undefined &&
            (found.deviceId ?? undefined) === wanted.deviceId &&
            found.events.toSorted().join() === wanted.events.toSorted().join()
          )
        })
      },

      async create(this: HookFunctions): Promise<boolean> {
        return await orProblem(async () => {
          const { client, url: gateway } = await connect(this)
          const wanted = registrationOf(this)
          refuseUnreachable(wanted.url, gateway)
          const registered = await client.webhooks.register(wanted).catch((error: Error) => {
            throw new Error(`The gateway refused the webhook URL ${wanted.url}: ${error.message}`, { cause: error })
          })
          // A replaced webhook keeps its secret, and n8n may have lost that secret.
          const { secret } =
            registered.secret === undefined ? await client.webhooks.rotateSecret(wanted.id) : registered
          Object.assign(this.getWorkflowStaticData('node'), { webhookId: wanted.id, secret })
          return true
        })
      },

      async delete(this: HookFunctions): Promise<boolean> {
        return await orProblem(async () => {
          const data = this.getWorkflowStaticData('node')
          const { client } = await connect(this)
          await client.webhooks.remove(String(data['webhookId'] ?? registrationOf(this).id))
          delete data['webhookId']
          delete data['secret']
          return true
        })
      },
    },
  }

  async webhook(this: WebhookFunctions): Promise<WebhookResponse> {
    const refuse = (status: number, message: string): WebhookResponse => {
      this.getResponseObject().status(status).json({ message })
      return { noWebhookResponse: true }
    }
    const { secret } = this.getWorkflowStaticData('node')
    if (typeof secret !== 'string') return refuse(401, 'the node has no secret yet: activate the workflow again')
    const request = this.getRequestObject()
    await request.readRawBody?.()
    if (request.rawBody === undefined) return refuse(400, 'the request has no body')
    try {
      const event = await verifyWebhook({ headers: this.getHeaderData(), body: request.rawBody }, { secret })
      return {
        workflowData: [[{ json: { ...event.payload, event: event.event, id: event.id, deviceId: event.deviceId } }]],
      }
    } catch (error) {
      if (error instanceof WebhookVerificationError) return refuse(401, error.message)
      throw error
    }
  }
}

function registrationOf(functions: HookFunctions) {
  const url = functions.getNodeWebhookUrl('default')
  if (url === undefined) throw new Error('n8n has no webhook URL for this node')
  const deviceId = String(functions.getNodeParameter('deviceId', '') ?? '').trim()
  return {
    // Each start of the workflow uses the same id. So a webhook that remained after a crash is replaced.
    id: `n8n-${createHash('sha256').update(url).digest('hex').slice(0, 32)}`,
    name: `n8n: ${functions.getWorkflow().name ?? 'workflow'}`.slice(0, 100),
    url,
    events: functions.getNodeParameter('events', []) as EventName[],
    ...(deviceId !== '' && { deviceId }),
  }
}

/** A gateway on another machine cannot reach a loopback address of this machine. */
function refuseUnreachable(url: string, gateway: string): void {
  if (!isLoopback(url) || isLoopback(gateway)) return
  throw new Error(
    `The gateway at ${gateway} cannot reach the webhook URL ${url}, which is valid on the machine of n8n only. Set WEBHOOK_URL of n8n to an address that the gateway reaches.`,
  )
}

function isLoopback(url: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
}

async function orProblem<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw new NodeProblem(error)
  }
}
