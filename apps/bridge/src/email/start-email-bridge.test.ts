import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect as connectSocket, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { AuthenticationError } from '@smsgw/client/errors'
import { openLog } from '@smsgw/daemon/log/log'
import { createTransport, type SendMailOptions } from 'nodemailer'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { emailSettings } from '../config.ts'
import { Notes, openState } from '../state/bridge-state.ts'
import { steadyNow } from '../state/steady-clock.ts'
import { ScriptedAccount } from '../testing/account.ts'
import { startEmailBridge } from './start-email-bridge.ts'

const NUMBER = '+447400123456'
const DOMAIN = 'sms.example.org'
const KEY = 'smsgw_live_key'

const has = (program: string) => spawnSync(program, ['--version']).error === undefined

interface Delivered {
  readonly from: string
  readonly to: readonly string[]
  readonly mail: Email
}

let mailServer: SMTPServer
let mailUrl: string
let delivered: Delivered[]
let refuseMail: number | undefined
/** The number of refused mails. */
let refusals: number
let account: ScriptedAccount
let folder: string

beforeAll(async () => {
  mailServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      void text(stream).then(async (raw) => {
        if (refuseMail !== undefined) {
          refusals += 1
          done(Object.assign(new Error('refused'), { responseCode: refuseMail }))
          return
        }
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        delivered.push({ from, to: envelope.rcptTo.map(({ address }) => address), mail: await PostalMime.parse(raw) })
        done()
      })
    },
  })
  const server = mailServer.listen(0, '127.0.0.1')
  await once(server, 'listening')
  mailUrl = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise<void>((resolve) => mailServer.close(() => resolve())))
