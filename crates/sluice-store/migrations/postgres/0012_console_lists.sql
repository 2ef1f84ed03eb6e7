-- When an event last reached a webhook; deliveries are forgotten, this is not.
ALTER TABLE webhooks ADD COLUMN delivered_at BIGINT;
UPDATE webhooks SET delivered_at = (SELECT MAX(updated_at) FROM deliveries d
    WHERE d.webhook_id = webhooks.id AND d.state = 'delivered');

-- What waits is listed by age from this index alone.
DROP INDEX deliveries_by_due;
CREATE INDEX deliveries_by_due ON deliveries (webhook_id, due_at, id, created_at)
    WHERE due_at IS NOT NULL;
