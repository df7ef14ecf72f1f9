/** The part of Node-RED's runtime that the nodes use. */
export interface NodeRed {
  readonly nodes: {
    createNode(node: object, config: object): void
    registerType(name: string, create: (this: never, config: never) => void, options?: object): void
    getNode(id: string): unknown
  }
  readonly httpAdmin: {
    post(path: string, permission: unknown, handler: (request: AdminRequest, response: AdminResponse) => void): void
  }
  readonly auth: { needsPermission(permission: string): unknown }
  readonly settings: { readonly userDir?: string | undefined }
}

export interface AdminRequest {
  readonly body: unknown
}

export interface AdminResponse {
  json(body: object): unknown
}

/** A message of a flow. */
export interface FlowMessage {
  readonly _msgid?: string
  readonly [name: string]: unknown
}

export interface NodeStatus {
  readonly fill?: 'red' | 'green' | 'yellow' | 'blue' | 'grey'
  readonly shape?: 'ring' | 'dot'
  readonly text?: string
}

/** A node of a flow, created by `createNode`. */
export interface FlowNode {
  readonly id: string
  on(event: 'input', listener: InputListener): void
  on(event: 'close', listener: (removed: boolean, done: () => void) => void): void
  send(message: FlowMessage): void
  status(status: NodeStatus): void
  error(message: string): void
  warn(message: string): void
}

export type InputListener = (
  message: FlowMessage,
  send: (message: FlowMessage) => void,
  done: (error?: Error) => void,
) => void
