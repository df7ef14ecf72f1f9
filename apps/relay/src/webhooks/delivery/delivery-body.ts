interface Told {
  readonly id: string
  readonly deviceId: string
  readonly event: string
  readonly payload: unknown
}

/** The body of the request: the envelope of the event, with its payload. */
export function deliveryBody(webhookId: string, { deviceId, event, id, payload }: Told): string {
  return JSON.stringify({ deviceId, event, id, payload, webhookId })
}
