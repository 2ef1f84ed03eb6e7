<?php

// The part of the official library that the documentation uses, for machines that cannot fetch it.

namespace StandardWebhooks;

class WebhookVerificationException extends \Exception
{
}

class Webhook
{
    private const TOLERANCE = 5 * 60;
    private $key;

    public function __construct($secret)
    {
        $this->key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    }

    public function verify($payload, $headers)
    {
        if (!isset($headers['webhook-id'], $headers['webhook-timestamp'], $headers['webhook-signature'])) {
            throw new WebhookVerificationException('a header is missing');
        }
        $timestamp = (int) $headers['webhook-timestamp'];
        if (abs(time() - $timestamp) > self::TOLERANCE) {
            throw new WebhookVerificationException('wrong time');
        }
        $signed = "{$headers['webhook-id']}.{$timestamp}.{$payload}";
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $this->key, true));
        foreach (explode(' ', $headers['webhook-signature']) as $signature) {
            if (hash_equals($expected, $signature)) {
                return json_decode($payload, true);
            }
        }
        throw new WebhookVerificationException('no matching signature');
    }
}
