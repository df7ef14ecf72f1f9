import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, type BlockList, isIPv4 } from 'node:net'
import type { SmsGateway } from '@smsgw/client'
import { ApiError, AuthenticationError, RateLimitError, SmsGatewayError, UnavailableError } from '@smsgw/client/errors'
import type { SendOptions } from '@smsgw/client/messages'
import type { Log } from '@smsgw/daemon/log/log'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { steadyNow } from '../state/steady-clock.ts'
import { type MailRecipient, recipientOf } from './reply-address.ts'
import { type MailContent, readMail, smsText } from './sms-text.ts'

/** The largest size of a mail. Together with MOST_CLIENTS, it limits the memory for simultaneous mail. */
const LARGEST_MAIL = 1_048_576
const MOST_CLIENTS = 50
const MOST_RECIPIENTS = 100
const MOST_COMMANDS = 2_000
const IDLE_MS = 60_000

export interface ReceivedMail {
  readonly messageId: string
  readonly sender: string
  readonly numbers: readonly string[]
  readonly mail: MailContent
}

/** The address of the server, and which clients it trusts. */
interface SmtpServerOptions {
  readonly host: string
  readonly port: number
  readonly domain: string
  /** The certificate and the key for STARTTLS, in PEM form. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** Networks whose clients need no password. */
  readonly trusted: BlockList | undefined
}

export interface SmtpReceiverOptions {
  readonly server: SmtpServerOptions
  readonly text: { readonly longest: number; readonly hasSubject: boolean }
  readonly replySecret: string
  /** The account of the bridge, for trusted networks and for answers. */
  readonly api: SmsGateway
  /** The API with the API key of a client. */
  readonly apiWith: (apiKey: string) => SmsGateway
  readonly log: Log
  readonly now: () => number
  /** Called after the API has accepted the message, and before the client receives its answer. */
  readonly onAccepted: (received: ReceivedMail) => void
}

/**
 * Receives mail for `<number>@<domain>` and sends it as SMS. The client gets a confirmation after the API has accepted
 * the message.
 */
export class SmtpReceiver {
  readonly #options: SmtpReceiverOptions
  readonly #server: SMTPServer
  readonly #replyLimit: ReplyLimit

