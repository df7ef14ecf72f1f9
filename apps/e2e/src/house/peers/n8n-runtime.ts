import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ROOT } from '../machine/process.ts'

type Json = Record<string, unknown>
type Parameters = Readonly<Json>

interface Hooks {
  checkExists(this: object): Promise<boolean>
  create(this: object): Promise<boolean>
  delete(this: object): Promise<boolean>
}

/** The nodes in the form of the published package, which has no dependencies. */
export class N8nPackage {
  readonly #folder = mkdtempSync(join(tmpdir(), 'smsgw-n8n-'))

  constructor() {
    const pack = ['packages/n8n-nodes-smsgw', '--into', this.#folder]
    execFileSync(process.execPath, [join(ROOT, '.repo/pack-npm.ts'), ...pack], { stdio: 'ignore' })
    const [file = ''] = readdirSync(this.#folder)
    execFileSync('tar', ['-xzf', join(this.#folder, file), '-C', this.#folder])
  }

  /** Loads the class that n8n finds by the name of the file. */
  load<Node>(file: string): Node {
    const name = file.split('/').at(-1)?.split('.')[0] ?? ''
    const Node = createRequire(import.meta.url)(join(this.#folder, 'package/dist', file))[name]
    return new Node() as Node
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }
}

export interface ActionNode {
  execute(this: object): Promise<{ json: Json }[][]>
}

export interface TriggerNode {
  readonly webhookMethods: { readonly default: Hooks }
  webhook(this: object): Promise<{ workflowData?: { json: Json }[][] }>
}

/** The part of an n8n execution that a node uses. */
export function execution(credentials: Parameters, parameters: Parameters, { id = '1', continues = false } = {}) {
  return {
    getNode: () => ({ id: 'node', name: 'SMS Gateway', typeVersion: 1 }),
    getCredentials: async () => credentials,
    getTimezone: () => 'Europe/Berlin',
    getInputData: () => [{ json: {} }],
    getNodeParameter: (name: string, _: number, fallback?: unknown) => parameters[name] ?? fallback,
    continueOnFail: () => continues,
    getExecutionId: () => id,
    evaluateExpression: () => 0,
  }
}

/** A trigger node in a workflow, with an HTTP server in place of n8n's webhook URL. */
export class TriggeredWorkflow {
  readonly events: Json[] = []
  readonly staticData: Json = {}
  readonly statuses: number[] = []
  readonly #node: TriggerNode
  readonly #server: Server
  readonly #functions: object

  private constructor(node: TriggerNode, server: Server, credentials: Parameters, parameters: Parameters) {
    this.#node = node
    this.#server = server
    this.#functions = {
      getNode: () => ({ id: 'trigger', name: 'SMS Gateway Trigger', typeVersion: 1 }),
      getCredentials: async () => credentials,
      getNodeParameter: (name: string, fallback?: unknown) => parameters[name] ?? fallback,
      getNodeWebhookUrl: () => this.url,
      getWorkflowStaticData: () => this.staticData,
      getWorkflow: () => ({ id: '1', name: 'Answers' }),
    }
  }

  static async start(node: TriggerNode, credentials: Parameters, parameters: Parameters): Promise<TriggeredWorkflow> {
    const server = createServer((request, response) => {
      workflow.#receive(request).then((status) => response.writeHead(status).end())
    })
    const workflow = new TriggeredWorkflow(node, server, credentials, parameters)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return workflow
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhook/1/smsgw`
  }

  call(method: keyof Hooks): Promise<boolean> {
    return this.#node.webhookMethods.default[method].call(this.#functions)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #receive(request: IncomingMessage): Promise<number> {
    const rawBody = await buffer(request)
    let status = 200
    const { workflowData } = await this.#node.webhook.call({
      ...this.#functions,
      getHeaderData: () => request.headers,
      getRequestObject: () => ({ rawBody }),
      getResponseObject: () => ({
        status(code: number) {
          status = code
          return { json: () => undefined }
        },
      }),
    })
    this.events.push(...(workflowData?.[0] ?? []).map(({ json }) => json))
    this.statuses.push(status)
    return status
  }
}
