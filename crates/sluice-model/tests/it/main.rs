//! Rules of the domain that take more than a few lines to test, through the public face of the crate.

mod configure;
mod dedupe;
