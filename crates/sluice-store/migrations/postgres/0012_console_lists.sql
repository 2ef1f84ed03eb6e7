-- When an event last reached a webhook; deliveries are forgotten, this is not.
ALTER TABLE webhooks ADD COLUMN delivered_at BIGINT;
UPDATE webhooks SET delivered_at = (SELECT MAX(updated_at) FROM deliveries d
    WHERE d.webhook_id = webhooks.id AND d.state = 'delivered');

-- Lists and counts by state read an index alone. That of what waits has the age too; that of what failed costs
-- deliveries that succeed nothing.
DROP INDEX deliveries_by_due;
CREATE INDEX deliveries_by_due ON deliveries (webhook_id, due_at, id, created_at)
    WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_failure ON deliveries (webhook_id, created_at, id)
    WHERE state = 'failed';
