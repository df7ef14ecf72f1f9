/** The states in the order in which a message passes through them. */
export const messageStates = ['Pending', 'Cancelling', 'Cancelled', 'Processed', 'Sent', 'Delivered', 'Failed'] as const

export type MessageState = (typeof messageStates)[number]
