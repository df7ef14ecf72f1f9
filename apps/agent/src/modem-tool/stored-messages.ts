import type { Incoming } from '@smsgw/modem/incoming-message'
import type { Modem } from '@smsgw/modem/modem'
import type { Connection } from './connection.ts'
import { messageLines } from './message-lines.ts'
import { print } from './print.ts'
import { ToolError } from './tool-error.ts'

export async function list(connection: Connection): Promise<void> {
  const { messages } = await storedMessages(connection)
  for (const message of messages) for (const line of messageLines(message)) print(line)
  print(messages.length === 1 ? '1 message' : `${messages.length} messages`)
}

/** Only what is still there as it was listed: indexes are given anew as soon as they are free. */
export async function deleteOne(connection: Connection, memory: string, index: number): Promise<void> {
  const { modem, messages } = await storedMessages(connection)
  const message = messages.find(({ source }) => source.memory === memory && source.index === index)
  if (message === undefined) throw new ToolError(`There is no message in ${memory} ${index}.`)
  await remove(modem, message)
}

export async function deleteAll(connection: Connection): Promise<void> {
  const { modem, messages } = await storedMessages(connection)
  for (const message of messages) await remove(modem, message)
  print(messages.length === 1 ? '1 message' : `${messages.length} messages`)
}

type Stored = Incoming & { readonly source: { readonly kind: 'stored' } }

async function storedMessages(connection: Connection): Promise<{ modem: Modem; messages: readonly Stored[] }> {
  const modem = await connection.ready('set-up')
  // Looking after a start has begun by itself: what it finds is found again.
  await modem.sweep()
  const found = new Map<string, Stored>()
  const stopListening = connection.onEvent((event) => {
    if (event.kind === 'incoming' && isStored(event.incoming)) found.set(placeOf(event.incoming), event.incoming)
  })
  const { complete } = await modem.sweep({ again: true })
  stopListening()
  if (!complete) print('not all memories could be read to their end')
  return { modem, messages: [...found.values()] }
}

async function remove(modem: Modem, message: Stored): Promise<void> {
  const deletion = await modem.deleteMessage(message.source, message.pdu)
  switch (deletion.kind) {
    case 'deleted':
      print(`${placeOf(message)} deleted`)
      break
    case 'already-gone':
      print(`${placeOf(message)} was gone already`)
      break
    case 'another-message':
      throw new ToolError(`${placeOf(message)} holds another message by now; nothing was deleted.`)
    case 'deferred':
      throw new ToolError(`${placeOf(message)} would take messages with it that have come since; list them first.`)
    case 'failed':
      throw new ToolError(`${placeOf(message)} could not be deleted: ${deletion.error?.words ?? deletion.failure}`)
  }
}

function isStored(incoming: Incoming): incoming is Stored {
  return incoming.source.kind === 'stored'
}

function placeOf({ source }: Stored): string {
  return `${source.memory} ${source.index}`
}
