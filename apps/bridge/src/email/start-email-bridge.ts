import { randomBytes } from 'node:crypto'
import type { InboxItem, MessageState } from '@smsgw/client/openapi'
import { listenProblem } from '@smsgw/daemon/listen-problem'
import { StartError } from '@smsgw/daemon/start-error'
import type { EmailConfig } from '../config.ts'
import { AccountFollower } from '../follow/account-follower.ts'
import { readPem } from '../read-pem.ts'
import { Channel, type ChannelOptions, type ConnectOption, type RunningChannel } from '../state/channel.ts'
import { MailSender } from './outgoing-mail.ts'
import { replyAddress } from './reply-address.ts'
import { type ReceivedMail, SmtpReceiver } from './smtp-receiver.ts'

/** The limits for a request. They are short, so that a mail program gets an answer before its user gives up. */
const QUICK = { maxRetries: 1, timeoutMs: 20_000 }

export interface EmailBridgeOptions extends ChannelOptions<EmailConfig>, ConnectOption {}

export interface EmailBridge extends RunningChannel {
  /** The port of the SMTP server; undefined if the server is disabled. */
  readonly port: number | undefined
}

/** The data that a failure report needs about a mail that was sent as SMS. */
interface SentMail {
  readonly sender: string
  readonly subject: string | null
  readonly mailId: string | null
}

/**
 * Connects the account to e-mail: received mail is sent as SMS, and received messages and failures are sent as mail.
 */
export async function startEmailBridge(options: EmailBridgeOptions): Promise<EmailBridge> {
  const { config, database, log } = options
  const parts: Readonly<Record<string, string>> = config.MAIL_URL === undefined ? {} : { api: 'connecting to the API' }
  const channel = new Channel('email', database, log, parts)
  // The secret that signs the addresses for answers.
  const replySecret = channel.notes.readOrCreate('email.reply-secret', () => randomBytes(32).toString('base64'))
  const sender = createSender(config, channel)
  const follower = sender && createFollower(options, channel, sender, replySecret)
  const onAccepted = (mail: ReceivedMail) => {
    if (sender !== undefined && wantsReport(mail, config.SMTP_DOMAIN)) {
      channel.sent.add(mail.messageId, JSON.stringify(sentMail(mail)), options.now())
      follower?.reportSoon(mail.messageId)
    }
  }
  const receiver = createReceiver(options, replySecret, onAccepted)
  const port = receiver && (await listen(receiver, options))
  const running = follower?.run()

  return {
    port,
    report: () => channel.state.report(),
    async stop() {
      channel.stop()
      await receiver?.close()
      sender?.close()
      await running
    },
  }
}

function createSender(config: EmailConfig, { log, state }: Channel): MailSender | undefined {
  if (config.MAIL_URL === undefined) return undefined
  return new MailSender({
    url: config.MAIL_URL,
    from: mailFrom(config),
    log,
    onProblem: (problem) => state.set('mail server', problem),
  })
}

function createReceiver(
  { config, connect, log }: EmailBridgeOptions,
  replySecret: string,
  onAccepted: (received: ReceivedMail) => void,
): SmtpReceiver | undefined {
  if (config.SMTP_PORT === undefined) return undefined
  return new SmtpReceiver({
    server: {
      host: config.SMTP_HOST,
      port: config.SMTP_PORT,
      domain: config.SMTP_DOMAIN,
      tls: certificateOf(config),
      trusted: config.SMTP_ALLOW_CIDRS,
    },
    text: { longest: config.SMTP_MAX_CHARACTERS, hasSubject: config.SMTP_SUBJECT },
    replySecret,
    api: connect(QUICK),
    // Uses the key of the client instead of the credentials of the bridge.
    apiWith: (apiKey) => connect({ ...QUICK, credentials: { apiKey } }),
    log,
    now: Date.now,
    onAccepted,
  })
}

async function listen(receiver: SmtpReceiver, { config, log }: EmailBridgeOptions): Promise<number> {
  const { SMTP_HOST: host, SMTP_PORT = 0, SMTP_DOMAIN: domain } = config
  const port = await receiver.listen().catch((error: Error) => {
    const settings = { host: 'SMTP_HOST', port: 'SMTP_PORT' }
    throw new StartError(listenProblem(error, { host, port: SMTP_PORT }, settings), { cause: error })
  })
  log.info({ host, port, domain }, 'SMTP server listening')
  return port
}

/** Returns false for an empty sender, for an automatic sender, and for this server, which get no reports. */
function wantsReport({ sender, mail }: ReceivedMail, domain: string): boolean {
  return sender !== '' && !mail.isAutomatic && !sender.toLowerCase().endsWith(`@${domain.toLowerCase()}`)
}

function sentMail({ sender, mail }: ReceivedMail): SentMail {
  return { sender, subject: mail.subject ?? null, mailId: mail.messageId ?? null }
}

/** Sends received messages and failures as mail. */
function createFollower(
  { config, connect }: EmailBridgeOptions,
  channel: Channel,
  mails: MailSender,
  replySecret: string,
): AccountFollower {
  return new AccountFollower({
    channel,
    api: connect({}),
    async onReceived(item: InboxItem) {
      if (config.MAIL_TO.length === 0) return
      const takesReply = config.SMTP_PORT !== undefined && /^\+?\d{3,20}$/.test(item.sender)
      await mails.send({
        id: `sms-${item.id}`,
        to: config.MAIL_TO,
        subject: `SMS from ${item.sender}`,
        text: receivedText(item),
        ...(takesReply && { replyTo: replyAddress(item.sender, config.SMTP_DOMAIN, replySecret, Date.now()) }),
      })
    },
    async onState(message: MessageState, detail: string) {
      if (message.state !== 'Failed') return
      const { sender: to, subject, mailId } = JSON.parse(detail) as SentMail
      await mails.send({
        id: `failed-${message.id}`,
        to: [to],
        subject: `SMS not delivered: ${subject ?? ''}`.trim(),
        text: failureText(message),
        inReplyTo: mailId ?? undefined,
        isReport: true,
      })
    },
  })
}

function receivedText({ text, contentPreview, sender, recipient, createdAt }: InboxItem): string {
  const to = recipient === undefined ? '' : ` to ${recipient}`
  return `${text ?? contentPreview}\n\n-- \nFrom ${sender}${to}, ${createdAt}\n`
}

function failureText({ id, recipients }: MessageState): string {
  const failed = recipients.filter(({ state }) => state === 'Failed')
  const lines = failed.map(({ phoneNumber, error }) => `${phoneNumber}: ${error ?? 'failed'}`)
  return `The text message to these numbers was not delivered:\n\n${lines.join('\n')}\n\nMessage ${id}\n`
}

function mailFrom({ MAIL_FROM, SMTP_DOMAIN }: EmailConfig): string {
  return MAIL_FROM ?? `noreply@${SMTP_DOMAIN}`
}

function certificateOf({ SMTP_TLS_CERT: cert, SMTP_TLS_KEY: key }: EmailConfig) {
  if (cert === undefined || key === undefined) return undefined
  return { cert: readPem('SMTP_TLS_CERT', cert), key: readPem('SMTP_TLS_KEY', key) }
}
