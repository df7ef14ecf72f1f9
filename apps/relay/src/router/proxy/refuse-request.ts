import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../http/errors/api-error.ts'

/**
 * Returns why a request is refused before it is routed, or undefined. Requests that two servers could read differently are
 * refused, so that no request is hidden in the body of another one (RFC 9112 §11.2).
 */
export function requestProblem({
  url = '',
  method,
  httpVersion,
  headers,
  rawHeaders,
}: IncomingMessage): ApiError | undefined {
  const hosts = count(rawHeaders, 'host')
  if (hosts !== 1 && !(hosts === 0 && httpVersion === '1.0'))
    return new ApiError(400, `The request has ${hosts} Host headers: send exactly one`)
  if (!url.startsWith('/') && !(url === '*' && method === 'OPTIONS'))
    return new ApiError(400, 'The request target must be a path, because this server is not a proxy')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked'))
    return new ApiError(400, 'The only supported transfer coding is chunked, in HTTP/1.1')
  if (coding !== undefined && count(rawHeaders, 'content-length') > 0)
    return new ApiError(400, 'The request has a Content-Length and a Transfer-Encoding: send only one of them')
  if (count(rawHeaders, 'content-length') > 1)
    return new ApiError(400, 'The request has several Content-Length headers: send exactly one')
  return undefined
}

function count(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((header, index) => index % 2 === 0 && header.toLowerCase() === name).length
}
