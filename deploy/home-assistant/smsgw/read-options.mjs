// Prints the options of the Home Assistant add-on as settings of the gateway, in the form of a shell script.
import { readFileSync } from 'node:fs'

const options = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const settings = {
  HOST: '0.0.0.0',
  PORT: '3000',
  MODEMS: options.modems || 'auto',
  SIM_1_PIN: options.sim_pin,
  DEFAULT_REGION: options.default_region,
  LOG_LEVEL: options.log_level,
  ...(options.ssl && { TLS_CERT: `/ssl/${options.certfile}`, TLS_KEY: `/ssl/${options.keyfile}` }),
  ...Object.fromEntries((options.settings ?? []).map(({ name, value }) => [name, value])),
}

for (const [name, value] of Object.entries(settings)) {
  if (value === undefined || value === '') continue
  process.stdout.write(`export ${name}='${String(value).replaceAll("'", `'\\''`)}'\n`)
}
