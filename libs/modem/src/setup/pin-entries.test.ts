import { describe, expect, test } from 'vitest'
import { type ClosablePort, RecoveryRunner } from '../recovery/runner.ts'
import { DescribedModem } from '../testing/described-modem.ts'
import { ManualClock } from '../testing/manual-clock.ts'
import { type EnteredPin, PinMemory } from './pin-memory.ts'

/** A SIM that counts attempts, in a modem whose port can be closed and opened again. */
class LockedSlot {
  readonly clock = new ManualClock()
  readonly entered: string[] = []
  tries = 3
  ready = false
  tellsIccid = true
  iccid: string | undefined
  /** Returns the modem's answer to a PIN. By default, the SIM checks the PIN. */
  onPin: (pin: string) => string = (pin) => this.verify(pin)
  port: DescribedModem | undefined
  kept = '[]'
  keep: (records: readonly EnteredPin[]) => void | Promise<void> = (records) => {
    this.kept = JSON.stringify(records)
  }

  verify(pin: string): string {
    this.ready = pin === '1234'
    this.tries = this.ready ? 3 : this.tries - 1
    return this.ready ? 'OK' : '+CME ERROR: 16'
  }

  /** A program that drives the modem, with the records of the previous program. */
  program(simPin?: string): RecoveryRunner {
    const runner = new RecoveryRunner({
      clock: this.clock,
      open: async () => ({ kind: 'opened', port: this.#open() }),
      onEvent: () => undefined,
      modemOptions: { ...(simPin !== undefined && { simPin }), simBusyLimitMs: 5000 },
      pinMemory: new PinMemory({ records: JSON.parse(this.kept), keep: (records) => this.keep(records) }),
    })
    runner.start()
    return runner
  }

  pass(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }

  /** Simulates a SIM that loses power and is locked again. */
  async replug(): Promise<void> {
    this.ready = false
    this.port?.lose()
    await this.pass(60_000)
  }

  #open(): ClosablePort {
    const port = new DescribedModem({})
    const usual = port.reply
    port.reply = (line) => {
      const pin = /^AT\+CPIN="(.*)"$/.exec(line)?.[1]
      if (pin !== undefined) {
        this.entered.push(pin)
        port.answer(line, this.onPin(pin))
      }
      port.answer('AT+CPIN?', this.ready ? '+CPIN: READY' : '+CPIN: SIM PIN')
      port.answer('AT+CPINR', `+CPINR: SIM PIN,${this.tries},3`)
      if (!this.tellsIccid && !this.ready) port.answer('AT+CCID', '+CME ERROR: 11')
      if (this.iccid !== undefined) port.answer('AT+CCID', `+CCID: ${this.iccid}`)
      return usual(line)
    }
    this.port = port
    return Object.assign(port, { close: async () => undefined })
  }
}

describe('a PIN that the SIM has refused is never entered again', () => {
  test.each([true, false])(
    'a PIN that the SIM has refused is never entered again on another port, with the ICCID reported: %s',
    async (tellsIccid) => {
      const slot = new LockedSlot()
      slot.tellsIccid = tellsIccid
      const runner = slot.program('9999')
      await slot.pass(10_000)
      for (let i = 0; i < 4; i += 1) await slot.replug()
      expect(slot.entered).toEqual(['9999'])
      expect(runner.modem?.state).toMatchObject({ name: 'blocked', failure: { reason: 'pin-wrong', triesLeft: 2 } })
    },
  )

  test('a PIN that the SIM has refused is never entered again by another process with the stored records', async () => {
    const slot = new LockedSlot()
    for (let i = 0; i < 4; i += 1) {
      const runner = slot.program('9999')
      await slot.pass(20_000)
      await runner.stop()
    }
    expect(slot.entered).toEqual(['9999'])
  })

  test('a PIN that the SIM has refused is never entered again by another process if the first process ended before it read the answer', async () => {
    const slot = new LockedSlot()
    slot.onPin = (pin) => {
      slot.verify(pin)
      slot.port?.lose()
      return 'silence'
    }
    await slot.program('9999').stop()
    for (let i = 0; i < 3; i += 1) {
      const runner = slot.program('9999')
      await slot.pass(20_000)
      await runner.stop()
    }
    expect(slot.entered).toEqual(['9999'])
    expect(JSON.parse(slot.kept)).toMatchObject([{ sim: '89490200001234567890', verdict: 'refused' }])
  })

  test('a PIN that the SIM has refused is never entered again although it is entered into another SIM in the same modem', async () => {
    const slot = new LockedSlot()
    slot.kept = JSON.stringify([
      { sim: '8900000000000000000', pin: '1234', verdict: 'refused', entries: 1, triesBefore: 3 },
    ])
    slot.program('1234')
    await slot.pass(10_000)
    expect(slot.entered).toEqual(['1234'])
    expect(slot.ready).toBe(true)
  })
})

test('uses a corrected PIN on every later port', async () => {
  const slot = new LockedSlot()
  const runner = slot.program('9999')
  await slot.pass(10_000)
  void runner.modem?.useSimPin('1234')
  await slot.pass(10_000)
  await slot.replug()
  void runner.useSimPin('1234')
  await slot.replug()
  expect(slot.entered).toEqual(['9999', '1234', '1234', '1234'])
})

describe('a PIN that a person typed', () => {
  async function typed(pin: string, tries: number): Promise<{ slot: LockedSlot; runner: RecoveryRunner }> {
    const slot = new LockedSlot()
    slot.tries = tries
    const runner = slot.program()
    await slot.pass(10_000)
    void runner.enterSimPin(pin)
    await slot.pass(10_000)
    return { slot, runner }
  }

  test.each([
    ['refused by the SIM', 3, ['9999']],
    ['not entered, because only one attempt was left', 1, []],
  ])('is not entered into another SIM if it was %s', async (_why, tries, entered) => {
    const { slot } = await typed('9999', tries)
    expect(slot.entered).toEqual(entered)
    slot.iccid = '89490200009999999999'
    slot.tries = 3
    await slot.pass(120_000)
    await slot.replug()
    expect(slot.entered).toEqual(entered)
  })

  test.each<[string, (port: DescribedModem) => void]>([
    ['the modem restarts', (port) => port.tell('RDY')],
    ['the port is lost', (port) => port.lose()],
  ])('is not entered into another SIM if it was refused while %s', async (_why, interrupt) => {
    const slot = new LockedSlot()
    slot.onPin = (pin) => {
      slot.verify(pin)
      if (slot.port) interrupt(slot.port)
      return 'silence'
    }
    const runner = slot.program()
    await slot.pass(10_000)
    void runner.enterSimPin('9999')
    await slot.pass(120_000)
    expect(slot.entered).toEqual(['9999'])
    slot.iccid = '89490200009999999999'
    slot.tries = 3
    await slot.replug()
    expect(slot.entered).toEqual(['9999'])
  })

  test('is not entered into another SIM if a second PIN was typed at once and refused', async () => {
    const slot = new LockedSlot()
    const runner = slot.program()
    await slot.pass(10_000)
    void runner.enterSimPin('9999')
    void runner.enterSimPin('8888')
    await slot.pass(10_000)
    const { entered } = slot
    expect(entered).toContain('8888')
    const before = [...entered]
    slot.iccid = '89490200009999999999'
    slot.tries = 3
    await slot.replug()
    expect(entered).toEqual(before)
  })

  test('does not replace the configured PIN if the SIM refuses it', async () => {
    const slot = new LockedSlot()
    slot.onPin = () => 'silence'
    const runner = slot.program('1234')
    await slot.pass(60_000)
    slot.onPin = (pin) => slot.verify(pin)
    void runner.enterSimPin('9999')
    await slot.pass(10_000)
    slot.iccid = '89490200009999999999'
    await slot.replug()
    expect(slot.entered).toEqual(['1234', '9999', '1234'])
  })

  test('is entered again at later setups if the SIM accepted it', async () => {
    const { slot } = await typed('1234', 3)
    await slot.replug()
    expect(slot.entered).toEqual(['1234', '1234'])
    expect(slot.ready).toBe(true)
  })
})

describe('a PIN entry that is answered', () => {
  test('a PIN entry without an answer is not repeated, although the counter is unchanged', async () => {
    const slot = new LockedSlot()
    slot.onPin = () => 'silence'
    const runner = slot.program('9999')
    await slot.pass(600_000)
    await slot.replug()
    expect(slot.entered).toEqual(['9999'])
    expect(runner.modem?.state).toMatchObject({ failure: { reason: 'pin-not-taken' } })
  })

  test('a PIN entry that is answered with an error without a number counts as wrong if the counter was reduced', async () => {
    const slot = new LockedSlot()
    slot.onPin = (pin) => {
      slot.verify(pin)
      return 'ERROR'
    }
    const runner = slot.program('9999')
    await slot.pass(600_000)
    expect(slot.entered).toEqual(['9999'])
    expect(runner.modem?.state).toMatchObject({ failure: { reason: 'pin-wrong', triesLeft: 2 } })
  })

  test('a PIN entry that is answered with SIM busy does not count as wrong, and is repeated once', async () => {
    const slot = new LockedSlot()
    slot.onPin = () => {
      slot.onPin = (pin) => slot.verify(pin)
      return '+CME ERROR: 14'
    }
    slot.program('1234')
    await slot.pass(300_000)
    expect(slot.entered).toEqual(['1234', '1234'])
    expect(slot.ready).toBe(true)
    expect(slot.kept).toBe('[]')
  })

  test('a PIN entry that is answered with endless SIM busy leaves one attempt, even with a wrong counter', async () => {
    const slot = new LockedSlot()
    slot.onPin = () => '+CME ERROR: 14'
    slot.program('9999')
    await slot.pass(3_600_000)
    await slot.replug()
    expect(slot.entered).toHaveLength(2)
  })

  test('a PIN entry that ends with the loss of the port is repeated once, because the counter shows that it was not refused', async () => {
    const slot = new LockedSlot()
    slot.onPin = () => {
      slot.onPin = (pin) => slot.verify(pin)
      slot.port?.lose()
      return 'silence'
    }
    slot.program('1234')
    await slot.pass(120_000)
    expect(slot.entered).toEqual(['1234', '1234'])
    expect(slot.ready).toBe(true)
  })
})

describe('the record of a PIN entry', () => {
  test('the record of a PIN entry is stored before the entry', async () => {
    const slot = new LockedSlot()
    const order: string[] = []
    slot.keep = async (records) => {
      await Promise.resolve()
      order.push(`kept ${records.map((record) => record.verdict).join()}, ${slot.entered.length} entered`)
    }
    slot.program('9999')
    await slot.pass(10_000)
    expect(order).toEqual(['kept open, 0 entered', 'kept refused, 1 entered'])
  })

  test('the record of a PIN entry that cannot be stored prevents the entry', async () => {
    const slot = new LockedSlot()
    slot.keep = () => {
      throw new Error('the disk is full')
    }
    const runner = slot.program('1234')
    await slot.pass(10_000)
    expect(slot.entered).toEqual([])
    expect(runner.modem?.state).toMatchObject({ name: 'blocked', failure: { reason: 'pin-not-kept' } })
  })
})
