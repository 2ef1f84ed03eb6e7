//! Deliveries to webhooks through a restart of the server or the loss of its database.

mod fixtures;
mod journal;
mod restarts;
