import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EmulatorProcess } from '../testing/emulator-process.ts'

let emulator: EmulatorProcess

beforeAll(async () => {
  emulator = await EmulatorProcess.start()
})

afterAll(() => emulator.stop())

const main = process.env['TESTED_MODEM_TOOL'] ?? ''

interface Run {
  readonly code: number | null
  readonly out: string
  readonly errors: string
}

function start(...args: readonly string[]): {
  child: ChildProcess
  ended: Promise<Run>
  says: (words: string) => Promise<void>
} {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let errors = ''
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, errors }))
  const says = (words: string) => expect.poll(() => out, { interval: 20 }).toContain(words)
  return { child, ended, says }
}

const run = (...args: readonly string[]) => start(...args).ended

describe.each(['pty', 'tcp'] as const)('on the emulator over %s', (transport) => {
  const port = () => emulator[transport]

  test('identifies the modem', async () => {
    const { code, out, errors } = await run(port(), 'identify')
    expect(errors).toContain(`opening ${port()} …\n`)
    expect(errors).toContain(`${port()}: identifying the modem …\n`)
    expect(out).toMatch(/^Modem +Quectel, EC25/)
    expect(out).toMatch(/^IMEI +\d{15}$/m)
    expect(out).toMatch(/^State +ready$/m)
    expect(code).toBe(0)
  })

  test('sends a long text in parts and waits for the delivery reports', async () => {
    const { code, out } = await run(port(), 'send', '+447700900123', 'x'.repeat(200), '--report')
    // A delivery report may be printed before the next part is sent.
    expect(out).toMatch(/^part 1 of 2: accepted, reference \d+$/m)
    expect(out).toMatch(/^part 2 of 2: accepted, reference \d+$/m)
    expect(out.match(/report on \d+ to \+447700900123: delivered/g)).toHaveLength(2)
    expect(code).toBe(0)
  })

  test('shows an incoming message, lists it and deletes it', async () => {
    const receiving = start(port(), 'receive')
    await receiving.says('waiting for messages')
    await emulator.instruct('send-text', { from: '+447700900555', to: 'modem0', text: 'bell \u001b[2J here' })
    await receiving.says('from +447700900555')
    receiving.child.kill('SIGINT')
    const received = await receiving.ended
    // Received text must not control the terminal.
    expect(received.out).toContain('    bell \\x1b[2J here')
    expect(received.code).toBe(0)
    const listed = await run(port(), 'list')
    const [, memory = '', index = ''] = /^(\w\w) (\d+), from \+447700900555/m.exec(listed.out) ?? []
    expect(listed.out).toContain('1 message\n')
    expect(await run(port(), 'delete', memory, index)).toMatchObject({ code: 0, out: `${memory} ${index} deleted\n` })
    expect(await run(port(), 'list')).toMatchObject({ code: 0, out: '0 messages\n' })
  })

  test('incoming text cannot control the terminal or imitate output lines', async () => {
    const watching = start(port())
    await watching.says('state: ready')
    const text = 'bell\u001b[2J\u009b\u202egnp\r\nSM 9, from +447700900001'
    await emulator.instruct('send-text', { from: 'Eve\r\nSM 8', to: 'modem0', text })
    await watching.says('    SM 9, from +447700900001')
    watching.child.kill('SIGINT')
    const listed = await run(port(), 'list')
    for (const out of [(await watching.ended).out, listed.out]) {
      expect(out).toContain('from Eve\\x0d\\x0aSM 8, ')
      expect(out).toContain('    bell\\x1b[2J\\x9b\\u202egnp\n    SM 9, from +447700900001\n')
      expect(out).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}|^SM [89]/mu)
    }
    expect(await run(port(), 'delete', 'all')).toMatchObject({ code: 0 })
    await emulator.instruct('set-ussd-menu', { code: '*105#', menu: { text: 'Hi\n\u001b[31mred' } })
    expect(await run(port(), 'ussd', '*105#')).toMatchObject({ code: 0, out: 'Hi\n\\x1b[31mred\n' })
  })

  test('watches until Ctrl-C and then frees the port', async () => {
    const watching = start(port())
    await watching.says('state: ready')
    watching.child.kill('SIGINT')
    expect(await watching.ended).toMatchObject({ code: 0 })
    expect(await run(port(), 'ussd', '*100#')).toMatchObject({ code: 0, out: expect.stringContaining('balance') })
  })
})

