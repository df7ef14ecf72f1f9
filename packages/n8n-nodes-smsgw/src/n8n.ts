/**
 * The parts of n8n's interfaces that the nodes use. They are declared here, so that the published package does not
 * depend on n8n.
 */
export interface NodeFunctions {
  getNode(): { readonly id: string; readonly name: string; readonly typeVersion: number }
  getCredentials(name: string): Promise<Readonly<Record<string, unknown>>>
  getTimezone(): string
}

export interface ExecuteFunctions extends NodeFunctions {
  getInputData(): readonly { readonly json: object }[]
  getNodeParameter(name: string, item: number, fallback?: unknown): unknown
  continueOnFail(): boolean
  getExecutionId(): string | undefined
  evaluateExpression(expression: string, item: number): unknown
  getExecutionCancelSignal?(): AbortSignal | undefined
}

export interface OutputItem {
  readonly json: object
  readonly pairedItem: { readonly item: number }
}

export interface HookFunctions extends NodeFunctions {
  getNodeParameter(name: string, fallback?: unknown): unknown
  getNodeWebhookUrl(name: 'default'): string | undefined
  getWorkflowStaticData(type: 'node'): Record<string, unknown>
  getWorkflow(): { readonly id?: string; readonly name?: string }
  getMode(): string
}

export interface WebhookFunctions extends NodeFunctions {
  getNodeParameter(name: string, fallback?: unknown): unknown
  getWorkflowStaticData(type: 'node'): Record<string, unknown>
  getHeaderData(): Readonly<Record<string, string | string[] | undefined>>
  getRequestObject(): {
    readonly rawBody?: Uint8Array | undefined
    readonly readRawBody?: () => Promise<void>
  }
  getResponseObject(): { status(code: number): { json(body: object): unknown } }
}

export interface WebhookResponse {
  readonly workflowData?: readonly (readonly { readonly json: object }[])[]
  readonly noWebhookResponse?: true
}

/** The request of another n8n node that uses the credentials, such as *HTTP Request*. */
export interface HttpRequestOptions {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly [name: string]: unknown
}

/** A field of a node or of credentials, as n8n shows it. */
export interface NodeProperty {
  readonly displayName: string
  readonly name: string
  readonly type: 'string' | 'number' | 'boolean' | 'options' | 'multiOptions' | 'dateTime' | 'collection' | 'notice'
  readonly default: unknown
  readonly description?: string
  readonly placeholder?: string
  readonly required?: boolean
  readonly noDataExpression?: boolean
  readonly typeOptions?: object
  readonly displayOptions?: { readonly show: Readonly<Record<string, readonly unknown[]>> }
  readonly options?: readonly (
    | { readonly name: string; readonly value: string; readonly description?: string; readonly action?: string }
    | NodeProperty
  )[]
}
