import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { processTerminal } from '@smsgw/daemon/terminal/terminal'
import { readOperator } from '@smsgw/modem/commands/network/operator'
import type { Modem } from '@smsgw/modem/modem'
import type { DialogueRecorder } from '@smsgw/modem/recording/dialogue-recorder'
import { formatRecording } from '@smsgw/modem/recording/format-recording'
import { redact } from '@smsgw/modem/recording/redact'
import { textFromAddress } from '@smsgw/sms/fields/address'
import { linesOf, printLine } from '../cli/terminal.ts'
import { findPlaces } from '../modems/discovery/find-places.ts'
import { numbersMatch } from '../sending/doubt/numbers-match.ts'
import type { ToolCommand } from './arguments.ts'
import { type Connection, ToolError } from './connection.ts'
import { outcomeText, pdusOfText } from './send.ts'

type RecordCommand = ToolCommand & { readonly name: 'record' }

/**
 * Records how the driver sets up the modem. If a phone is given, also records one message to the phone and the reply.
 * Modems that do not work are recorded too, because the dialogue shows the reason.
 */
export async function record(
  connection: Connection,
  recorder: DialogueRecorder,
  command: RecordCommand,
  until: AbortSignal,
): Promise<void> {
  printLine('Recording the answers of the modem. PIN, numbers, texts, IMEI, IMSI, ICCID and cells will be replaced.')
  const modem = await recordDialogue(connection, recorder, command, until).catch((error: unknown) => {
    if (!(error instanceof ToolError)) throw error
    printLine(`the modem does not work: ${error.message} The recording ends at this failure.`)
    return connection.modem
  })
  const text = formatRecording(await remarksAbout(connection.address, modem), redact(recorder.sections))
  printLine('')
  for (const line of linesOf(text)) printLine(line)
  await save(text, command)
}

async function recordDialogue(
  connection: Connection,
  recorder: DialogueRecorder,
  { to }: RecordCommand,
  until: AbortSignal,
): Promise<Modem> {
  const modem = await connection.ready('set-up')
  await modem.ask(readOperator)
  await modem.signal()
  await modem.sweep({ again: true })
  if (to === undefined) return modem
  await connection.ready('network')
  const reply = awaitReply(connection, to, until)
  recorder.begin('send')
  for (const pdu of pdusOfText(to, 'Test message for a recording. Please reply with any text.', true, false)) {
    const outcome = await modem.submit(pdu, { id: 'recording', beforePdu: async () => 'go' })
    printLine(`test message to ${to}: ${outcomeText(outcome)}`)
    if (outcome.kind !== 'accepted') return modem
  }
  recorder.begin('receive')
  printLine('Reply to the message on the phone; waiting up to five minutes …')
  printLine((await reply) ? 'reply received' : 'no reply arrived; the recording ends without it')
  return modem
}

/** Returns true if a message from this number arrived in time. */
function awaitReply(connection: Connection, from: string, until: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), replyLimitMs)
    connection.onEvent((event) => {
      if (event.kind !== 'incoming' || event.incoming.kind !== 'message') return
      if (!numbersMatch(textFromAddress(event.incoming.deliver.originator), from)) return
      clearTimeout(timer)
      // Waits for the OK that ends the listing with the message.
      setTimeout(() => resolve(true), 1_000)
    })
    until.addEventListener('abort', () => resolve(false), { once: true })
  })
}

const replyLimitMs = 300_000

async function remarksAbout(address: string, modem: Modem | undefined): Promise<readonly string[]> {
  const { identity, profile } = modem?.session ?? {}
  const name = [identity?.manufacturer, identity?.model]
    .filter(Boolean)
    .join(' ')
    .replaceAll(/[^\w .-]/g, '')
  const { places } = await findPlaces({ auto: false, addresses: [address] })
  const usb = places[0]?.usb?.id
  return [
    `Captured from one ${name || 'unknown modem'}.`,
    ...(usb === undefined ? [] : [`usb ${usb}`]),
    ...(profile === undefined ? [] : [`profile ${profile.name}`]),
  ]
}

/** Saves the recording after a person has seen it. Does not overwrite a file. */
async function save(text: string, { file, isAgreed }: RecordCommand): Promise<void> {
  const path = resolve(file)
  if (!isAgreed) {
    if (!processTerminal.isInteractive)
      throw new ToolError('not saved: review the recording above, then run the command again with --yes')
    const answer = await processTerminal.ask(`Save this to ${path}? Check it for anything private first. [y/N] `)
    if (!/^(?:y|yes)$/i.test(answer.trim())) {
      printLine('not saved')
      return
    }
  }
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new ToolError(`cannot write ${path}: ${(error as Error).message}`)
  }
  printLine(`saved to ${path}. Attach it to a device report: docs/recordings.md`)
}
