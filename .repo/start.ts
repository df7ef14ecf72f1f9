// What `npm start` says until the gateway exists.
const lines = [
  'smsgw is being built from the inside out. There is no gateway to start yet.',
  '',
  'Not built yet: the relay (HTTP API), the agent, the gateway that joins them, webhooks, the console.',
  'Built:         libs/sms, the SMS codec (README.md has a map).',
  '',
  'Try instead:   npm test          every guarantee that holds today',
  '               npm run check     format, lint, types, import table, dead code, house rules',
]
process.stdout.write(`${lines.join('\n')}\n`)
