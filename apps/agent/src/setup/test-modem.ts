import type { ShownModem } from '../status/agent-status.ts'
import type { SetupHost, SetupResult } from './setup.ts'
import type { SetupModems } from './setup-modems.ts'
import { isPhoneNumber, type SetupOptions } from './setup-options.ts'

/** Sends a test message to the phone of the user, and waits for the reply. */
export async function testModem(
  status: ShownModem,
  options: SetupOptions,
  host: SetupHost,
  modems: SetupModems,
): Promise<SetupResult> {
  const name = status.model ?? 'the modem'
  const test = modems.testThrough(status)
  if (!options.isTested || test === undefined) return { ok: true, text: `${name} is ready; no test message was sent` }
  const to = options.to ?? (await askNumber(host))
  if (to === undefined) return { ok: true, text: `${name} is ready; no test message was sent` }
  host.print(`sending a test message to ${to} …`)
  const problem = await test.send(to, testText)
  if (problem !== undefined) {
    return {
      ok: false,
      problem: `the test message was not sent: ${problem}`,
      advice: 'put the SIM in a phone and check that it has credit and can send text messages, then run setup again',
    }
  }
  if (options.replyMs === 0) return { ok: true, text: `${name} can send; setup did not wait for a reply` }
  host.print(`sent. Reply to the message on the phone; waiting up to ${options.replyMs / 1_000} seconds …`)
  const reply = await test.awaitReply(to, options.replyMs)
  if (reply === undefined) {
    return {
      ok: false,
      problem: `the test message was sent, but no reply from ${to} has arrived`,
      advice: 'run setup again. When the new test message arrives on the phone, reply to it there',
    }
  }
  host.print(`received: ${reply}`)
  return { ok: true, text: `${name} sends and receives` }
}

const testText = 'Test message from your SMS gateway. Please reply with any text.'

async function askNumber({ ask, print }: SetupHost): Promise<string | undefined> {
  while (ask !== undefined) {
    const number = (await ask('Your phone number for a test message (leave empty to skip the test): ')).replaceAll(
      /[\s()-]/g,
      '',
    )
    if (number === '') return undefined
    if (isPhoneNumber(number)) return number
    print('This is not a phone number in the international format, for example +447400123456.')
  }
  return undefined
}
