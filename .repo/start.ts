// What `npm start` says until the gateway exists.
const lines = [
  'smsgw is being built from the inside out. There is no gateway to start yet.',
  '',
  'Not built yet: the gateway that joins relay and agent in one process, packages, the console.',
  'Built:         relay, agent, webhooks, SMS codec, modem driver and emulator (README.md has a map).',
  '',
  'Try instead:   npm run relay     the HTTP API; -- --help says what it needs',
  '               npm run agent     drives modems for a relay; -- --help',
  '               npm run emulator  a modem without hardware, at ./data/emulator/modem0',
  '               npm test          every guarantee that holds today',
]
process.stdout.write(`${lines.join('\n')}\n`)
