-- True if the modem of the SIM is emulated. False for rows of agents and relays of older releases. A constant default rewrites no rows.
ALTER TABLE "sim_cards" ADD COLUMN     "is_emulated" BOOLEAN NOT NULL DEFAULT false;
