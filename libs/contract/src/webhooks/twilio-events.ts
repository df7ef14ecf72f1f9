// These lists have their own file, because the console uses the lists without zod.

/** The events about received messages. The server that gets such an event may answer it with a reply. */
export const twilioReceivedEvents = ['sms:received', 'mms:downloaded'] as const
/** The events about sent messages. */
export const twilioStatusEvents = ['sms:sent', 'sms:delivered', 'sms:failed', 'sms:cancelled'] as const

/** The events that requests in Twilio's format can report. */
export const twilioEvents = [...twilioReceivedEvents, ...twilioStatusEvents] as const

/** Returns true if requests in Twilio's format can report all of these events. */
export function areTwilioEvents(events: readonly string[]): boolean {
  return events.every((name) => (twilioEvents as readonly string[]).includes(name))
}
