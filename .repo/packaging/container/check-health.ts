// The health check of an API with TLS_CERT, which check-health.sh starts: exits with 0 when the API reports that it is
// ready. The certificate is not verified, because the connection does not leave the container.
import { get } from 'node:https'

const { PORT = '3000' } = process.env
const request = get(`https://127.0.0.1:${PORT}/health/ready`, { rejectUnauthorized: false }, ({ statusCode = 0 }) =>
  end(statusCode >= 200 && statusCode < 300 ? 0 : 1, `answered ${statusCode}`),
)
request.on('error', ({ message }) => end(1, message))
request.setTimeout(4_000, () => end(1, 'no answer within 4 seconds'))

function end(code: number, result: string): never {
  process.stdout.write(`${result}\n`)
  process.exit(code)
}
