import { expect, test } from 'vitest'
import { z } from 'zod'
import { passwordChange } from '../access/account.ts'
import { apiKeyRequest } from '../access/api-key.ts'
import { enterPinRequest } from '../devices/device.ts'
import { sendMessageRequest } from '../messages/message.ts'
import { settingsChange } from '../relay/settings.ts'
import { registerWebhookRequest } from '../webhooks/webhook.ts'
import { fieldReasons, reasonOf } from './problem-reason.ts'

function problemsOf(schema: z.ZodType, value: unknown) {
  const { error } = schema.safeParse(value, { reportInput: true })
  return (error?.issues ?? []).map((issue) => ({ path: issue.path.join('.'), ...reasonOf(issue) }))
}

const sent = { phoneNumbers: ['+447400123456'], textMessage: { text: 'Hello' } }
const key = { name: 'door bell', scopes: ['messages:send'] }

test.each([
  ['a missing recipient', sendMessageRequest, { textMessage: { text: 'Hello' } }, 'phoneNumbers', 'required', {}],
  ['a missing text', sendMessageRequest, { phoneNumbers: ['+447400123456'] }, 'textMessage', 'required', {}],
  ['an empty text', sendMessageRequest, { ...sent, textMessage: { text: '' } }, 'textMessage.text', 'required', {}],
  [
    'a text that is a number',
    sendMessageRequest,
    { ...sent, textMessage: { text: 7 } },
    'textMessage.text',
    'wrong_type',
    {},
  ],
  ['half a priority', sendMessageRequest, { ...sent, priority: 0.5 }, 'priority', 'not_an_integer', {}],
  ['a short deadline', sendMessageRequest, { ...sent, ttl: 1 }, 'ttl', 'too_small', { minimum: 5 }],
  ['a name with a tab', apiKeyRequest, { ...key, name: 'door\tbell' }, 'name', 'control_characters', {}],
  ['an invisible character', apiKeyRequest, { ...key, name: 'door\u202ebell' }, 'name', 'control_characters', {}],
  ['a long name', apiKeyRequest, { ...key, name: 'x'.repeat(65) }, 'name', 'too_long', { maximum: 64 }],
  ['no name', apiKeyRequest, { ...key, name: '' }, 'name', 'required', {}],
  ['no scope', apiKeyRequest, { ...key, scopes: [] }, 'scopes', 'required', {}],
  ['an unknown scope', apiKeyRequest, { ...key, scopes: ['moon:read'] }, 'scopes.0', 'unknown_value', {}],
  [
    'a wrong prefix',
    apiKeyRequest,
    { ...key, limits: { recipients: ['+44x'] } },
    'limits.recipients.0',
    'number_or_prefix',
    { value: '+44x' },
  ],
  [
    'a limit of zero',
    apiKeyRequest,
    { ...key, limits: { recipientsPerDay: 0 } },
    'limits.recipientsPerDay',
    'too_small',
    { minimum: 1 },
  ],
  ['a short PIN', enterPinRequest, { simNumber: 1, pin: '12' }, 'pin', 'pin_format', {}],
  [
    'a wrong time of day',
    settingsChange,
    { messages: { work_hours_start: '25:00' } },
    'messages.work_hours_start',
    'time_of_day',
    {},
  ],
  ['a webhook without events', registerWebhookRequest, { url: 'https://example.com' }, 'event', 'required', {}],
  ['no new password', passwordChange, { currentPassword: 'x', newPassword: '' }, 'newPassword', 'required', {}],
] as const)('%s has a code', (_, schema, value, path, reason, values) => {
  const [problem] = problemsOf(schema, value)
  expect({ ...problem, values: problem?.values ?? {} }).toEqual({ path, reason, values })
  expect(Object.keys(values)).toEqual(fieldReasons[reason])
})

test('a problem that no rule names has only its message', () => {
  expect(problemsOf(z.object({ a: z.number().refine((n) => n > 1) }), { a: 1 })).toEqual([
    { path: 'a', reason: 'invalid' },
  ])
})
