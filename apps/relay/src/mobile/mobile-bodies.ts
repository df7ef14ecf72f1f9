// The bodies of the API for phones. Unknown members are ignored, because apps of several versions call it.

import { DecodedBase64 } from '@smsgw/contract/fields/decoded-base64'
import { requestBody } from '@smsgw/contract/fields/request-body'
import { CollectedText } from '@smsgw/contract/messages/collected-text'
import { z } from 'zod'
import { ENCRYPTED_TEXT } from '../http/body/octet-pieces.ts'

const text = (most: number) => z.string().max(most)

/** A SIM of a phone. Phones report neither its state nor its signal. */
const phoneSim = requestBody({
  slotIndex: z.int().min(0).max(63).optional(),
  simNumber: z.int().min(1).max(64),
  phoneNumber: text(128).optional(),
  carrierName: text(128).optional(),
  iccid: text(32).optional(),
})

const keys = {
  publicKey: z.string().min(1).max(2_048).optional(),
  keyVersion: z.int().min(0).max(2_147_483_647).optional(),
}

const record = {
  /**
   * The push token. It is used if the operator has set up FCM; without FCM, notices are streamed. An empty token
   * removes the stored token.
   */
  pushToken: text(256).optional(),
  simCards: z.array(phoneSim).max(64).optional(),
  /** The features of the app. `mms`: the app can send MMS. Unknown names are ignored. */
  capabilities: z.array(text(64)).max(64).optional(),
  ...keys,
}

export const registerPhoneBody = requestBody({ name: text(128).optional(), ...record }).refine(hasWholeKey, {
  message: 'publicKey and keyVersion must be sent together',
  path: ['keyVersion'],
})

export const changePhoneBody = requestBody({ id: z.string().min(1).max(128), ...record }).refine(hasWholeKey, {
  message: 'publicKey and keyVersion must be sent together',
  path: ['keyVersion'],
})

function hasWholeKey({ publicKey, keyVersion }: { publicKey?: string | undefined; keyVersion?: number | undefined }) {
  return (publicKey === undefined) === (keyVersion === undefined)
}

export type PhoneSim = z.output<typeof phoneSim>

const reportedRecipient = requestBody({
  phoneNumber: text(512),
  state: text(32),
  error: z.string().optional(),
})

export const stateReport = requestBody({
  id: z.string().min(1).max(36),
  state: text(32),
  recipients: z.array(reportedRecipient).max(1_000).optional(),
  /** The time at which each state was reached. A time in another form than RFC 3339 is ignored. */
  states: z.record(text(32), z.unknown()).optional(),
})

export type StateReport = z.output<typeof stateReport>
export type ReportedRecipient = z.output<typeof reportedRecipient>

export const uploadedAttachment = requestBody({
  partId: z.int().min(0),
  contentType: text(128),
  name: text(512).optional(),
  size: z.int().min(0).optional(),
  /**
   * Base64, also with line breaks or without padding, or an encrypted text. Absent until the phone has downloaded the
   * attachment.
   */
  data: z
    .union([
      z.instanceof(DecodedBase64),
      z.instanceof(CollectedText),
      z
        .string()
        .refine((data) => !/[^\w+/=\s-]/.test(data) || ENCRYPTED_TEXT.test(data), 'must be base64 or encrypted'),
    ])
    .optional(),
})

/** A received message. */
export const uploadedMessage = requestBody({
  id: z.string().min(1).max(36),
  type: z.enum(['SMS', 'DATA_SMS', 'MMS', 'MMS_DOWNLOADED']),
  sender: text(512),
  recipient: text(512).optional(),
  simNumber: z.int().min(1).max(64).optional(),
  content: text(131_072).default(''),
  isEncrypted: z.boolean().default(false),
  createdAt: z.iso.datetime({ offset: true }),
  /** Each attachment is checked separately, so that an invalid attachment does not make the whole message invalid. */
  attachments: z.array(z.unknown()).max(100).optional().meta({
    description:
      'The attachments, each with `partId`, `contentType`, `name`, `size` and, once it is downloaded, `data` in base64',
  }),
})

export type UploadedMessage = z.output<typeof uploadedMessage>

export const phonePasswordBody = requestBody({
  currentPassword: text(1_024),
  newPassword: z.string().min(14, 'must have at least 14 characters').max(1_024),
})
