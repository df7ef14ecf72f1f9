// node client-receiver.ts     receives webhooks; WEBHOOK_SECRET is the secret of the webhook, whsec_…
import { createServer } from 'node:http'
import { nodeReceiver } from '@smsgw/client/webhook-receiver'

const { WEBHOOK_SECRET = '', PORT = '8080' } = process.env
const receive = nodeReceiver({
  secret: WEBHOOK_SECRET,
  onEvent({ id, event, payload }) {
    // The same event may arrive again, so remember its id.
    console.log(id, event, event === 'sms:received' ? payload.message : '')
  },
  onError: console.error,
})
createServer(receive).listen(Number(PORT))
