import type { Incoming } from '@smsgw/modem/incoming-message'
import type { Connection } from './connection.ts'
import { messageLines } from './message-lines.ts'
import { print } from './print.ts'
import { aborted } from './watch.ts'

/** Shows messages as they come, those that lie there already first. */
export async function receive(connection: Connection, remove: boolean, until: AbortSignal): Promise<void> {
  connection.onEvent((event) => {
    if (event.kind !== 'incoming') return
    for (const line of messageLines(event.incoming)) print(line)
    if (remove) void removeShown(connection, event.incoming)
  })
  await connection.ready('set-up')
  print('waiting for messages; Ctrl-C ends it')
  await aborted(until)
}

async function removeShown(connection: Connection, { source, pdu }: Incoming): Promise<void> {
  if (source.kind !== 'stored') {
    if (source.acknowledge) await connection.modem?.acknowledge()
    return
  }
  const deletion = await connection.modem?.deleteMessage(source, pdu)
  if (deletion?.kind === 'failed') print(`${source.memory} ${source.index} could not be deleted (${deletion.failure})`)
}
