import type { CallOptions, Transport } from './transport.ts'

export interface Page<Item> {
  readonly items: readonly Item[]
  /** The cursor of the next page. Passed as `cursor`, it requests that page. Undefined on the last page. */
  readonly nextCursor: string | undefined
  /** The number of all items, if the page was requested without a cursor. */
  readonly total: number | undefined
  /**
   * False if so many items match a filter that not all were counted. `total` is then the least possible number.
   * Undefined if there is no total.
   */
  readonly isTotalExact: boolean | undefined
}

/**
 * A list that is read page by page: `for await (const item of list)` reads all items, `list.pages()` all pages, and
 * `list.page()` one page. No request is sent before that.
 */
export class Paginated<Item> implements AsyncIterable<Item> {
  readonly #transport: Transport
  readonly #path: string
  readonly #query: object & { readonly cursor?: string | undefined }
  readonly #options: CallOptions

  constructor(transport: Transport, path: string, query: object = {}, options: CallOptions = {}) {
    this.#transport = transport
    this.#path = path
    this.#query = query
    this.#options = options
  }

  async page(cursor: string | undefined = this.#query.cursor): Promise<Page<Item>> {
    const { body, headers } = await this.#transport.send<readonly Item[]>({
      method: 'GET',
      path: this.#path,
      query: { ...this.#query, cursor },
      ...this.#options,
    })
    const total = headers.get('x-total-count')
    return {
      items: body,
      nextCursor: nextCursorOf(headers),
      total: total === null ? undefined : Number(total),
      isTotalExact: total === null ? undefined : headers.get('x-total-count-exact') !== 'false',
    }
  }

  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let page = await this.page()
    yield page
    while (page.nextCursor !== undefined) {
      page = await this.page(page.nextCursor)
      yield page
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items
  }
}

function nextCursorOf(headers: Headers): string | undefined {
  const [, target] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '') ?? []
  if (target === undefined) return undefined
  return new URL(target, 'http://gateway.invalid').searchParams.get('cursor') ?? undefined
}
