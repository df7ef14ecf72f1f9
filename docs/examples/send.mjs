// node send.mjs <number> <text>     set SMSGW_URL, SMSGW_USERNAME and SMSGW_PASSWORD first
const { SMSGW_URL = 'http://127.0.0.1:3000', SMSGW_USERNAME = 'sms', SMSGW_PASSWORD } = process.env
const [number, text] = process.argv.slice(2)

const response = await fetch(`${SMSGW_URL}/3rdparty/v1/messages`, {
  method: 'POST',
  headers: {
    Authorization: `Basic ${Buffer.from(`${SMSGW_USERNAME}:${SMSGW_PASSWORD}`).toString('base64')}`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ phoneNumbers: [number], textMessage: { text } }),
})
const answer = await response.json()
if (response.status !== 202) throw new Error(answer.message)
console.log(answer.id, answer.state)
