import { expect, test } from 'vitest'
import { openLog } from './log.ts'

function logged(work: (log: ReturnType<typeof openLog>) => void, isTTY = false): string {
  let lines = ''
  work(openLog('debug', { write: (line: string) => (lines += line), isTTY }))
  return lines
}

test('a line is JSON with time, level and message', () => {
  const line = JSON.parse(logged((log) => log.info({ deviceId: 'd1' }, 'a device came')))
  expect(line).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    deviceId: 'd1',
    msg: 'a device came',
  })
})

test('hides secrets and message texts at every depth', () => {
  const secret = { password: 'hunter2', token: 'hunter2', authorization: 'hunter2', text: 'hunter2' }
  const lines = logged((log) => log.info({ ...secret, request: { ...secret, headers: secret } }, 'x'))
  expect(lines).not.toContain('hunter2')
  expect(lines).toContain('[hidden]')
})

test('masks phone numbers in messages and members, except their last three digits', () => {
  const lines = logged((log) => log.info({ to: '+447700900123', list: ['+4915112345678'] }, 'sent to +12025550123'))
  expect(lines).not.toMatch(/77009|15112|20255/)
  expect(lines).toContain('+…123')
  expect(lines).toContain('+…678')
})

test('logs the kind, stack and cause of an error, but no values that the error quotes', () => {
  const cause = Object.assign(new Error('Key (text)=(hunter2) is there'), { code: '23505', severity: 'ERROR' })
  const lines = logged((log) => log.error({ err: new Error('not stored', { cause }) }, 'x'))
  expect(JSON.parse(lines).err).toMatchObject({ fault: 'Error', message: 'not stored', cause: { code: '23505' } })
  expect(lines).toContain('log.test.ts')
  expect(lines).not.toContain('hunter2')
})

test('logs the kind and SQL state of a cause that is a plain object, but no values that the cause quotes', () => {
  const cause = { kind: 'postgres', originalCode: '57P01', originalMessage: 'hunter2', severity: 'FATAL' }
  const lines = logged((log) => log.error({ err: new Error('not stored', { cause }) }, 'x'))
  expect(JSON.parse(lines).err.cause).toEqual({ fault: 'object', kind: 'postgres', sqlState: '57P01' })
})

test('a JSON line contains no raw control or formatting characters, and has the same value', () => {
  const unsafe = 'a\u007fb\u009b2Jc\u202ed\u2028e\u2029f\u2066g\ufeffh\u{e0041}i\njé 👩\u200d💻'
  const line = logged((log) => log.info({ name: unsafe, nested: { [unsafe]: [unsafe] } }, unsafe))
  expect(line).not.toMatch(/(?!\u200c|\u200d|\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(line).toContain('\\u202e')
  expect(line.indexOf('\n')).toBe(line.length - 1)
  expect(JSON.parse(line)).toMatchObject({ msg: unsafe, name: unsafe, nested: { [unsafe]: [unsafe] } })
})

test('a terminal gets a formatted line without control and formatting characters from logged values', () => {
  const line = logged(
    (log) => log.warn({ deviceId: 'd\x1b[2J1\u202e2', err: new Error('boom') }, 'a device came'),
    true,
  )
  expect(line).toContain('\x1b[33mwarn \x1b[0m a device came deviceId=d\\x1b[2J1\\u202e2\n  Error boom\n    at ')
})
