//! Filling in the props of a component: from flags, existing values and prompts.

mod account;
mod connect;
mod fill;
mod flags;
mod lists;
mod missing;
mod options;
mod question;

pub(crate) use self::{
    fill::{Form, FormValues, Subject},
    flags::PropFlags,
};
