// The key of the operator for Firebase Cloud Messaging (FCM): the JSON file of a service account, as Google's console
// creates it. No error message shows its content.

import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parsedJson } from '@smsgw/contract/fields/json'
import { StartError } from '@smsgw/daemon/start-error'
import { z } from 'zod'

export interface FcmCredentials {
  readonly projectId: string
  readonly email: string
  readonly keyId: string | undefined
  readonly privateKey: KeyObject
  /** The URL at which access tokens are requested. */
  readonly tokenUri: string
}

const serviceAccount = z.object({
  type: z.literal('service_account'),
  project_id: z.string().regex(/^[\w.:-]+$/),
  client_email: z.string().min(3),
  private_key_id: z.string().optional(),
  private_key: z.string().min(1),
  token_uri: z.url({ protocol: /^https$/ }),
})

/** Reads and checks the file. */
export function readFcmCredentials(file: string): FcmCredentials {
  const refuse = (problem: string) =>
    new StartError(
      `FCM_CREDENTIALS_FILE (${file}) is not usable: ${problem}. It must be the JSON key of a Google service account`,
    )
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw refuse(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`)
  }
  const parsed = serviceAccount.safeParse(parsedJson(text))
  if (!parsed.success) {
    const member = parsed.error.issues[0]?.path.join('.') ?? ''
    throw refuse(member === '' ? 'it is not a JSON object' : `its "${member}" is missing or invalid`)
  }
  const { project_id: projectId, client_email: email, private_key_id: keyId, token_uri: tokenUri } = parsed.data
  const privateKey = rsaKey(parsed.data.private_key)
  if (privateKey === undefined) throw refuse('its "private_key" is not an RSA key')
  return { projectId, email, keyId, privateKey, tokenUri }
}

function rsaKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === 'rsa' ? key : undefined
  } catch {
    return undefined // the text is not a key
  }
}
