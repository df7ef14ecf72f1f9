<?php
// A webhook receiver for PHP 8 or newer:     WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:8080 receiver.php
declare(strict_types=1);

const MAX_BODY_BYTES = 10_000_000;

function is_genuine(string $key, string $body): bool
{
    $sent_at = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (preg_match('/^[0-9]{1,12}$/D', $sent_at) !== 1 || abs(time() - (int) $sent_at) > 300) {
        return false;
    }
    $signed = ($_SERVER['HTTP_WEBHOOK_ID'] ?? '') . ".$sent_at.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

/** Remember $event['id']: the same event may arrive again. */
function handle(array $event): void
{
    error_log($event['id'] . ' ' . json_encode($event['payload'] ?? null));
}

function answer(string $key): int
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    $body = file_get_contents('php://input', false, null, 0, MAX_BODY_BYTES + 1);
    if ($body === false || strlen($body) > MAX_BODY_BYTES) {
        return 413;
    }
    if (!is_genuine($key, $body)) {
        return 401;
    }
    $event = json_decode($body, true);
    if (!is_array($event) || !is_string($event['id'] ?? null)) {
        return 400;
    }
    handle($event);
    return 204;
}

$key = base64_decode(preg_replace('/^whsec_/', '', (string) getenv('WEBHOOK_SECRET')), true);
http_response_code($key === false || $key === '' ? 500 : answer($key));
