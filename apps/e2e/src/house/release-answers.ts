import type { ApiClient } from './api-client.ts'

/** Answers of the API that must be the same in each later release. */
export interface ReleaseAnswers {
  readonly messages: readonly Answered[]
  readonly inbox: readonly Answered[]
  readonly webhooks: readonly Answered[]
}

type Answered = Readonly<Record<string, unknown>>

export async function answersOf(api: ApiClient, ids: readonly string[]): Promise<ReleaseAnswers> {
  const get = async (path: string) => {
    const { status, json } = await api.ask('GET', path)
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(json)}`)
    return json
  }
  return {
    messages: await Promise.all(ids.map((id) => get(`/messages/${id}`))),
    inbox: await get('/inbox?limit=100'),
    webhooks: await get('/webhooks'),
  }
}
