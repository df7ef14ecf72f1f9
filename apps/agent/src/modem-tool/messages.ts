import type { Modem } from '@smsgw/modem/modem'
import type { Incoming } from '@smsgw/modem/receive/incoming-message'
import { textFromAddress } from '@smsgw/sms/fields/address'
import { statusFromOctet } from '@smsgw/sms/fields/status'
import { type InvalidTimeStamp, isValidTimeStamp, type TimeStamp } from '@smsgw/sms/fields/time-stamp'
import { textOfUserData } from '@smsgw/sms/fields/user-data'
import { concatenationOf } from '@smsgw/sms/fields/user-data-header'
import { hexFromOctets } from '@smsgw/sms/octets'
import { linesOf, printLine, whenWritten } from '../cli/terminal.ts'
import { type Connection, ToolError } from './connection.ts'
import { aborted } from './watch.ts'

export async function list(connection: Connection): Promise<void> {
  const { messages } = await storedMessages(connection)
  for (const message of messages) for (const line of messageLines(message)) printLine(line)
  printLine(messages.length === 1 ? '1 message' : `${messages.length} messages`)
}

/** Deletes a message only if its index still contains the same message, because modems reuse free indexes. */
export async function deleteOne(connection: Connection, memory: string, index: number): Promise<void> {
  const { modem, messages } = await storedMessages(connection)
  const message = messages.find(({ source }) => source.memory === memory && source.index === index)
  if (message === undefined) throw new ToolError(`There is no message in ${memory} ${index}.`)
  await remove(modem, message)
}

export async function deleteAll(connection: Connection): Promise<void> {
  const { modem, messages } = await storedMessages(connection)
  for (const message of messages) await remove(modem, message)
  printLine(messages.length === 1 ? '1 message' : `${messages.length} messages`)
}

type Stored = Incoming & { readonly source: { readonly kind: 'stored' } }

async function storedMessages(connection: Connection): Promise<{ modem: Modem; messages: readonly Stored[] }> {
  const modem = await connection.ready('set-up')
  // Waits until the driver has read the stored messages after its start, and then reads all messages again.
  await modem.sweep()
  const found = new Map<string, Stored>()
  const stopListening = connection.onEvent((event) => {
    if (event.kind === 'incoming' && isStored(event.incoming)) found.set(placeOf(event.incoming), event.incoming)
  })
  const { complete } = await modem.sweep({ again: true })
  stopListening()
  if (!complete) printLine('not all memories could be read completely')
  return { modem, messages: [...found.values()] }
}

async function remove(modem: Modem, message: Stored): Promise<void> {
  const deletion = await modem.deleteMessage(message.source, message.pdu)
  switch (deletion.kind) {
    case 'deleted':
      printLine(`${placeOf(message)} deleted`)
      break
    case 'already-gone':
      printLine(`${placeOf(message)} was already deleted`)
      break
    case 'another-message':
      throw new ToolError(`${placeOf(message)} now contains a different message; nothing was deleted.`)
    case 'deferred':
      throw new ToolError(
        `${placeOf(message)} was not deleted, because newer messages would be deleted too. Run \`list\` to see them, then try again.`,
      )
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

/** Prints stored messages, then messages as they arrive. */
export async function printReceived(connection: Connection, remove: boolean, until: AbortSignal): Promise<void> {
  connection.onEvent((event) => {
    if (event.kind !== 'incoming') return
    for (const line of messageLines(event.incoming)) printLine(line)
    if (remove) whenWritten(() => void removeShown(connection, event.incoming))
  })
  await connection.ready('set-up')
  printLine('waiting for messages; press Ctrl-C to stop')
  await aborted(until)
}

async function removeShown(connection: Connection, { source, pdu }: Incoming): Promise<void> {
  if (source.kind !== 'stored') {
    if (source.acknowledge) await connection.modem?.acknowledge()
    return
  }
  const deletion = await connection.modem?.deleteMessage(source, pdu)
  if (deletion?.kind === 'failed')
    printLine(`${source.memory} ${source.index} could not be deleted (${deletion.failure})`)
}

/** Formats a message: one line with the place and the sender, and below it the text. */
export function messageLines(incoming: Incoming): readonly string[] {
  const place = incoming.source.kind === 'stored' ? `${incoming.source.memory} ${incoming.source.index}` : 'not stored'
  switch (incoming.kind) {
    case 'message': {
      const { originator, serviceCentreTimeStamp, userData } = incoming.deliver
      const part = concatenationOf(userData.header)
      const about = [
        place,
        `from ${textFromAddress(originator)}`,
        timeWords(serviceCentreTimeStamp),
        part && `part ${part.sequence} of ${part.total} (reference ${part.reference})`,
        incoming.flash ? 'flash' : undefined,
      ]
      const text = textOfUserData(userData) ?? `data ${hexFromOctets(userData.units)}`
      return [about.filter(Boolean).join(', '), ...linesOf(text).map((line) => `    ${line}`)]
    }
    case 'status-report': {
      const { recipient, messageReference, status, dischargeTime } = incoming.report
      const { outcome, description } = statusFromOctet(status)
      const about = `report on ${messageReference} to ${textFromAddress(recipient)}: ${outcome} (${description})`
      return [`${place}, ${about}, ${timeWords(dischargeTime)}`]
    }
    case 'unreadable':
      return [`${place}, cannot be read (${incoming.why}): ${incoming.pdu}`]
  }
}

function timeWords(time: TimeStamp | InvalidTimeStamp): string {
  if (!isValidTimeStamp(time)) return 'without a time'
  const two = (value: number) => String(value).padStart(2, '0')
  return `${time.year}-${two(time.month)}-${two(time.day)} ${two(time.hour)}:${two(time.minute)}:${two(time.second)}`
}