  constructor(options: SmtpReceiverOptions) {
    this.#options = options
    this.#replyLimit = new ReplyLimit(steadyNow)
    const { log } = options
    const { tls, domain } = options.server
    this.#server = new SMTPServer({
      name: domain,
      banner: 'SMS gateway',
      size: LARGEST_MAIL,
      maxClients: MOST_CLIENTS,
      maxRecipients: MOST_RECIPIENTS,
      socketTimeout: IDLE_MS,
      // The limit of mails per connection, which also applies to clients in trusted networks. Such clients send many
      // mails over one connection.
      maxAllowedUnauthenticatedCommands: MOST_COMMANDS,
      closeTimeout: 2_000,
      disableReverseLookup: true,
      hideENHANCEDSTATUSCODES: false,
      authMethods: ['PLAIN', 'LOGIN'],
      authOptional: true,
      // Clients on loopback need no encryption. Without a certificate, onConnect switches AUTH off for all other
      // clients.
      allowInsecureAuth: tls === undefined,
      ...(tls ?? {}),
      logger: false,
      onConnect: (session, done) => {
        if (tls === undefined) session.disabledCommands = isLoopback(session) ? ['STARTTLS'] : ['STARTTLS', 'AUTH']
        done()
      },
      onAuth: ({ password }, _, done) => {
        this.#authenticate(password ?? '').then(
          (api) => done(null, { user: api }),
          (error: Error) => done(error),
        )
      },
      onRcptTo: ({ address }, session, done) => done(this.#recipientProblem(address, session)),
      onData: (stream, session, done) => {
        this.#receive(stream, session).then(
          (answer) => done(null, answer),
          (error: Error) => {
            if (!('responseCode' in error)) log.error({ err: error }, 'mail not processed')
            done('responseCode' in error ? error : refusal(451, 'internal error, try again later'))
          },
        )
      },
    })
    // Ignores connection errors, because clients cause them.
    this.#server.on('error', (error) => log.debug({ reason: error.message }, 'SMTP connection failed'))
  }

  /** Returns the port. */
  async listen(): Promise<number> {
    const { host, port } = this.#options.server
    const server = this.#server.listen(port, host)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  /**
   * The password must be an API key that may send. Checks the key with a message without recipients, which the API
   * refuses only after it has checked the key.
   */
  async #authenticate(apiKey: string): Promise<SmsGateway> {
    if (!/^[\x21-\x7e]{1,200}$/.test(apiKey)) throw refusal(535, 'the password must be an API key')
    const api = this.#options.apiWith(apiKey)
    const error = await api.messages.send({ phoneNumbers: [] }).catch((reason: unknown) => reason)
    if (error instanceof ApiError && error.status === 400) return api
    if (error instanceof AuthenticationError) throw refusal(535, 'the API key is wrong, expired or revoked')
    if (error instanceof ApiError && error.status === 403)
      throw refusal(535, 'the API key lacks the scope messages:send')
    throw refusal(454, 'the gateway is unavailable, try again later')
  }

  #recipientProblem(address: string, session: SMTPServerSession): Error | null {
    const recipient = this.#recipientOf(address)
    if ('problem' in recipient) return refusal(550, recipient.problem)
    const isFromNobody = session.envelope.mailFrom === false || session.envelope.mailFrom.address === ''
    if (recipient.isReply) return isFromNobody ? refusal(550, 'automatic mail is not sent as SMS') : null
    if (session.user !== undefined || this.#isTrusted(session)) return null
    return refusal(530, 'authentication required: use an API key as password')
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const { onAccepted, text: limits, log } = this.#options
    const raw = await contentOf(stream)
    if (raw === undefined) throw refusal(552, `the mail is larger than ${LARGEST_MAIL} bytes`)
    const mail = await readMail(raw).catch((error: Error) => {
      throw refusal(554, `the mail cannot be read: ${error.message}`)
    })
    const recipients = session.envelope.rcptTo.map(({ address }) => this.#recipientOf(address))
    const isReply = recipients.some((recipient) => 'isReply' in recipient && recipient.isReply)
    if (isReply && mail.isAutomatic) throw refusal(550, 'automatic mail is not sent as SMS')
    const text = smsText(mail, limits.hasSubject && !isReply)
    if (text === '') throw refusal(554, 'the mail has no text')
    const length = [...text].length
    if (length > limits.longest)
      throw refusal(552, `the text has ${length} characters, more than the maximum of ${limits.longest}`)
    const numbers = recipients.flatMap((recipient) => ('number' in recipient ? [recipient.number] : [])).sort()
    const { mailFrom } = session.envelope
    const sender = mailFrom === false ? '' : mailFrom.address
    const replies = recipients.flatMap((each) => ('isReply' in each && each.isReply ? [each.number] : []))
    const options = {
      idempotencyKey: idempotencyKeyOf({ mail, sender, numbers, text }),
      allowShortCodes: true,
      ...(recipients.every(isReplyToNumber) && { skipPhoneValidation: true }),
    }
    const send = () => this.#send({ numbers, text }, options, session)
    const messageId = await this.#withinLimit(replies, send)
    // What the mail says about its sender. Nobody has checked it.
    const { dkim, spf } = mail.claims
    log.info({ message: messageId, client: session.remoteAddress, dkim, spf }, 'mail accepted as SMS')
    onAccepted({ messageId, sender, numbers, mail })
    return `accepted as ${messageId}`
  }

  /** Sends an answer only if none of these numbers has reached its limit of answers per hour. */
  async #withinLimit(replies: readonly string[], send: () => Promise<string>): Promise<string> {
    const taken = replies.filter((number) => this.#replyLimit.take(number))
    try {
      if (taken.length < replies.length)
        throw refusal(450, 'too many answers to this number within an hour, try again later')
      return await send()
    } catch (error) {
      for (const number of taken) this.#replyLimit.giveBack(number)
      throw error
    }
  }

  async #send(
    { numbers, text }: { readonly numbers: readonly string[]; readonly text: string },
    options: SendOptions,
    session: SMTPServerSession,
  ): Promise<string> {
    const api = (session.user as SmsGateway | undefined) ?? this.#options.api
    try {
      return (await api.messages.send({ to: numbers, text }, options)).id
    } catch (error) {
      throw sendProblem(error)
    }
  }

  #recipientOf(address: string): MailRecipient {
    const { server, replySecret, now } = this.#options
    return recipientOf(address, server.domain, replySecret, now())
  }

  #isTrusted({ remoteAddress }: SMTPServerSession): boolean {
    const address = remoteAddress.replace(/^::ffff:/, '')
    return this.#options.server.trusted?.check(address, isIPv4(address) ? 'ipv4' : 'ipv6') ?? false
  }
}

