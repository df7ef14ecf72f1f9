// node client-send.ts <number> <text>     set SMSGW_URL, SMSGW_USERNAME and SMSGW_PASSWORD first
import { SmsGateway } from '@smsgw/client'
import { InvalidRequestError } from '@smsgw/client/errors'

const { SMSGW_URL = 'http://127.0.0.1:3000', SMSGW_USERNAME = 'sms', SMSGW_PASSWORD = '' } = process.env
const [number = '', text = ''] = process.argv.slice(2)
const sms = new SmsGateway({ url: SMSGW_URL, credentials: { username: SMSGW_USERNAME, password: SMSGW_PASSWORD } })

try {
  const { id } = await sms.messages.send({ to: number, text })
  const { recipients } = await sms.messages.waitFor(id, { until: 'sent' })
  for (const { phoneNumber, state, error } of recipients) console.log(phoneNumber, state, error ?? '')
} catch (error) {
  if (!(error instanceof InvalidRequestError)) throw error
  for (const { path, message } of error.errors) console.error(`${path} ${message}`)
  process.exitCode = 1
}
