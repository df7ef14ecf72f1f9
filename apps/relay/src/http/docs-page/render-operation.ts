import type { JsonSchema } from '../openapi/component-schemas.ts'
import type { Operation, Parameter, Response } from '../openapi/operation.ts'
import { type Html, html, prose } from './html.ts'
import { meaning, memberTable, resolved, type Schemas, typeWords } from './render-schema.ts'

/** One operation: its line, and behind it everything about it. */
export function renderOperation(method: string, path: string, operation: Operation, schemas: Schemas): Html {
  const { operationId, summary, description, deprecated, parameters, requestBody, responses } = operation
  const body = requestBody?.content['application/json']?.schema
  return html`<details class="operation" id="${operationId}">
    <summary>${methodBadge(method)} <code class="path">${path}</code> <span class="summary">${summary}</span>${
      deprecated ? html` <span class="deprecated">deprecated</span>` : undefined
    }</summary>
    <p>${prose(description)}</p>
    ${parameters.length > 0 ? parameterTable(parameters, schemas) : undefined}
    ${body && html`<h4>Body</h4>${example(method, path, body, schemas)}${memberTable(body, schemas)}`}
    <h4>Answers</h4>
    ${Object.entries(responses).map(([status, response]) => renderResponse(status, response, schemas))}
  </details>`
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`
}

function parameterTable(parameters: readonly Parameter[], schemas: Schemas): Html {
  const rows = parameters.map(
    ({ name, in: place, required, schema, description, deprecated }) => html`<tr>
      <td><code>${name}</code>${required ? html` <span class="required">required</span>` : undefined}</td>
      <td>${place}</td><td>${typeWords(schema, schemas)}</td>
      <td>${meaning({ ...schema, ...(description && { description }), ...(deprecated && { deprecated }) })}</td></tr>`,
  )
  return html`<h4>Parameters</h4><div class="scroll"><table>
    <thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
    <tbody>${rows}</tbody></table></div>`
}

function example(method: string, path: string, body: JsonSchema, schemas: Schemas): Html | undefined {
  const value = resolved(body, schemas).examples?.[0]
  if (value === undefined) return undefined
  const data = JSON.stringify(value).replaceAll("'", "'\\''")
  return html`<pre>curl -u user:password -X ${method.toUpperCase()} "$URL${path}" \\
  -H 'Content-Type: application/json' \\
  -d '${data}'</pre>`
}

function renderResponse(status: string, { description, headers, content }: Response, schemas: Schemas): Html {
  const schema = Object.values(content ?? {})[0]?.schema
  const isProblem = schema?.$ref?.endsWith('/Problem') === true
  const line = html`<code class="status s${status.charAt(0)}">${status}</code> ${description}`
  const told = Object.entries(headers ?? {}).map(
    ([name, header]) => html`<p class="note"><code>${name}</code>: ${prose(header.description)}</p>`,
  )
  if (!schema || isProblem)
    return html`<div class="answer">${line}${isProblem ? html` – <a href="#errors">error</a>` : undefined}${told}</div>`
  return html`<details class="answer" ${status.startsWith('2') ? html`open` : undefined}>
    <summary>${line}</summary>${told}${memberTable(listItem(schema, schemas), schemas)}</details>`
}

/** Of a list, what each of its items is. */
function listItem(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const own = resolved(schema, schemas)
  return own.type === 'array' ? resolved((own.items ?? {}) as JsonSchema, schemas) : own
}
