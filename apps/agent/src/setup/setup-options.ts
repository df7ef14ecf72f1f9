import type { CommandLine } from '@smsgw/daemon/command-line'
import { UsageError } from '@smsgw/daemon/start-error'

export interface SetupOptions {
  /** The phone number to which the test message is sent. If undefined, the setup asks for the number. */
  readonly to: string | undefined
  readonly isTested: boolean
  readonly sim: number | undefined
  /** True if fixes are run without a confirmation. */
  readonly areFixesAgreed: boolean
  readonly networkMs: number
  /** How long to wait for the reply to the test message; 0 does not wait. */
  readonly replyMs: number
}

export function readSetupOptions({ values }: CommandLine): SetupOptions {
  const to = values['to'] === undefined ? undefined : String(values['to'])
  if (to !== undefined && !isPhoneNumber(to)) {
    throw new UsageError(
      `--to ${JSON.stringify(to)} is not a phone number. Use the international format, for example +447400123456`,
    )
  }
  const sim = wholeNumber(values, 'sim', 1, 64)
  return {
    to,
    isTested: values['no-test'] !== true,
    sim,
    areFixesAgreed: values['yes'] === true,
    networkMs: (wholeNumber(values, 'network-wait', 1, 3_600) ?? 90) * 1_000,
    replyMs: (wholeNumber(values, 'reply-wait', 0, 3_600) ?? 300) * 1_000,
  }
}

export function isPhoneNumber(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text)
}

function wholeNumber(values: CommandLine['values'], name: string, least: number, most: number): number | undefined {
  const given = values[name]
  if (given === undefined) return undefined
  const number = Number(given)
  if (Number.isInteger(number) && number >= least && number <= most) return number
  throw new UsageError(`--${name} ${JSON.stringify(given)} must be a number from ${least} to ${most}`)
}
