import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type StaticFile, staticFile, staticFileAnswer } from '../http/answer/static-file.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'

/** Serves the API reference, which is Swagger UI with the OpenAPI document of this relay. */
export function getDocs(): Endpoint {
  return endpoint({
    answers: { 200: z.string().meta({ description: 'An HTML page' }) },
    mediaType: 'text/html; charset=utf-8',
    handle: async () => ({ status: 200, body: PAGE, headers: { 'content-security-policy': POLICY } }),
  })
}

/** Serves the scripts and style sheets of the API reference. Each file is read when it is first requested. */
export function getDocsFile(): Endpoint {
  const files = new Map<string, Promise<StaticFile>>()
  return endpoint({
    params: z.object({ file: z.enum(['docs.js', 'docs.css', ...SWAGGER_UI_FILES]).meta({ examples: ['docs.js'] }) }),
    answers: { 200: z.unknown().meta({ description: 'A script or a style sheet' }) },
    mediaType: 'text/plain; charset=utf-8',
    async handle({ params: { file: name }, headers }) {
      const file = files.get(name) ?? loadFile(name)
      files.set(name, file)
      return staticFileAnswer(await file, headers, { 'cache-control': 'no-cache' })
    },
  })
}

const SWAGGER_UI_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css'] as const

async function loadFile(name: string): Promise<StaticFile> {
  const own = OWN_FILES[name]
  return await staticFile(name, own === undefined ? await readFile(swaggerUiPath(name)) : Buffer.from(own))
}

/** Returns the path of a file of Swagger UI: next to the bundle of a packaged relay, otherwise in its npm package. */
function swaggerUiPath(name: string): string {
  const packaged = resolve(import.meta.dirname, 'docs-page', name)
  if (existsSync(packaged)) return packaged
  return fileURLToPath(new URL(name, import.meta.resolve('swagger-ui-dist/package.json')))
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>SMS gateway API</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/docs/swagger-ui.css">
  <link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
  <div id="docs"></div>
  <script src="/docs/swagger-ui-bundle.js"></script>
  <script src="/docs/docs.js"></script>
</body>
</html>
`

const OWN_FILES: Readonly<Record<string, string>> = {
  'docs.js': `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
})
`,
  'docs.css': `body { margin: 0 }
.swagger-ui .info { margin: 1.5rem 0 }
.swagger-ui .info h2 { font-size: 1.15rem; margin: 1.25rem 0 0 }
.swagger-ui .info p { max-width: 60rem; margin: 0.5rem 0 }
`,
}

/** The style sheet of Swagger UI contains its icons as `data:` images. Swagger UI has no inline script or style. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
