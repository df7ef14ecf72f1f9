// A server with the answers of Google's servers: it issues access tokens and accepts messages.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PushAnswer, type TestPushService, testPushService } from '../../../push/testing/test-push-service.ts'

const PROJECT = 'our-sms'
export const ACCESS_TOKEN = 'ya29.access-token-of-the-test'
export const EMAIL = 'relay@our-sms.iam.gserviceaccount.com'

export interface FcmMessage {
  readonly token: string
  readonly data: { readonly event: string; readonly data: string }
  readonly android: Readonly<Record<string, string>>
}

export interface TestFcm {
  readonly origin: string
  readonly service: TestPushService
  /** The credentials of the operator. */
  readonly file: string
  readonly publicKey: KeyObject
  /** The bodies of the requests for access tokens. */
  readonly tokenRequests: readonly URLSearchParams[]
  readonly messages: readonly FcmMessage[]
  /** The answer to messages. */
  answer: PushAnswer
  /** How long each answer takes. */
  answerMs: number
  /** The answer to requests for access tokens. */
  tokenAnswer: PushAnswer
  close(): Promise<void>
}

const GRANTED = { status: 200, body: JSON.stringify({ access_token: ACCESS_TOKEN, expires_in: 3_599 }) }
export const ACCEPTED: PushAnswer = { status: 200, body: `{"name":"projects/${PROJECT}/messages/1"}` }

export async function testFcm(): Promise<TestFcm> {
  const service = await testPushService()
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-fcm-'))
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const file = join(folder, 'fcm.json')
  const content = {
    ...{ type: 'service_account', project_id: PROJECT, private_key_id: 'key-1', client_email: EMAIL },
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${service.origin}/token`,
  }
  writeFileSync(file, JSON.stringify(content))
  const fcm: TestFcm = {
    ...{ origin: service.origin, service, file, publicKey, answer: ACCEPTED, answerMs: 0, tokenAnswer: GRANTED },
    get tokenRequests() {
      return service.pushes.filter(({ path }) => path === '/token').map(({ body }) => new URLSearchParams(`${body}`))
    },
    get messages() {
      const path = `/v1/projects/${PROJECT}/messages:send`
      return service.pushes.filter((push) => push.path === path).map(({ body }) => JSON.parse(`${body}`).message)
    },
    async close() {
      rmSync(folder, { recursive: true })
      await service.close()
    },
  }
  service.answer = async ({ path }) => {
    await sleep(fcm.answerMs)
    return path === '/token' ? fcm.tokenAnswer : fcm.answer
  }
  return fcm
}

/** An answer of FCM with one of its error codes. */
export function fcmError(
  status: number,
  errorCode: string,
  headers: Readonly<Record<string, string>> = {},
): PushAnswer {
  const details = [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }]
  return { status, headers, body: JSON.stringify({ error: { code: status, details } }) }
}