beforeEach(() => {
  delivered = []
  refuseMail = undefined
  refusals = 0
  account = new ScriptedAccount()
  folder = mkdtempSync(join(tmpdir(), 'smsgw-email-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function start(settings: Readonly<Record<string, string>> = {}) {
  const database = openState(folder)
  const bridge = await startEmailBridge({
    config: emailSettings.parse({ SMTP_PORT: '0', SMTP_DOMAIN: DOMAIN, MAIL_URL: mailUrl, ...settings }),
    connect: ({ credentials }) => {
      if (credentials === undefined || ('apiKey' in credentials && credentials.apiKey === KEY)) return account.client()
      return {
        messages: { send: () => Promise.reject(new AuthenticationError({ status: 401, message: 'wrong key' })) },
      } as unknown as ReturnType<ScriptedAccount['client']>
    },
    database,
    now: steadyNow,
    log: openLog('fatal', process.stdout),
  })
  const port = bridge.port ?? 0
  // After this step, the bridge forwards received messages.
  await expect.poll(() => new Notes(database).read('email.followed-until')).toBeDefined()
  return {
    port,
    /** Sends a mail as a mail program does. Returns the answer of the server. */
    async mail(mail: SendMailOptions, pass: string | null = KEY): Promise<string> {
      const auth = pass === null ? {} : { auth: { user: 'anna', pass } }
      const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, ...auth })
      try {
        const { response } = await transport.sendMail({
          from: 'anna@example.org',
          to: `${NUMBER}@${DOMAIN}`,
          ...mail,
        })
        return response
      } catch (error) {
        return (error as { response?: string }).response ?? (error as Error).message
      } finally {
        transport.close()
      }
    },
    async stop() {
      await bridge.stop()
      database.close()
    },
  }
}

test('a mail becomes one message to all its numbers, with the subject first', async () => {
  const { mail, stop } = await start()
  const to = [`${NUMBER}@${DOMAIN}`, `+447400123457@${DOMAIN}`]
  expect(await mail({ to, subject: 'Disk full', text: 'on host one' })).toContain('250 2.6.0 accepted as out-1')
  expect(account.sent).toMatchObject([{ to: [NUMBER, '+447400123457'], text: 'Disk full\non host one' }])
  await stop()
})

test('a mail to a short code and another number is sent', async () => {
  const { mail, stop } = await start()
  expect(await mail({ to: [`72727@${DOMAIN}`, `${NUMBER}@${DOMAIN}`], text: 'STATUS' })).toContain('250')
  expect(account.sent).toMatchObject([{ to: [NUMBER, '72727'], text: 'STATUS' }])
  expect(await mail({ to: `1069012345678901@${DOMAIN}`, text: 'STATUS' })).toMatch(/^5\d\d /)
  await stop()
})

test('a repeated mail is sent once, another mail with the same text is sent', async () => {
  const { mail, stop } = await start()
  const first = { messageId: '<1@example.org>', date: new Date(0), text: 'Hello' }
  expect(await mail(first)).toContain('out-1')
  expect(await mail(first)).toContain('out-1')
  expect(await mail({ ...first, messageId: '<2@example.org>' })).toContain('out-2')
  expect(account.sent).toHaveLength(2)
  await stop()
})

test('sends the same alarm each time for a device that gives its mails neither an id nor a date', async () => {
  const { port, stop } = await start({ SMTP_ALLOW_CIDRS: '127.0.0.0/8' })
  const commands = [
    ...['EHLO ups', 'MAIL FROM:<ups@example.org>', `RCPT TO:<${NUMBER}@${DOMAIN}>`, 'DATA'],
    ...['Subject: Power failure\r\n\r\non battery\r\n.', 'QUIT'],
  ]
  for (const times of [1, 2]) {
    const socket = connectSocket(port, '127.0.0.1')
    const answers = text(socket)
    for (const command of commands) {
      await once(socket, 'data')
      socket.write(`${command}\r\n`)
    }
    expect(await answers).toContain(`accepted as out-${times}`)
  }
  await stop()
})

test('reports why a mail is refused, so that the mail server returns it to its sender', async () => {
  const { mail, stop } = await start({ SMTP_MAX_CHARACTERS: '10' })
  expect(await mail({ text: 'x' }, null)).toMatch(/^530 .*authentication required/)
  expect(await mail({ text: 'x' }, 'wrong')).toMatch(/^535 .*API key is wrong/)
  expect(await mail({ text: 'x', to: 'anna@example.org' })).toMatch(
    /^550 .*accepts mail for <number>@sms.example.org only/,
  )
  expect(await mail({ text: 'x', to: `anna@${DOMAIN}` })).toMatch(/^550 .*must be a phone number/)
  expect(await mail({ text: '12345678901' })).toMatch(/^552 .*11 characters, more than the maximum of 10/)
  expect(await mail({ text: '' })).toMatch(/^554 .*no text/)
  expect(await mail({ text: 'x', to: `07400123456@${DOMAIN}` })).toMatch(/^554 .*not a valid phone number/)
  expect(await mail({ text: 'x', attachments: [{ content: Buffer.alloc(2_000_000) }] })).toMatch(/^552 /)
  expect(account.sent).toEqual([])
  await stop()
})

test('a mail server keeps the mail while the API is unreachable', async () => {
  const { mail, stop } = await start({ SMTP_ALLOW_CIDRS: '127.0.0.0/8' })
  account.isDown = true
  expect(await mail({ text: 'Hello' }, null)).toMatch(/^451 .*try again later/)
  expect(await mail({ text: 'Hello' })).toMatch(/^454 .*try again later/)
  account.isDown = false
  expect(await mail({ text: 'Hello' }, null)).toMatch(/^250 /)
  await stop()
})

test('mails a received message, and sends the answer as SMS without a password', async () => {
  const { mail, stop } = await start({ MAIL_TO: 'office@example.org', MAIL_FROM: 'sms@example.org' })
  account.receive('Are you open?')
  await expect.poll(() => delivered).toHaveLength(1)
  const [received] = delivered
  expect(received).toMatchObject({ from: 'sms@example.org', to: ['office@example.org'] })
  expect(received?.mail).toMatchObject({ subject: `SMS from ${NUMBER}`, messageId: '<sms-in-1@example.org>' })
  expect(received?.mail.text).toContain('Are you open?')
  const to = received?.mail.replyTo?.[0]?.address ?? ''
  const answer = {
    to,
    subject: `Re: SMS from ${NUMBER}`,
    text: 'Until six.\n\nOn Monday SMS gateway wrote:\n> Are you open?',
  }
  expect(await mail({ ...answer, headers: { 'Auto-Submitted': 'auto-replied' } }, null)).toMatch(/^550 .*automatic/)
  expect(await mail({ ...answer, envelope: { from: '', to } }, null)).toMatch(/^550 .*automatic/)
  expect(await mail(answer, null)).toMatch(/^250 /)
  expect(account.sent).toMatchObject([{ to: [NUMBER], text: 'Until six.' }])
  await stop()
})

test.each([
  ['without a country code', '1069012345678901'],
  ['that numbering plans do not contain', '+19995550123'],
])('an answer goes to a number %s, as the network reported it', async (_, sender) => {
  const { mail, stop } = await start({ MAIL_TO: 'office@example.org' })
  account.receive('Reply TD to unsubscribe', { sender })
  await expect.poll(() => delivered).toHaveLength(1)
  const to = delivered[0]?.mail.replyTo?.[0]?.address ?? ''
  expect(await mail({ to, text: 'TD' }, null)).toMatch(/^250 /)
  expect(account.sent).toMatchObject([{ to: [sender], text: 'TD' }])
  expect(await mail({ to: `${sender}@${DOMAIN}`, text: 'TD' })).toMatch(/^554 /)
  await stop()
})

test('reports a failed message to the sender of the mail, but not to an empty sender, an automatic sender or this server', async () => {
  const { mail, stop } = await start()
  await mail({ subject: 'Alarm', text: 'one', messageId: '<alarm@example.org>' })
  await mail({ text: 'two', envelope: { from: '', to: `${NUMBER}@${DOMAIN}` } })
  await mail({ text: 'three', headers: { 'Auto-Submitted': 'auto-generated' } })
  await mail({ text: 'four', from: `${NUMBER}@${DOMAIN}` })
  expect(account.sent).toHaveLength(4)
  for (const id of ['out-4', 'out-3', 'out-2', 'out-1']) account.setState(id, 'Failed')
  await expect.poll(() => delivered).toHaveLength(1)
  await sleep(300)
  expect(delivered).toMatchObject([
    {
      from: '',
      to: ['anna@example.org'],
      mail: { subject: 'SMS not delivered: Alarm', inReplyTo: '<alarm@example.org>' },
    },
  ])
  expect(delivered[0]?.mail.text).toContain(NUMBER)
  await stop()
})

test('sends at most 30 messages an hour for an answer address, even simultaneously; answers that were not sent do not count', async () => {
  const { mail, stop } = await start({ MAIL_TO: 'office@example.org' })
  account.receive('Hello')
  await expect.poll(() => delivered).toHaveLength(1)
  const to = delivered[0]?.mail.replyTo?.[0]?.address ?? ''
  const answer = (text: string) => mail({ to, text }, null)
  account.isDown = true
  expect(await answer('not sent')).toMatch(/^451 /)
  account.isDown = false
  const answers = await Promise.all(Array.from({ length: 32 }, (_, at) => answer(`answer ${at}`)))
  expect(answers.filter((line) => line.startsWith('250 '))).toHaveLength(30)
  expect(answers.filter((line) => line.startsWith('450 '))).toHaveLength(2)
  expect(account.sent).toHaveLength(30)
  expect(await mail({ text: 'with a key' })).toMatch(/^250 /)
  await stop()
})

test('keeps mail while the mail server is busy, and a permanently refused mail does not stop the next mail', async () => {
  const { stop } = await start({ MAIL_TO: 'office@example.org' })
  refuseMail = 451
  account.receive('one')
  await expect.poll(() => refusals).toBeGreaterThan(0)
  expect(delivered).toEqual([])
  refuseMail = undefined
  await expect.poll(() => delivered).toHaveLength(1)
  refuseMail = 554
  const before = refusals
  account.receive('two')
  await expect.poll(() => refusals).toBeGreaterThan(before)
  refuseMail = undefined
  account.receive('three')
  await expect.poll(() => delivered.map(({ mail }) => mail.text?.split('\n')[0])).toEqual(['one', 'three'])
  await stop()
})

test.skipIf(!has('openssl'))('with a certificate, a password is accepted after STARTTLS only', async () => {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', `/CN=${DOMAIN}`, '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  spawnSync('openssl', ['req', '-x509', '-nodes', '-days', '1', ...subject, '-keyout', key, '-out', cert])
  const { port, mail, stop } = await start({ SMTP_TLS_CERT: cert, SMTP_TLS_KEY: key })
  expect(await mail({ text: 'Hello' })).toMatch(/^538 /)
  const transport = createTransport({
    host: '127.0.0.1',
    port,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    auth: { user: 'anna', pass: KEY },
  })
  await transport.sendMail({ from: 'anna@example.org', to: `${NUMBER}@${DOMAIN}`, text: 'Hello' })
  expect(account.sent).toHaveLength(1)
  await stop()
})

test('slow, silent or faulty clients on a thousand connections do not stop other mail', async () => {
  const { port, mail, stop } = await start()
  const before = process.memoryUsage().rss
  const sockets: Socket[] = []
  const open = async () => {
    const socket = connectSocket(port, '127.0.0.1')
    socket.on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect').catch(() => undefined)
    return socket
  }
  for (let count = 0; count < 1_000; count += 50) await Promise.all(Array.from({ length: 50 }, open))
  for (const socket of sockets) socket.write(`DATA\r\nRCPT TO:<>\r\n${'x'.repeat(20_000)}\r\n\0\r\n`)
  await sleep(500)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => mail({ text: 'Hello' })).toMatch(/^250 /)
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
  await stop()
})

