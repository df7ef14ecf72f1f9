/** What is to be said, no longer encrypted. */
export type ClearContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly data: Uint8Array; readonly port: number }
