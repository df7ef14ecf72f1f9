import { Paginated } from '../http/paginated.ts'
import type { CallOptions, Transport } from '../http/transport.ts'
import type {
  Conversation,
  ConversationDetails,
  ConversationEntry,
  InboxItem,
  operations,
  RefreshInboxRequest,
} from '../openapi.ts'

type ListQuery = NonNullable<operations['getInbox']['parameters']['query']>
type GetQuery = NonNullable<operations['getInboxById']['parameters']['query']>
type ConversationsQuery = NonNullable<operations['getConversations']['parameters']['query']>
type ConversationChange = operations['patchConversationsByNumber']['requestBody']['content']['application/json']
type EntriesQuery = NonNullable<operations['getConversationsByNumber']['parameters']['query']>

/** Received messages. */
export class Inbox {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists received messages, newest first. */
  list(query: ListQuery = {}, options?: CallOptions): Paginated<InboxItem> {
    return new Paginated(this.#transport, '/inbox', query, options)
  }

  async get(id: string, { includeAttachments, ...options }: GetQuery & CallOptions = {}): Promise<InboxItem> {
    const path = `/inbox/${encodeURIComponent(id)}`
    return (await this.#transport.send<InboxItem>({ method: 'GET', path, query: { includeAttachments }, ...options }))
      .body
  }

  /**
   * Downloads an attachment. The promise resolves before the body has arrived, so that a large attachment can be saved
   * while it is read.
   */
  async download(id: string, partId: number, options?: CallOptions): Promise<Response> {
    const path = `/inbox/${encodeURIComponent(id)}/attachments/${partId}`
    return this.#transport.open({ method: 'GET', path, headers: { accept: '*/*' }, ...options })
  }

  /**
   * Makes devices read their SIMs again. If requested, also sends the messages received in a period to the webhooks
   * again.
   */
  async refresh(body: RefreshInboxRequest, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: 'POST', path: '/inbox/refresh', body, ...options })
  }
}

/** Messages in both directions, by phone number. */
export class Conversations {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists conversations, with the latest message first. */
  list(query: ConversationsQuery = {}, options?: CallOptions): Paginated<Conversation> {
    return new Paginated(this.#transport, '/conversations', query, options)
  }

  /** Lists the messages of one conversation, newest first. */
  entries(number: string, query: EntriesQuery = {}, options?: CallOptions): Paginated<ConversationEntry> {
    return new Paginated(this.#transport, pathOf(number), query, options)
  }

  /** Reads labels, notes and assignee of a conversation. */
  async details(number: string, options?: CallOptions): Promise<ConversationDetails> {
    const path = `${pathOf(number)}/details`
    return (await this.#transport.send<ConversationDetails>({ method: 'GET', path, ...options })).body
  }

  /** Changes a conversation: marks it as read, archives it, blocks it, labels it or assigns it to a user. */
  async change(number: string, body: ConversationChange, options?: CallOptions): Promise<ConversationDetails> {
    const request = { method: 'PATCH', path: pathOf(number), body, ...options } as const
    return (await this.#transport.send<ConversationDetails>(request)).body
  }
}

function pathOf(number: string): string {
  return `/conversations/${encodeURIComponent(number)}`
}
