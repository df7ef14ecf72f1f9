import type { z } from 'zod'
import { type Endpoint, type EndpointDefinition, endpoint } from '../endpoint.ts'
import type { Facade, FacadeRequest } from './facade.ts'

interface FacadeDefinition<Params extends z.ZodType>
  extends Facade,
    Pick<EndpointDefinition<z.ZodType<FacadeRequest>, z.ZodType<unknown>, Params>, 'params' | 'answers' | 'handle'> {
  /** Media type of answers without a `Content-Type` header. Strings are sent unchanged. */
  readonly mediaType?: string
}

/**
 * Builds an endpoint with the interface of another product: its parameters, credentials and errors. It is not part of
 * the OpenAPI document, and is described in `docs/integrations`. Sessions of browsers are not accepted.
 */
export function facadeEndpoint<Params extends z.ZodType = z.ZodType<unknown>>(
  definition: FacadeDefinition<Params>,
): Endpoint {
  const { bodies, credentials, refuse, decode, ...rest } = definition
  const built = endpoint<z.ZodType<FacadeRequest>, z.ZodType<unknown>, Params>(rest)
  return { ...built, facade: { bodies, credentials, refuse, decode } }
}
