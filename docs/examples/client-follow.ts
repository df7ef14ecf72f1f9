// node client-follow.ts     answers each received text; set SMSGW_URL and SMSGW_PASSWORD first
import { SmsGateway } from '@smsgw/client'

const { SMSGW_URL = 'http://127.0.0.1:3000', SMSGW_PASSWORD = '' } = process.env
const sms = new SmsGateway({ url: SMSGW_URL, credentials: { username: 'sms', password: SMSGW_PASSWORD } })
const onOpen = () => console.log('waiting for messages')

for await (const event of sms.events({ kinds: ['inbox.received'], onOpen })) {
  if (event.kind !== 'inbox.received') continue
  const { id, sender, text } = await sms.inbox.get(event.data.id)
  console.log(sender, text)
  // After a crash, a second run sends no second answer.
  await sms.messages.send({ to: sender, text: 'Thank you' }, { idempotencyKey: `answer-${id}` })
}
