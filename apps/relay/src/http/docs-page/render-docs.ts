import type { OpenapiDocument } from '../openapi/openapi-document.ts'
import { GUIDE_SECTIONS } from './guide.ts'
import { type Html, html, prose } from './html.ts'
import { methodBadge, renderOperation } from './render-operation.ts'
import { memberTable, type Schemas } from './render-schema.ts'

/** The whole API on one page, without a script and without a request to anywhere. */
export function renderDocs(document: OpenapiDocument, style: string): string {
  const { info, tags } = document
  const schemas = document.components.schemas
  const { markup } = html`<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${info.title} API ${info.version}</title>
  <style>${{ markup: style }}</style>
</head>
<body>
  <header><h1>${info.title} <small>API ${info.version}</small></h1><p>${prose(info.description)}</p>
    <p><a href="/openapi.json">OpenAPI 3.1 document</a></p></header>
  <nav aria-label="Contents">${contents(document)}</nav>
  <main>
    ${GUIDE_SECTIONS.map(({ id, title, content }) => html`<section id="${id}"><h2>${title}</h2>${content}</section>`)}
    ${tags.map(({ name, description }) => tagSection(name, description, document))}
    ${webhookSection(document.webhooks, schemas)}
  </main>
</body>
</html>`
  return `<!doctype html>\n${markup}\n`
}

function contents(document: OpenapiDocument): Html {
  const guide = GUIDE_SECTIONS.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)
  const reference = document.tags.map(({ name }) => {
    const links = operationsOf(name, document).map(
      ({ method, operation }) =>
        html`<li><a href="#${operation.operationId}">${methodBadge(method)}<span>${operation.summary}</span></a></li>`,
    )
    return html`<h3><a href="#tag-${name}">${name}</a></h3><ul>${links}</ul>`
  })
  return html`<h3><a href="#${GUIDE_SECTIONS[0]?.id}">guide</a></h3><ul>${guide}</ul>${reference}<h3><a href="#events">webhook events</a></h3>`
}

function operationsOf(tag: string, { paths }: OpenapiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  )
}

function tagSection(name: string, description: string, document: OpenapiDocument): Html {
  const operations = operationsOf(name, document).map(({ method, path, operation }) =>
    renderOperation(method, path, operation, document.components.schemas),
  )
  return html`<section id="tag-${name}"><h2>${name}</h2><p>${description}</p>${operations}</section>`
}

function webhookSection(webhooks: OpenapiDocument['webhooks'], schemas: Schemas): Html {
  const events = Object.entries(webhooks).map(([event, { post }]) => {
    const schema = post.requestBody.content['application/json']?.schema ?? {}
    return html`<details class="operation"><summary>${methodBadge('event')} <code class="path">${event}</code></summary>
      ${memberTable(schema, schemas)}</details>`
  })
  return html`<section id="events"><h2>webhook events</h2>
    <p>The body of a request to your webhook. Times are the local time of the agent, with its offset.</p>${events}</section>`
}
