/** The part of a serial port that the detection needs. */
export interface RatedPort {
  readonly setRate: (rate: number) => Promise<void>
  readonly write: (text: string) => void
  /** Returns a function that removes the listener. */
  readonly onText: (listener: (text: string) => void) => () => void
  readonly wait: (ms: number) => Promise<void>
}

/**
 * Finds the rate at which a modem on a UART answers `AT`. A modem that is off, starting or in a data call does not
 * answer at any rate. In this case, the usual rate is used. Sending `AT` also lets a modem with autobauding adopt the
 * rate.
 *
 * @param last the rate at which a modem on this port answered before
 */
export async function detectBaudRate(port: RatedPort, last: number | undefined): Promise<number | undefined> {
  const rates = last === undefined ? usualRates : [last, ...usualRates.filter((rate) => rate !== last)]
  for (const rate of rates) {
    await port.setRate(rate)
    if (await answers(port)) return rate
  }
  await port.setRate(last ?? defaultBaudRate)
  return undefined
}

async function answers(port: RatedPort): Promise<boolean> {
  let heard = ''
  const stopListening = port.onText((text) => {
    heard += text
  })
  for (let attempt = 0; attempt < attemptsPerRate && !isAnswer(heard); attempt += 1) {
    port.write('AT\r')
    await port.wait(answerMs)
  }
  stopListening()
  return isAnswer(heard)
}

/**
 * Returns true for `OK`, `ERROR`, or 0 after ATV0. A readable echo is sufficient too, because an echo at a wrong rate
 * is unreadable.
 */
function isAnswer(heard: string): boolean {
  return /\r\n(OK|ERROR|\+CME ERROR: .*)\r\n|AT\r|^0\r/.test(heard)
}

/** Almost all modems on a UART start at this rate. */
export const defaultBaudRate = 115_200
const usualRates: readonly number[] = [defaultBaudRate, 9_600, 57_600, 38_400, 19_200, 460_800, 921_600, 230_400]
/** A modem with autobauding needs the first command to find the rate. */
const attemptsPerRate = 2
const answerMs = 300

/** Returns true if a port is a UART, whose rate matters. USB modems and pseudo-terminals ignore the rate. */
export function isUart(device: string): boolean {
  return /^\/dev\/tty(S|AMA|SC|THS|mxc|STM|MSM)\d+$/.test(device)
}