test.skipIf(!has('swaks'))('swaks sends a mail', async () => {
  const { port, stop } = await start({ SMTP_ALLOW_CIDRS: '127.0.0.1' })
  const { promise, resolve } = Promise.withResolvers<number | null>()
  const args = ['--server', '127.0.0.1', '--port', String(port), '--from', 'cron@example.org']
  const swaks = spawn('swaks', [...args, '--header', 'Subject: Backup', '--body', 'failed'])
  swaks.on('close', resolve)
  // Writes addresses to standard input, because an address that begins with + would be an option on the command line.
  swaks.stdin.end(`${NUMBER}@${DOMAIN}\n`)
  expect(await promise).toBe(0)
  expect(account.sent).toMatchObject([{ to: [NUMBER], text: 'Backup\nfailed' }])
  await stop()
})

test.skipIf(!has('msmtp'))('msmtp sends a mail with an API key as password', async () => {
  const { port, stop } = await start()
  const { promise, resolve } = Promise.withResolvers<number | null>()
  const login = ['--auth=plain', '--user=anna', `--passwordeval=echo ${KEY}`, '--tls=off']
  const msmtp = spawn('msmtp', [
    ...['--host=127.0.0.1', `--port=${port}`, '--from=anna@example.org', ...login],
    `${NUMBER}@${DOMAIN}`,
  ])
  msmtp.on('close', resolve)
  msmtp.stdin.end('Subject: Backup\n\nfinished\n')
  expect(await promise).toBe(0)
  expect(account.sent).toMatchObject([{ to: [NUMBER], text: 'Backup\nfinished' }])
  await stop()
})
