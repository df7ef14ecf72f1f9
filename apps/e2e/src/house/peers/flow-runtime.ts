import { execFileSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../machine/process.ts'

// biome-ignore lint/suspicious/noExplicitAny: messages of a flow, checked by the calling test.
type Message = any
type Config = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string }
type AdminHandler = (request: { body: unknown }, response: { json(body: Message): void }) => void

/** A node of a flow, with its sent messages and its status. */
export class RunningFlowNode extends EventEmitter {
  readonly outputs: Message[] = []
  readonly errors: string[] = []
  credentials: Readonly<Record<string, string>> | undefined
  statusText: string | undefined

  send(message: Message): void {
    this.outputs.push(message)
  }

  status({ text }: { readonly text?: string }): void {
    this.statusText = text
  }

  error(message: string): void {
    this.errors.push(message)
  }

  /** Passes a message to the node. Returns its output, or rejects with its error. */
  receive(message: Message): Promise<Message> {
    const { promise, resolve, reject } = Promise.withResolvers<Message>()
    this.emit('input', message, resolve, (error?: Error) => error && reject(error))
    return promise
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.emit('close', false, resolve)) resolve()
    })
  }
}

/**
 * The part of Node-RED's runtime that the nodes of the published package use. `npm run proof -- bridges node-red` runs
 * Node-RED itself.
 */
export class FlowRuntime {
  readonly #folder = mkdtempSync(join(tmpdir(), 'smsgw-node-red-'))
  readonly #constructors = new Map<string, (this: object, config: Config) => void>()
  readonly #admin = new Map<string, AdminHandler>()
  #nodes = new Map<string, RunningFlowNode>()

  constructor() {
    const pack = ['packages/node-red', '--into', this.#folder]
    execFileSync(process.execPath, [join(ROOT, '.repo/pack-npm.ts'), ...pack], { stdio: 'ignore' })
    const [file = ''] = readdirSync(this.#folder)
    execFileSync('tar', ['-xzf', join(this.#folder, file), '-C', this.#folder])
    const load = createRequire(import.meta.url)(join(this.#folder, 'package/dist/smsgw.js'))
    load({
      nodes: {
        createNode: (node: RunningFlowNode, { id }: Config) => Object.assign(node, { id }),
        registerType: (name: string, create: (this: object, config: Config) => void) =>
          this.#constructors.set(name, create),
        getNode: (id: string) => this.#nodes.get(id) ?? null,
      },
      httpAdmin: { post: (path: string, _: unknown, handler: AdminHandler) => this.#admin.set(path, handler) },
      auth: { needsPermission: () => undefined },
      settings: { userDir: this.#folder },
    })
  }

  /** Replaces all nodes. `credentials` belong to the nodes with the same id. */
  async deploy(flow: readonly Config[], credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {}) {
    await this.#closeAll()
    for (const config of flow) {
      const node = new RunningFlowNode()
      node.credentials = credentials[config.id]
      this.#nodes.set(config.id, node)
      this.#constructors.get(config.type)?.call(node, config)
    }
  }

  node(id: string): RunningFlowNode {
    const node = this.#nodes.get(id)
    if (node === undefined) throw new Error(`the flow has no node ${id}`)
    return node
  }

  /** Sends a request as the editor does. */
  admin(path: string, body: unknown): Promise<Message> {
    return new Promise((resolve) => this.#admin.get(path)?.({ body }, { json: resolve }))
  }

  async stop(): Promise<void> {
    await this.#closeAll()
    rmSync(this.#folder, { recursive: true })
  }

  async #closeAll(): Promise<void> {
    await Promise.all([...this.#nodes.values()].map((node) => node.close()))
    this.#nodes = new Map()
  }
}