describe('errors are one line', () => {
  test('shows one line for a missing port', async () => {
    expect(await run('/dev/ttyUSB97')).toEqual({
      code: 1,
      out: '',
      errors:
        'opening /dev/ttyUSB97 …\n' +
        'modem: /dev/ttyUSB97: no such device: check that the modem is plugged in, and check its port\n',
    })
  })

  test('shows one line for an unknown command', async () => {
    expect(await run('/dev/ttyUSB97', 'frobnicate')).toEqual({
      code: 2,
      out: '',
      errors:
        'modem: unknown command "frobnicate"; use watch, identify, send, receive, list, delete, ussd, record, --help\n',
    })
  })

  test('shows one line for a refused message and for a message whose result is unknown', async () => {
    await emulator.instruct('set-fault', { modem: 'modem0', fault: 'submit-error', options: { codes: '21', times: 1 } })
    expect(await run(emulator.tcp, 'send', '+447700900123', 'hello')).toMatchObject({
      code: 1,
      errors: expect.stringContaining('modem: Part 1 was not sent.\n'),
    })
    await emulator.instruct('set-fault', {
      modem: 'modem0',
      fault: 'submit-error',
      options: { codes: '500', times: 1 },
    })
    expect(await run(emulator.tcp, 'send', '+447700900123', 'hello')).toMatchObject({
      code: 3,
      errors: expect.stringContaining('modem: Part 1 may or may not have been sent.\n'),
    })
  })
})

test('prints a trace on standard error, masked unless --unmasked is given', async () => {
  const masked = await run(emulator.tcp, 'send', '+447700900123', 'secret words', '--trace')
  expect(masked.errors).toMatch(/^ +\d+\.\d{3} > AT\+CMGS=\d+\\r$/m)
  expect(masked.errors).toMatch(/^ +\d+\.\d{3} < \\r\\n> ?$/m)
  // Matches the service centre, the PDU and the identity of the SIM.
  expect(masked.errors).not.toMatch(/447700900|4477009|[0-9A-F]{20}/)
  const unmasked = await run(emulator.tcp, 'send', '+447700900123', 'secret words', '--unmasked')
  expect(unmasked.errors).toMatch(/[0-9A-F]{20}\\x1a/)
})

describe('a modem that departs from the standard, on a pseudo-terminal', () => {
  test('a modem that departs from the standard works with warnings: IMEI of ten digits, no +CMEE, ERROR to a bare AT', async () => {
    const set = (fault: string, options: object) => emulator.instruct('set-fault', { modem: 'modem0', fault, options })
    await set('imei-answer', { line: '1234567890' })
    await set('command-refused', { command: '+CMEE' })
    await set('at-refused', {})
    const { code, out } = await run(emulator.pty, 'identify')
    await emulator.instruct('clear-fault', { modem: 'modem0' })
    expect(out).toMatch(/^Serial number +1234567890$/m)
    expect(out.match(/^Warning /gm)).toHaveLength(3)
    expect(code).toBe(0)
  })

  // The tool waits 15 s for an answer on this port, so the test runs the commands at the same time.
  test.concurrent.each(['watch', 'receive', 'identify'])(
    'a port that answers OK to everything ends %s with an error that describes the solution',
    async (command) => {
      const own = await EmulatorProcess.start()
      try {
        await own.instruct('set-fault', { modem: 'modem0', fault: 'ok-to-everything', options: {} })
        const { code, errors } = await run(own.pty, command)
        expect(errors).toMatch(/^modem: This port answers OK to everything.*Use another port of the same device\.$/m)
        expect(code).toBe(1)
      } finally {
        await own.stop()
      }
    },
  )
})
