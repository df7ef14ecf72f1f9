import { expect, test } from 'vitest'
import { detectBaudRate, isUart, type RatedPort } from './detect-baud-rate.ts'

/** A modem on a UART. At a wrong rate, modem and host receive only noise. */
class UartModem implements RatedPort {
  readonly tried: number[] = []
  readonly #rate: number | 'any' | 'off'
  readonly #answer: string
  #now = 0
  #commands = 0
  #listener: (text: string) => void = () => undefined
  waitedMs = 0

  constructor(rate: number | 'any' | 'off', answer = 'AT\r\r\nOK\r\n') {
    this.#rate = rate
    this.#answer = answer
  }

  readonly setRate = async (rate: number): Promise<void> => {
    if (rate !== this.#now) this.#commands = 0
    this.#now = rate
    this.tried.push(rate)
  }

  readonly write = (text: string): void => {
    expect(text).toBe('AT\r')
    this.#commands += 1
    if (this.#rate === 'off') return
    // Simulates a modem that answers the second command at a new rate, after autobauding.
    if (this.#rate === 'any' && this.#commands > 1) this.#listener(this.#answer)
    else if (this.#rate === this.#now) this.#listener(this.#answer)
    else this.#listener('\xfe\x00\xf8')
  }

  readonly onText = (listener: (text: string) => void) => {
    this.#listener = listener
    return () => {
      this.#listener = () => undefined
    }
  }

  readonly wait = async (ms: number): Promise<void> => {
    this.waitedMs += ms
  }

  get rate(): number {
    return this.#now
  }
}

test.each([115_200, 9_600, 57_600, 38_400, 19_200, 460_800, 921_600, 230_400])(
  'finds a modem at %d baud',
  async (rate) => {
    const modem = new UartModem(rate)
    expect(await detectBaudRate(modem, undefined)).toBe(rate)
    expect(modem.rate).toBe(rate)
  },
)

test('first tries the rate that worked last', async () => {
  const modem = new UartModem(9_600)
  expect(await detectBaudRate(modem, 9_600)).toBe(9_600)
  expect(modem.tried).toEqual([9_600])
})

test('lets a modem with autobauding adopt the usual rate', async () => {
  expect(await detectBaudRate(new UartModem('any'), undefined)).toBe(115_200)
})

test.each(['\r\nOK\r\n', 'AT\r', '0\r', '\r\nERROR\r\n', '\r\n+CME ERROR: 100\r\n'])(
  'accepts the answer %j',
  async (answer) => {
    expect(await detectBaudRate(new UartModem(19_200, answer), undefined)).toBe(19_200)
  },
)

test('keeps the usual rate for a modem that is off, and needs at most six seconds', async () => {
  const modem = new UartModem('off')
  expect(await detectBaudRate(modem, undefined)).toBeUndefined()
  expect(modem.rate).toBe(115_200)
  expect(modem.waitedMs).toBeLessThan(6_000)
})

test('keeps the last rate for a modem that is off', async () => {
  const modem = new UartModem('off')
  expect(await detectBaudRate(modem, 9_600)).toBeUndefined()
  expect(modem.rate).toBe(9_600)
})

test('detects the rate of a UART only', () => {
  expect(['/dev/ttyS0', '/dev/ttyAMA0', '/dev/ttyTHS1'].every(isUart)).toBe(true)
  expect(['/dev/ttyUSB0', '/dev/ttyACM0', '/dev/pts/3'].some(isUart)).toBe(false)
})
