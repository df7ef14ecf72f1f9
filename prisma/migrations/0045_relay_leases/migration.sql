-- One lease for all devices of a relay. Relays of the previous release renew a lease in each row of `devices`.
-- CreateTable
CREATE TABLE "relays" (
    "id" TEXT NOT NULL,
    "worker" INTEGER,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "relays_pkey" PRIMARY KEY ("id")
);
