export async function benchWebhookStorm(..._: unknown[]): Promise<void> {}
