// What `npm start` says until the gateway exists.
const lines = [
  'smsgw is being built from the inside out. There is no gateway to start yet.',
  '',
  'Not built yet: the agent, its link to the relay, the gateway that joins them, webhook delivery, the console.',
  'Built:         the relay (HTTP API), the SMS codec, the modem driver, the modem emulator (README.md has a map).',
  '',
  'Try instead:   npm run relay     the HTTP API; -- --help says what it needs',
  '               npm run emulator  a modem without hardware, at ./data/emulator/modem0',
  '               npm run modem     speak with it, or with a real one',
  '               npm test          every guarantee that holds today',
]
process.stdout.write(`${lines.join('\n')}\n`)
