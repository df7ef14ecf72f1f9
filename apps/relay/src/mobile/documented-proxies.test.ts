import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { MOST_BODY_BYTES } from './upload-inbox.ts'

const root = resolve(import.meta.dirname, '../../../..')

test.each([
  ['docs/examples/nginx-tls.conf', /client_max_body_size (\d+)m;/],
  ['docs/examples/nginx-balancer.conf', /client_max_body_size (\d+)m;/],
  ['docs/examples/Caddyfile', /max_size (\d+)MiB/],
  ['deploy/helm/smsgw/values.yaml', /proxy-body-size: (\d+)m/],
])('%s lets the largest upload of a phone pass', (file, limit) => {
  const [, mebibytes] = limit.exec(readFileSync(join(root, file), 'utf8')) ?? []
  expect(Number(mebibytes) * 1024 * 1024).toBeGreaterThanOrEqual(MOST_BODY_BYTES)
})
