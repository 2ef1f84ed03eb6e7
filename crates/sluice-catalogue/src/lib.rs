//! The catalogue of apps that ships in the binary: titles, icons, and how each app authenticates its users.
//!
//! `scripts/catalogue/build.mjs` writes the data.

mod apps;
mod icons;

pub use apps::{CatalogueApp, apps, find};
pub use icons::{has_icon, icon_svg};
