-- Deliveries of hashed messages that still contain a number, because they are not finished.
CREATE TABLE "webhook_deliveries_to_clear" (
    "delivery_key" BIGINT NOT NULL,

    CONSTRAINT "webhook_deliveries_to_clear_pkey" PRIMARY KEY ("delivery_key")
);

ALTER TABLE "webhook_deliveries_to_clear" ADD CONSTRAINT "webhook_deliveries_to_clear_delivery_key_fkey" FOREIGN KEY ("delivery_key") REFERENCES "webhook_deliveries"("key") ON DELETE CASCADE ON UPDATE CASCADE;
