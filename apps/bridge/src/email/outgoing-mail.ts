import type { Log } from '@smsgw/daemon/log/log'
import { createTransport, type SendMailOptions } from 'nodemailer'

const CONNECT_MS = 10_000
const SOCKET_MS = 30_000

export interface OutgoingMail {
  /** Identifies the mail for its receiver, even if it is sent again after a crash. */
  readonly id: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly replyTo?: string | undefined
  readonly inReplyTo?: string | undefined
  /** A report has no sender, so that no program answers it (RFC 5321 §4.5.5). */
  readonly isReport?: boolean | undefined
}

export interface MailSenderOptions {
  readonly url: string
  readonly from: string
  readonly log: Log
  /** Called after each attempt. `problem` is undefined if the server answered. */
  readonly onProblem: (problem: string | undefined) => void
}

/** Passes mail to one SMTP server, which delivers the mail. */
export class MailSender {
  readonly #transport: ReturnType<typeof createTransport>
  readonly #from: string
  readonly #domain: string
  readonly #log: Log
  readonly #onProblem: MailSenderOptions['onProblem']

  constructor({ url, from, log, onProblem }: MailSenderOptions) {
    this.#log = log
    this.#onProblem = onProblem
    this.#transport = transportTo(url)
    this.#from = from
    this.#domain = from.slice(from.lastIndexOf('@') + 1)
  }

  /**
   * Resolves when the server has accepted the mail. A mail that the server refuses permanently is logged and dropped.
   */
  async send(mail: OutgoingMail): Promise<void> {
    try {
      await this.#transport.sendMail(this.#optionsOf(mail))
      this.#onProblem(undefined)
    } catch (error) {
      this.#onProblem(isFinal(error) ? undefined : `mail server unavailable: ${(error as Error).message}`)
      if (!isFinal(error)) throw error
      this.#log.error({ mail: mail.id, reason: (error as Error).message }, 'mail dropped: the mail server refused it')
    }
  }

  close(): void {
    this.#transport.close()
  }

  #optionsOf({ id, to, subject, text, replyTo, inReplyTo, isReport = false }: OutgoingMail): SendMailOptions {
    return {
      messageId: `<${id}@${this.#domain}>`,
      from: { name: 'SMS gateway', address: this.#from },
      envelope: { from: isReport ? '' : this.#from, to: [...to] },
      to: [...to],
      subject,
      text,
      ...(replyTo !== undefined && { replyTo }),
      ...(inReplyTo !== undefined && { inReplyTo, references: inReplyTo }),
      headers: { 'Auto-Submitted': 'auto-generated' },
      // Prevents access to files and URLs, because the texts are written by strangers.
      disableFileAccess: true,
      disableUrlAccess: true,
    }
  }
}

/** Connects and logs in, without sending a mail. */
export async function checkMailServer(url: string): Promise<void> {
  const transport = transportTo(url)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

function transportTo(url: string) {
  return createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SOCKET_MS,
  })
}

/**
 * Returns true if the server refuses the recipients or the content. Returns false for a refused login, because it is a
 * fault of the settings.
 */
function isFinal(error: unknown): boolean {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 550
}