/** True for the answer to a received message, which goes to the number as the network reported it. */
function isReplyToNumber(recipient: MailRecipient): boolean {
  return 'number' in recipient && recipient.isReply
}

/** Returns the mail, or undefined if it is too large. If the mail is too large, the rest of it is read and dropped. */
async function contentOf(stream: SMTPServerDataStream): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) {
    if (stream.sizeExceeded) chunks.length = 0
    else chunks.push(chunk as Buffer)
  }
  return stream.sizeExceeded ? undefined : Buffer.concat(chunks)
}

/**
 * A mail server repeats a mail if the confirmation was lost, so a repeated mail must have the same idempotency key. A
 * mail without id and date comes from a simple device, whose next alarm has the same text. So each mail of this kind
 * has its own key.
 */
function idempotencyKeyOf({
  mail,
  sender,
  numbers,
  text,
}: Omit<ReceivedMail, 'messageId'> & { readonly text: string }): string {
  if (mail.messageId === undefined && mail.date === undefined) return `smtp:${randomUUID()}`
  const facts = [mail.messageId ?? '', mail.date ?? '', sender, numbers, text]
  return `smtp:${createHash('sha256').update(JSON.stringify(facts)).digest('hex')}`
}

/** After an answer 4xx, the mail server tries again. After 5xx, it returns the mail to its sender. */
function sendProblem(error: unknown): Error {
  if (!(error instanceof SmsGatewayError)) return error as Error
  const isLater = !(error instanceof ApiError) || error instanceof UnavailableError || error instanceof RateLimitError
  // Wrong credentials are a fault of the settings, so the mail is not refused permanently.
  if (isLater || error instanceof AuthenticationError)
    return refusal(451, `not sent, try again later: ${error.message}`)
  return refusal(error.status === 403 ? 550 : 554, error.message)
}

function refusal(responseCode: number, message: string): Error {
  // An SMTP answer must be one line.
  return Object.assign(new Error(message.replace(/\s+/g, ' ').slice(0, 400)), { responseCode })
}

function isLoopback({ remoteAddress }: SMTPServerSession): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress)
}

/**
 * The largest number of messages per hour for one reply address. A limit is needed, because mails contain the address
 * and may reach anyone.
 */
const MOST_PER_HOUR = 30
const HOUR_MS = 3_600_000

/** Counts the answers to each number. Only numbers with a signed address are counted, so the list stays short. */
class ReplyLimit {
  readonly #now: () => number
  readonly #answers = new Map<string, number[]>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts an answer before it is sent. Returns false if the limit has been reached. */
  take(number: string): boolean {
    const now = this.#now()
    for (const [each, times] of this.#answers) {
      const recent = times.filter((at) => at > now - HOUR_MS)
      if (recent.length === 0) this.#answers.delete(each)
      else this.#answers.set(each, recent)
    }
    const times = this.#answers.get(number) ?? []
    if (times.length >= MOST_PER_HOUR) return false
    this.#answers.set(number, [...times, now])
    return true
  }

  /** Must be called if the answer was not sent after all. */
  giveBack(number: string): void {
    this.#answers.get(number)?.pop()
  }
}
