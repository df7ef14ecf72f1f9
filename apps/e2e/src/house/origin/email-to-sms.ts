// Makes the requests of the published bridge from e-mail to SMS after its SMTP server has read a mail.
import { OriginApiError, OriginClient, type OriginLogin } from './origin-client.ts'

export interface OriginMail {
  /** The part of the recipient before the `@`. */
  readonly phone: string
  readonly body: string
  /** The credentials of SMTP AUTH, which the bridge passes on. */
  readonly login: OriginLogin
}

/** Sends a mail and returns the code that the bridge answers over SMTP. */
export async function deliverMail(
  url: string,
  { phone, body, login }: OriginMail,
  { skipsPhoneValidation = false } = {},
): Promise<number> {
  const text = body.trim()
  if (text === '') return 550
  try {
    await OriginClient.withPassword(url, login).send(
      { phoneNumbers: [phone], textMessage: { text } },
      skipsPhoneValidation ? { skipPhoneValidation: true } : {},
    )
    return 250
  } catch (error) {
    if (!(error instanceof OriginApiError) || error.status >= 500) return 550
    return [401, 403].includes(error.status) ? 535 : 450
  }
}
