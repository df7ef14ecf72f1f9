// What a container's health is judged by: 0 when the address answers well. Without an address it is the API in this
// container, which speaks TLS when it was given a certificate; whose that is does not matter on the way to oneself.
import { get as getPlain } from 'node:http'
import { get as getTls } from 'node:https'

const { PORT = '3000', TLS_CERT = '' } = process.env
const address = process.argv[2] ?? `${TLS_CERT === '' ? 'http' : 'https'}://127.0.0.1:${PORT}/health/ready`
const asked = address.startsWith('https:')
  ? getTls(address, { rejectUnauthorized: false }, judge)
  : getPlain(address, judge)
asked.on('error', ({ message }) => end(1, message))
asked.setTimeout(4_000, () => end(1, 'no answer within 4 seconds'))

function judge({ statusCode = 0 }: { readonly statusCode?: number | undefined }): void {
  end(statusCode >= 200 && statusCode < 300 ? 0 : 1, `it answers ${statusCode}`)
}

function end(code: number, words: string): never {
  process.stdout.write(`${words}\n`)
  process.exit(code)
}
