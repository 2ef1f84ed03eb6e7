# The part of the official library that the documentation uses, for machines that cannot fetch it.

require "base64"
require "json"
require "openssl"

module StandardWebhooks
  class WebhookVerificationError < StandardError; end

  class Webhook
    TOLERANCE = 5 * 60

    def initialize(secret)
      @key = Base64.decode64(secret.delete_prefix("whsec_"))
    end

    def verify(payload, headers)
      id, timestamp, signatures = headers.values_at("webhook-id", "webhook-timestamp", "webhook-signature")
      raise WebhookVerificationError, "a header is missing" unless id && timestamp && signatures
      raise WebhookVerificationError, "wrong time" if (Time.now.to_i - Integer(timestamp)).abs > TOLERANCE

      digest = OpenSSL::HMAC.digest("sha256", @key, "#{id}.#{timestamp}.#{payload}")
      expected = "v1,#{Base64.strict_encode64(digest)}"
      genuine = signatures.split(" ").any? { |signature| OpenSSL.secure_compare(signature, expected) }
      raise WebhookVerificationError, "no matching signature" unless genuine

      JSON.parse(payload)
    end
  end
end
