//! The differences between a folder and an account, by kind.

mod common;
mod components;
mod sources;
mod subscriptions;
mod webhooks;
mod workflows;

pub(super) use self::{
    components::components, sources::sources, subscriptions::subscriptions, webhooks::webhooks,
    workflows::workflows,
};
